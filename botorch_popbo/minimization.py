"""One function for those who want no framework."""

import logging
import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from botorch_popbo._workers import evaluator

# What the models need is loaded while worker processes start.
if TYPE_CHECKING:
    from botorch_popbo.settings import Settings

_logger = logging.getLogger("botorch_popbo")


@dataclass(frozen=True)
class Evaluation:
    """An evaluation of the function.

    Attributes:
        parameters: What the function was called with.
        status: "completed", "failed" or "running".
        value: What it returned; NaN if there is nothing.
        standard_error: What it returned beside; NaN if there is nothing.
        reason: The error of a failed one.
    """

    parameters: dict[str, Any]
    status: str = "running"
    value: float = math.nan
    standard_error: float = math.nan
    reason: str = ""


@dataclass(frozen=True)
class Minimum:
    """The result of a minimization.

    Attributes:
        best: The evaluation whose parameters to use, by the model: with noise, one whose neighbours
            vouch for it.
        best_observed: The evaluation with the least value, which may have been lucky.
        history: All evaluations, in order; ``pandas.json_normalize(map(asdict, history))`` makes
            a table of them.
    """

    best: Evaluation
    best_observed: Evaluation
    history: list[Evaluation]


def minimize(
    function: Callable[..., Any],
    space: Mapping[str, Any],
    n_trials: int,
    *,
    n_initial: int | None = None,
    seed: int = 0,
    n_jobs: int = 1,
    path: str | os.PathLike[str] | None = None,
    progress: bool = True,
    order_only: bool = False,
    settings: "Settings | None" = None,
) -> Minimum:
    """Minimize a function of named parameters, by the order of its values.

    An exception in the function, or a value that is no finite number, is a failed trial: it counts,
    and ranks below every success. The traceback of the first is logged. To maximize, return the
    negated value.

    Args:
        function: Takes the parameters by name and returns a number, or a pair of it and its
            standard error, which is 0 if there is no noise.
        space: What each parameter may be, by its name, such as ``{"rate": (1e-4, 1.0, "log"),
            "layers": (1, 5), "kernel": ["rbf", "poly"]}``; see
            :data:`~botorch_popbo.space.Notation`.
        n_trials: Number of evaluations, those in the file and the failed ones included. There are
            fewer if the space has fewer points.
        n_initial: Number of successful evaluations of quasi-random points before the model's, by
            default that of the settings.
        seed: The same seed and values give the same points, one evaluation at a time.
        n_jobs: Number of evaluations at the same time, in worker processes; -1 for one a core.
        path: A JSON file that is written after every evaluation, and from which the same call goes
            on. What was being evaluated is evaluated again, so that an interruption changes no
            result. That the function is the same is up to you.
        progress: Whether there is a progress bar, on a terminal or in a notebook.
        order_only: Whether nothing is heard of how far apart outcomes are, so that any increasing
            transform of them gives the same suggestions bit for bit.
        settings: What the model assumes, and how to search.

    Returns:
        The best evaluations, by the model and as observed, and all others.

    Raises:
        InputDataError: If an argument is not valid, or the file is of a run with another space,
            seed or design.
        ValueError: If the number of jobs is none.
        PicklingError: If the function cannot be sent to worker processes. Let it make its locks,
            connections and open files itself, when it is called.
        OSError: If the file cannot be read or written.
        RuntimeError: If all evaluations failed.
    """
    if n_jobs == -1:
        n_jobs = os.cpu_count() or 1
    with evaluator(function, n_jobs) as submit:
        from botorch_popbo._run import Run
        from botorch_popbo.settings import Settings

        settings = (settings or Settings()).with_order_only(order_only)
        run = Run(function, space, n_trials, n_initial, seed, path, settings)
        try:
            with _bar(run.n_trials, progress) as bar:
                run.evaluate(submit, n_jobs, bar)
        except KeyboardInterrupt:
            kept = f"the same call goes on from {run.path}" if run.path else "nothing is kept"
            told = f"{run.num_ended} of {run.n_trials} evaluations"
            _logger.warning("interrupted after %s; %s", told, kept)
            raise
    return run.result()


def _bar(number: int, progress: bool) -> Any:
    from tqdm.auto import tqdm  # type: ignore[import-untyped]

    # None: only on a terminal or in a notebook.
    return tqdm(total=number, unit="trial", disable=None if progress else True)
