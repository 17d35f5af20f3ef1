"""One function for those who want no framework."""

import logging
import math
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any

from botorch_popbo._evaluation import Direction, Evaluation, Result, evaluator

# What the models need is loaded while worker processes start.
if TYPE_CHECKING:
    from botorch_popbo._run import Run
    from botorch_popbo.settings import Settings

__all__ = ["Evaluation", "Result", "minimize"]

_logger = logging.getLogger("botorch_popbo")


class _Interrupted(SystemExit, KeyboardInterrupt):
    """Ctrl-C. If nobody catches it, the program ends with status 130 and without a traceback."""


def minimize(
    function: Callable[..., Any],
    space: Mapping[str, Any],
    n_trials: int,
    *,
    direction: Direction = "minimize",
    start: Mapping[str, Any] | Sequence[Mapping[str, Any]] | str | os.PathLike[str] | Any = (),
    timeout: float | None = None,
    callback: Callable[[Result], object] | None = None,
    n_initial: int | None = None,
    seed: int = 0,
    n_jobs: int = 1,
    path: str | os.PathLike[str] | None = None,
    progress: bool = True,
    order_only: bool = False,
    settings: "Settings | None" = None,
) -> Result:
    """Minimize a function of named parameters, by the order of its values.

    An exception in the function, or a value that is no finite number, is a failed trial: it counts,
    and ranks below every success. The traceback of the first is logged. As long as nothing has
    succeeded, a mistake ends the search at once: a name, an attribute or a module that does not
    exist, wrong arguments, or a value that is no number. So does a design (``n_initial``
    evaluations) that fails with one type of error from the first to the last. If past trials have
    succeeded, the best of them is then returned, with a warning.

    Args:
        function: Takes the parameters by name and returns a number, or ``{"value": ...,
            "standard_error": ...}``; the error is 0 if there is no noise. A pair of them means the
            same, and a warning says so once if the second one is not 0.
        space: What each parameter may be, by its name, such as ``{"rate": (1e-4, 1.0, "log"),
            "layers": (1, 5), "kernel": ["rbf", "poly"], "epochs": 10}``; see
            :data:`~botorch_popbo.space.Notation`.
        n_trials: Number of evaluations, those in the file and the failed ones included. There are
            fewer if the space has fewer points.
        direction: "minimize", or "maximize" if larger values are better.
        start: What to begin with: a dictionary of parameters, a list of them, a data frame, or a
            CSV file. Those with a ``"value"`` are past trials. They teach the model and are not
            evaluated, nor do they count; an empty, NaN or infinitely bad value is a failure. One
            outside of a range is not recommended. Those without a ``"value"`` are evaluated first.
        timeout: Seconds after which no further evaluation begins. Running ones finish, and there is
            always at least one.
        callback: Called with the result so far after each evaluation, from the first success on. If
            it raises ``StopIteration``, no further evaluation begins. Its return value is ignored.
        n_initial: Number of successful evaluations, past ones included, before the model takes over
            from a quasi-random design; by default that of the settings.
        seed: The same seed and values give the same points, one evaluation at a time.
        n_jobs: Number of evaluations at the same time, in worker processes; -1 for one a core. When
            a worker dies, all that was being evaluated is tried once more, one at a time.
        path: A JSON file that is written after every evaluation, and from which the same call goes
            on. What was being evaluated is evaluated again, so that an interruption changes no
            result. That the function is the same is up to you. What is read is checked.
        progress: Whether to say what was found in the file, and to show a progress bar where there
            is a terminal or a notebook.
        order_only: Whether nothing is heard of how far apart outcomes are, so that any increasing
            transform of them gives the same suggestions bit for bit.
        settings: What the model assumes, and how to search.

    Returns:
        The best evaluations, by the model and as observed, and all others.

    Raises:
        ImportError: If ``start`` is a CSV file and pandas is not installed, or if workers cannot
            import the function, which may also be an ``AttributeError``.
        InputDataError: If an argument is not valid, or the file is of a run with another space,
            direction, start, seed, design or settings, or holds what no run writes.
        KeyboardInterrupt: After Ctrl-C; one line says how to go on. If a script does not catch it,
            it ends with status 130 and without a traceback.
        ValueError: If ``timeout`` is no number, or ``n_jobs`` neither -1 nor a whole number of at
            least 1.
        PicklingError: If the function cannot be sent to worker processes. Let it make its locks,
            connections and open files itself, when it is called.
        OSError: If a file cannot be read or written; ``path`` is a regular file, or none yet.
        RuntimeError: If all evaluations failed, past ones included, the search ended with a
            mistake, or another run writes to the file.
    """
    if n_jobs == -1:
        n_jobs = os.cpu_count() or 1
    if not isinstance(timeout, Real | None):
        raise ValueError(f"timeout is a number of seconds, or None, but got {timeout!r}.")
    deadline = math.inf if timeout is None else time.monotonic() + timeout
    with evaluator(function, n_jobs) as submit:
        from botorch_popbo._run import Run
        from botorch_popbo.search.suggest import Search
        from botorch_popbo.settings import Settings
        from botorch_popbo.space import at_least

        settings = (settings or Settings()).with_order_only(order_only)
        number = settings.search.num_initial if n_initial is None else n_initial
        search = Search(at_least(0, seed=seed), settings, at_least(1, n_initial=number))
        run = Run(space, n_trials, search, direction, start, path)
        try:
            with _bar(run, progress) as bar:
                run.evaluate(submit, n_jobs, deadline, bar, callback)
        except (KeyboardInterrupt, SystemExit) as end:
            kept = f"the same call goes on from {run.path}" if run.path else "nothing is kept"
            _logger.warning("interrupted after %s; %s", run.count, kept)
            if isinstance(end, SystemExit) or hasattr(sys, "ps1"):  # a session goes on
                raise
            raise _Interrupted(130) from None
    return run.result()


def _bar(run: "Run", progress: bool) -> Any:
    from tqdm.auto import tqdm  # type: ignore[import-untyped]

    if progress and run.num_ended:
        tqdm.write(f"{run.count} found in {run.path}", file=sys.stderr)
    numbers = {"total": run.n_trials, "initial": run.num_ended}
    # None: only on a terminal or in a notebook.
    return tqdm(**numbers, unit="trial", disable=None if progress else True)
