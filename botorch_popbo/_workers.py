"""Evaluate a function here or in worker processes, which load neither torch nor models."""

import pickle
import traceback
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from functools import partial
from math import isfinite, nan
from signal import SIG_IGN, SIGINT, signal
from typing import Any, NamedTuple, SupportsIndex

from botorch_popbo._evaluation import Evaluation

Function = Callable[..., Any]
Submit = Callable[[dict[str, Any]], "Future[Ended]"]


class Ended(NamedTuple):
    """An evaluation that has ended.

    Attributes:
        evaluation: The evaluation.
        trace: Where it failed.
        is_mistake: Whether the function, or how it is called, is to blame, whatever the parameters.
        is_pair: Whether the standard error was the second entry of a tuple, without a name.
    """

    evaluation: Evaluation
    trace: str = ""
    is_mistake: bool = False
    is_pair: bool = False


# What no parameters cause.
_MISTAKES = (AttributeError, ImportError, NameError, SyntaxError)


def evaluate(function: Function, parameters: dict[str, Any]) -> Ended:
    """Call a function; an exception or a value that is no finite number is a failure."""
    number: float | None = nan
    try:
        returned = function(**parameters)
        is_pair = isinstance(returned, tuple) and len(returned) == 2
        if isinstance(returned, Mapping) and returned.keys() == {"value", "standard_error"}:
            value, error = returned["value"], returned["standard_error"]
        else:
            value, error = returned if is_pair else (returned, None)
        number, deviation = _number(value), nan if error is None else _number(error)
        if number is None or not isfinite(number):
            raise ValueError(f"the value is no finite number: {value!r}")
        if deviation is None or deviation < 0.0 or deviation > 1e154:  # its square is a number
            raise ValueError(f"the standard error is no number from 0 to 1e154: {error!r}")
        return Ended(Evaluation(parameters, "completed", number, deviation), is_pair=is_pair)
    except Exception as error:
        # A TypeError of the call itself has no deeper frame.
        is_call = isinstance(error, TypeError) and error.__traceback__.tb_next is None  # type: ignore[union-attr]
        is_mistake = number is None or is_call or isinstance(error, _MISTAKES)
        failed = Evaluation(parameters, "failed", reason=f"{type(error).__name__}: {error}")
        return Ended(failed, traceback.format_exc(), is_mistake)


def _number(value: Any) -> float | None:
    if isinstance(value, int | float):
        return float(value)
    from botorch_popbo._plain import as_float  # with NumPy, which most workers need not load

    return as_float(value)


@contextmanager
def evaluator(function: Function, n_jobs: int) -> Iterator[Submit]:
    """Evaluate here if there is one job, or in so many processes, which end with the context.

    When a worker dies, all that is evaluated ends with :class:`concurrent.futures.BrokenExecutor`;
    the next evaluation starts new workers. A lambda or a closure is sent by value. What a worker
    raises where it cannot load the function is raised at the first evaluation.

    Raises:
        ValueError: If the number of jobs is no whole number of at least 1.
        PicklingError: If the function cannot be sent to a process.
    """
    if not isinstance(n_jobs, SupportsIndex) or n_jobs is True or n_jobs < 1:
        raise ValueError(f"n_jobs is a whole number of at least 1, or -1, but got {n_jobs!r}.")
    if n_jobs == 1:
        yield lambda parameters: _here(function, parameters)
        return
    from loky import get_reusable_executor
    from loky.backend.reduction import dumps

    try:
        content = bytes(dumps(function))
    except Exception as error:  # of any type, as it is what the user's objects say
        raise pickle.PicklingError(
            f"The function cannot be sent to worker processes: {error}. Let it make its locks, "
            "connections and open files itself."
        ) from error
    # Workers of a killed process end themselves after so many seconds without a trial. Ctrl-C is
    # for this process, which kills them.
    deaf = (SIGINT, SIG_IGN)
    pool = partial(get_reusable_executor, n_jobs, timeout=30, initializer=signal, initargs=deaf)
    loaded = pool().submit(_load, content)  # so that workers start at once

    def submit(parameters: dict[str, Any]) -> "Future[Ended]":
        try:
            loaded.result()
        except Exception as error:
            error.add_note("Workers import the function: let its module be one that they find.")
            raise
        return pool().submit(evaluate, function, parameters)

    try:
        yield submit
    finally:
        pool().shutdown(wait=True, kill_workers=True)


def _load(content: bytes) -> None:
    pickle.loads(content)


def _here(function: Function, parameters: dict[str, Any]) -> "Future[Ended]":
    future: Future[Ended] = Future()
    future.set_result(evaluate(function, parameters))
    return future
