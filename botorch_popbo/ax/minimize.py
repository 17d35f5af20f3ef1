"""One function for those who want no framework; Ax works behind it."""

import inspect
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ax.api.client import Client
from ax.api.types import TParameterization
from ax.exceptions.core import UserInputError

from botorch_popbo.ax._checks import check_given_whole
from botorch_popbo.ax._minimization import evaluate_trials
from botorch_popbo.ax._progress import num_points
from botorch_popbo.ax.minimum import OWN_COLUMNS, VALUE, Minimum
from botorch_popbo.ax.running.snapshots import load_client
from botorch_popbo.ax.space import Space, parameter_configs
from botorch_popbo.ax.strategy import popbo_generation_strategy


def minimize(
    function: Callable[..., float],
    space: Space,
    n_trials: int,
    *,
    n_initial: int = 8,
    seed: int = 0,
    n_jobs: int = 1,
    path: str | os.PathLike[str] | None = None,
    progress: bool = True,
) -> Minimum:
    """Minimize a function of named parameters, by the order of its values.

    An exception in the function, or a value that is no finite number, is a failed trial: it counts,
    is logged, and ranks below every success. The traceback of the first is logged, too. To
    maximize, return the negated value.

    Args:
        function: Takes the parameters by name and returns a number, or a pair of it and its
            standard error.
        space: What each parameter may be, by its name, such as ``{"rate": (1e-4, 1.0, "log"),
            "layers": (1, 5), "kernel": ["rbf", "poly"]}``; see
            :func:`~botorch_popbo.ax.space.parameter_configs`.
        n_trials: Number of evaluations, those in the file and the failed ones included. There are
            fewer if the space has fewer points.
        n_initial: Number of successful evaluations of quasi-random points before the model's.
        seed: The same seed and values give the same points, one evaluation at a time.
        n_jobs: Number of evaluations at the same time, in worker processes; -1 for one a core.
        path: A JSON file that is written after every evaluation, and from which the same call goes
            on. What was being evaluated is evaluated again, so that an interruption changes no
            result. That the function is the same is up to you.
        progress: Whether there is a progress bar, on a terminal or in a notebook.

    Returns:
        The best points, by the model and as observed, and all others.

    Raises:
        UserInputError: If an argument is not valid, or the file is of a run with another space,
            seed or design.
        OSError: If the file cannot be read or written.
        RuntimeError: If all evaluations failed.
    """
    check_given_whole("n_trials", n_trials, 1)
    n_initial = check_given_whole("n_initial", n_initial, 2)
    seed = check_given_whole("seed", seed, 0)
    if n_jobs != -1:
        check_given_whole("n_jobs", n_jobs, 1)
    configs = parameter_configs(space)
    _check_names(function, [config.name for config in configs])
    asked = Client()
    settings = json.dumps({"n_initial": n_initial, "seed": seed})
    asked.configure_experiment(configs, name="minimize", description=settings)
    if path is not None and Path(path).exists():
        client = _resume(path, asked)
    else:
        client = asked
        client.configure_optimization(objective=f"-{VALUE}")
        client.set_generation_strategy(popbo_generation_strategy(None, n_initial, seed))

    def evaluate(parameters: TParameterization) -> dict[str, float]:
        return {VALUE: function(**parameters)}

    n_trials = int(min(n_trials, num_points(asked._experiment.search_space)))
    evaluate_trials(client, evaluate, n_trials, n_jobs, path, progress)
    return Minimum(client)


def _check_names(function: Callable[..., float], names: list[str]) -> None:
    if not callable(function):
        raise UserInputError(f"The function is called, but {function!r} cannot be.")
    for name in set(names).intersection(OWN_COLUMNS):
        raise UserInputError(f"A parameter is called {name!r}, as a column of the history is.")
    try:
        inspect.signature(function).bind(**dict.fromkeys(names))
    except TypeError as error:
        raise UserInputError(
            f"The function cannot be called with the parameters {', '.join(names)}: {error}."
        ) from None
    except ValueError:  # of some functions that are not written in Python nothing is known
        pass


def _resume(path: str | os.PathLike[str], asked: Client) -> Client:
    client = load_client(path)
    try:
        found = _settings(client)
    except (ValueError, KeyError, TypeError):
        raise UserInputError(
            f"{os.fspath(path)!r} was not written by minimize. Give another path."
        ) from None
    differences = [
        f"{key} {found[key]!r}, not {value!r}"
        for key, value in _settings(asked).items()
        # To Ax numbers are equal that differ by 1e-8, as learning rates do.
        if found[key] != value or repr(found[key]) != repr(value)
    ]
    if differences:
        raise UserInputError(
            f"{os.fspath(path)!r} is of a run with another {'; another '.join(differences)}. Give "
            "the same arguments to go on with it, or another path to begin anew."
        )
    return client


def _settings(client: Client) -> dict[str, Any]:
    """What calls must agree in; the space as Ax has it, to which 1 is not 1.0."""
    experiment = client._experiment
    said = json.loads(experiment.description or "")
    parameters = experiment.search_space.parameters
    space = [parameters[name] for name in sorted(parameters)]
    return {"space": space, "n_initial": said["n_initial"], "seed": said["seed"]}
