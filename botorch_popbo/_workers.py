"""Evaluate a function here or in worker processes, which load neither torch nor models."""

import pickle
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Future
from contextlib import contextmanager
from dataclasses import dataclass
from math import isfinite, nan
from typing import Any, SupportsIndex

# Workers of a killed process end themselves after so long without a trial.
_IDLE_SECONDS = 30

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
    the next evaluation starts new workers.

    Raises:
        ValueError: If the number of jobs is none.
        TypeError: If the function cannot be sent to worker processes.
    """
    if not isinstance(n_jobs, SupportsIndex) or n_jobs is True or n_jobs < 1:
        raise ValueError(f"n_jobs is a whole number of at least 1, or -1, but got {n_jobs!r}.")
    if n_jobs == 1:
        yield lambda parameters: _here(function, parameters)
        return
    pool = _Pool(function, n_jobs)
    try:
        yield pool.submit
    finally:
        pool.close()


def _here(function: Function, parameters: dict[str, Any]) -> "Future[Outcome]":
    future: Future[Outcome] = Future()
    future.set_result(evaluate(function, parameters))
    return future


class _Pool:
    """Worker processes of joblib; a lambda or a closure is sent by value."""

    def __init__(self, function: Function, n_jobs: int) -> None:
        from joblib.externals.loky.backend.reduction import dumps

        try:
            dumps(function)  # in the workers each evaluation would fail
        except (pickle.PicklingError, TypeError, AttributeError, RecursionError) as error:
            raise TypeError(
                f"The function cannot be sent to worker processes: {error}. Let it make its locks, "
                "connections and open files itself, when it is called."
            ) from error
        self._function, self._n_jobs = function, n_jobs
        self._executor = self._start()
        self._executor.submit(int)  # so that workers start at once

    def submit(self, parameters: dict[str, Any]) -> "Future[Outcome]":
        try:
            future: Future[Outcome] = self._executor.submit(evaluate, self._function, parameters)
        except BrokenExecutor:
            self.close()
            self._executor = self._start()
            future = self._executor.submit(evaluate, self._function, parameters)
        return future

    def close(self) -> None:
        self._executor.shutdown(wait=True, kill_workers=True)

    def _start(self) -> Any:
        from joblib.externals.loky import ProcessPoolExecutor

        return ProcessPoolExecutor(self._n_jobs, timeout=_IDLE_SECONDS)
