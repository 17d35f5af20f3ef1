"""Evaluate a function here or in worker processes, which load neither torch nor models."""

import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from math import isfinite, nan
from typing import Any, SupportsIndex

Function = Callable[..., Any]
Submit = Callable[[dict[str, Any]], "Future[Outcome]"]


@dataclass(frozen=True)
class Outcome:
    """What an evaluation gave.

    Attributes:
        value: The number; NaN of a failure.
        standard_error: Its standard error; NaN if unknown.
        reason: Why it failed; empty otherwise.
        trace: Where it failed.
    """

    value: float = nan
    standard_error: float = nan
    reason: str = ""
    trace: str = ""


def evaluate(function: Function, parameters: dict[str, Any]) -> Outcome:
    """Call a function; an exception or a value that is no finite number is a failure."""
    try:
        said = function(**parameters)
        value, error = said if isinstance(said, tuple) and len(said) == 2 else (said, None)
        number, deviation = _number(value), nan if error is None else _number(error)
        if number is None or not isfinite(number):
            raise ValueError(f"the value is no finite number: {value!r}")
        if deviation is None or deviation < 0.0:
            raise ValueError(f"the standard error is no number of at least zero: {error!r}")
        return Outcome(number, deviation)
    except Exception as error:
        return Outcome(reason=f"{type(error).__name__}: {error}", trace=traceback.format_exc())


def _number(value: Any) -> float | None:
    if isinstance(value, int | float):
        return float(value)
    from botorch_popbo._plain import as_float  # with NumPy, which most workers need not load

    return as_float(value)


@contextmanager
def evaluator(function: Function, n_jobs: int) -> Iterator[Submit]:
    """Evaluate here if there is one job, or in so many processes, which end with the context.

    When a worker dies, all that is evaluated ends with :class:`concurrent.futures.BrokenExecutor`;
    the next evaluation starts new workers. A lambda or a closure is sent by value.

    Raises:
        ValueError: If the number of jobs is none.
    """
    if not isinstance(n_jobs, SupportsIndex) or n_jobs is True or n_jobs < 1:
        raise ValueError(f"n_jobs is a whole number of at least 1, or -1, but got {n_jobs!r}.")
    if n_jobs == 1:
        yield lambda parameters: _here(function, parameters)
        return
    from joblib.externals.loky import get_reusable_executor

    # Workers of a killed process end themselves after so many seconds without a trial.
    pool = partial(get_reusable_executor, n_jobs, timeout=30)
    pool().submit(int)  # so that workers start at once
    try:
        yield lambda parameters: pool().submit(evaluate, function, parameters)
    finally:
        pool().shutdown(wait=True, kill_workers=True)


def _here(function: Function, parameters: dict[str, Any]) -> "Future[Outcome]":
    future: Future[Outcome] = Future()
    future.set_result(evaluate(function, parameters))
    return future
