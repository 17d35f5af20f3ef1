"""Evaluate a function here or in worker processes, which load neither torch nor models."""

import pickle
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from inspect import isawaitable, isgenerator
from math import isfinite, isnan, nan
from signal import SIG_DFL, SIG_IGN, SIGINT, SIGTERM, getsignal, signal
from threading import current_thread, main_thread
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, SupportsIndex

from botorch_popbo._parts import Parts, Rivals
from botorch_popbo._plain import Value, as_float, is_standard_error

if TYPE_CHECKING:
    import pandas as pd

    from botorch_popbo.search.outlook import Outlook
    from botorch_popbo.space import Space

Direction = Literal["minimize", "maximize"]
Function = Callable[..., Value]
Parameters = dict[str, Value]


@dataclass(frozen=True)
class Evaluation:
    """An evaluation of the function.

    Attributes:
        parameters: What the function was called with.
        status: "completed", "failed", or "stopped" after some parts; in the file also "running".
        value: What it returned; NaN if there is nothing.
        standard_error: The standard error that it returned with the value; NaN if there is none.
        reason: The error of a failed one.
        is_past: Whether it is one of ``start``, which was not evaluated here.
        parts: What a generator yielded, in order.
        why: The reason why it was suggested, in words; empty if it came from ``start``.
    """

    parameters: Parameters
    status: str = "running"
    value: float = nan
    standard_error: float = nan
    reason: str = ""
    is_past: bool = False
    parts: Sequence[float] = field(default=(), repr=False)  # of which a file has a digest
    why: str = field(default="", repr=False, compare=False)

    def __str__(self) -> str:
        outcome = f"{self.value:.6g}" if self.status == "completed" else self.reason or self.status
        if self.status == "stopped":
            outcome = f"stopped after {len(self.parts)} parts"
        values = ", ".join(
            f"{name} = {value:.6g}" if isinstance(value, float) else f"{name} = {value}"
            for name, value in self.parameters.items()
        )
        return f"{outcome} at {values}"

    def to_row(self) -> dict[str, object]:
        """What was tried and what came out, side by side."""
        names = "value", "standard_error", "status"
        return row_of(self.parameters, {name: getattr(self, name) for name in names})

    def to_json(self) -> dict[str, object]:
        """How it is written in a file: ``None`` stands for NaN, which is not JSON."""
        is_nan = {name for name in ("value", "standard_error") if isnan(getattr(self, name))}
        row = asdict(self) | dict.fromkeys(is_nan)
        late = {"parts": [*row.pop("parts")], "why": row.pop("why")}
        return row | {name: x for name, x in late.items() if x}  # which most lack


def row_of(named: Mapping[str, object], ours: Mapping[str, object]) -> dict[str, object]:
    """What the user has named, and columns of ours beside it, unless one has the same name."""
    return {**named, **ours, **named}


@dataclass(frozen=True)
class Watch:
    """Whether to continue an evaluation that comes in parts.

    Attributes:
        rivals: The whole evaluations.
        sign: 1 where larger values are better, -1 where smaller are.
        is_resumable: Whether the function takes the number of parts that it need not repeat.
        keep: Called with all parts after each one.
    """

    rivals: Rivals
    sign: float
    is_resumable: bool = False
    keep: Callable[[Sequence[float]], object] = tuple

    def stops(self, parts: Sequence[float]) -> bool:
        """Whether to end after these parts."""
        self.keep(parts)
        return self.rivals.worth(named(parts, self.sign)) < 1.0


def named(parts: Sequence[float], sign: float) -> Parts:
    """Parts by their places, larger being better."""
    return {place: [sign * part] for place, part in enumerate(parts)}


Submit = Callable[[Evaluation, Watch], "Future[Ended]"]
_SEVERAL = " (for several objectives, use Optimizer)"
_WHOLE = Watch(Rivals("mean", (), ()), 1.0)


@dataclass(frozen=True)
class Result:
    """What :func:`minimize` found; ``print`` shows it in three lines.

    For plots there are :func:`~botorch_popbo.optuna.plot_result`, and those of Optuna, which take
    :func:`~botorch_popbo.optuna.study_of` the result.

    Attributes:
        best: The evaluation whose parameters to use: the best value that the model believes. It
            lies in the space, as does the next one.
        best_observed: The evaluation with the best value, which may be an outlier.
        history: All evaluations that have ended, in order, past ones first.
        direction: "minimize" or "maximize".
        inferred: How the model understood the values, in words; empty if there was no model.
        space: The space.
        outlook: A function that says whether to continue: the chance that some point of the space
            is better than the best one by a margin, by default a hundredth of the distance between
            the best value and the median one of the design; NaN before the end of the design. Where
            the order alone counts, any margin above zero is half a place.
    """

    best: Evaluation
    best_observed: Evaluation
    history: list[Evaluation]
    direction: Direction
    inferred: str
    space: "Space" = field(repr=False, compare=False)
    outlook: "Callable[..., Outlook]" = field(repr=False, compare=False)

    def __str__(self) -> str:
        number = Counter(evaluation.status for evaluation in self.history)
        statuses = ", ".join(f"{count} {status}" for status, count in number.items())
        return (
            f"{len(self.history)} evaluations: {statuses}\n"
            f"best           {self.best}\n"
            f"best observed  {self.best_observed}"
        )

    def to_frame(self) -> "pd.DataFrame":
        """A row for each evaluation of the history, which may be the ``start`` of another search.

        Raises:
            ImportError: If pandas is not installed.
        """
        import pandas as pd

        return pd.DataFrame([evaluation.to_row() for evaluation in self.history])


class Ended(NamedTuple):
    """An evaluation that has ended.

    Attributes:
        evaluation: The evaluation.
        trace: Where it failed.
        is_mistake: Whether the function is to blame, whatever the parameters.
        is_pair: Whether the standard error was the second entry of a tuple, without a name.
    """

    evaluation: Evaluation
    trace: str = ""
    is_mistake: bool = False
    is_pair: bool = False


class NotANumberError(ValueError):
    """What a function returns or yields has a wrong type."""


# What no parameters cause.
_MISTAKES = (AttributeError, ImportError, NameError, NotANumberError, SyntaxError)


def evaluate(function: Function, begun: Evaluation, watch: Watch = _WHOLE) -> Ended:
    """Call a function; an exception or a value that is not a finite number is a failure.

    Args:
        function: The function. A generator is ended where the rest is not worth its cost.
        begun: What it is called with, and the parts that it need not repeat.
        watch: What tells whether the rest is worth its cost; by default it is.

    Returns:
        What became of it.
    """
    parameters, parts = begun.parameters, [*begun.parts]
    try:
        taken_up = {"done": len(parts)} if watch.is_resumable else {}
        returned: Value = function(**parameters, **taken_up)
        if isgenerator(returned):
            returned = _evaluate_parts(returned, parts, watch)
            if returned is None:
                return Ended(replace(begun, status="stopped", parts=tuple(parts)))
        ended = replace(begun, status="completed", parts=tuple(parts), **read_outcome(returned))
        return Ended(ended, is_pair=isinstance(returned, tuple))
    except Exception as error:
        # Its own text may fail, too.
        reason = f"{type(error).__name__}: {traceback.TracebackException.from_exception(error)}"
        failed = replace(begun, status="failed", reason=reason, parts=tuple(parts))
        return Ended(failed, traceback.format_exc(), isinstance(error, _MISTAKES))


def read_outcome(returned: Value) -> dict[str, Any]:
    """What a function returned, as an :class:`Evaluation` has it: a value and a standard error.

    Args:
        returned: A number, a dictionary of both, or a tuple of both.

    Raises:
        ValueError: If the value is not finite, or the error is none.
        NotANumberError: If one of them is not even a number.
    """
    if isinstance(returned, Mapping) and {"value"} <= {*returned} <= {"value", "standard_error"}:
        value, error = returned["value"], returned.get("standard_error")
    else:
        is_pair = isinstance(returned, tuple) and len(returned) == 2
        value, error = returned if is_pair else (returned, None)
    hint = " (is a return missing?)" if value is None else ""
    hint += _SEVERAL if isinstance(value, Mapping) else ""
    hint += " (call async functions by asyncio.run)" if isawaitable(value) else ""
    number = _finite(value, "the value", hint)
    deviation = nan if error is None else as_float(error)
    if not is_standard_error(deviation):
        kind = NotANumberError if deviation is None else ValueError
        raise kind(f"the standard error is not a number from 0 to 1e154: {error!r}{_SEVERAL}")
    return {"value": number, "standard_error": deviation}


def _finite(value: Value, name: str, hint: str = "") -> float:
    """A finite number, or ValueError; NotANumberError if a value cannot be one."""
    number = as_float(value)
    if number is not None and isfinite(number):
        return number
    kind = NotANumberError if number is None else ValueError
    raise kind(f"{name} is not a finite number: {value!r}{hint}")


def _evaluate_parts(
    generator: Generator[Value, Any, Value], parts: list[float], watch: Watch
) -> Value:
    """The value of a whole evaluation; ``None`` where it is ended before.

    Args:
        generator: Yields the parts and may return the value.
        parts: Those that there are, to which the others are added.
        watch: What tells whether the rest is worth its cost.

    Raises:
        ValueError: If a part is not a finite number.
        NotANumberError: If it is none at all, or there is no part.
    """
    with closing(generator):
        while True:
            try:
                part = next(generator)
            except StopIteration as end:
                if not parts:
                    raise NotANumberError("the function yielded nothing") from None
                whole = watch.rivals.of([[part] for part in parts]).item()
                return whole if end.value is None else end.value
            parts.append(_finite(part, f"part {len(parts) + 1}"))
            if watch.stops(parts):
                return None


@contextmanager
def evaluator(function: Function, n_jobs: int) -> Iterator[Submit]:
    """Evaluate here if there is one job, or in so many processes, which end with the context.

    When a worker dies, all that is evaluated ends with :class:`concurrent.futures.BrokenExecutor`;
    the next evaluation starts new workers. A lambda or a closure is sent by value. What a worker
    raises where it cannot load the function is the exception of its future.

    Raises:
        ValueError: If the number of jobs is not a whole number of at least 1.
        PicklingError: If the function cannot be sent to a process.
    """
    if not isinstance(n_jobs, SupportsIndex) or n_jobs is True or n_jobs < 1:
        raise ValueError(f"n_jobs must be a whole number of at least 1, or -1, not {n_jobs!r}.")
    if n_jobs == 1:

        def submit_here(begun: Evaluation, watch: Watch) -> Future[Ended]:
            future: Future[Ended] = Future()
            future.set_result(evaluate(function, begun, watch))
            return future

        yield submit_here
        return
    from loky import get_reusable_executor
    from loky.backend.reduction import dumps

    try:
        content = bytes(dumps(function))
    except Exception as error:  # of any type, as it is what the user's objects say
        raise pickle.PicklingError(
            f"The function cannot be sent to worker processes: {error}. Make its locks, "
            "connections and open files inside it."
        ) from error
    # Workers of a killed process end themselves after so many seconds without a trial. Ctrl-C is
    # for this process, which kills them.
    deaf = (SIGINT, SIG_IGN)
    pool = partial(get_reusable_executor, n_jobs, timeout=30, initializer=signal, initargs=deaf)
    try:
        yield lambda *task: pool().submit(_evaluate_copy, content, *task)
    finally:
        pool().shutdown(wait=True, kill_workers=True)


@contextmanager
def ended_by_sigterm() -> Iterator[None]:
    """Let SIGTERM end what runs as Ctrl-C does, unless the program handles it."""
    if current_thread() is not main_thread() or getsignal(SIGTERM) is not SIG_DFL:
        yield
        return
    signal(SIGTERM, lambda *_: sys.exit(128 + SIGTERM))
    try:
        yield
    finally:
        signal(SIGTERM, SIG_DFL)


def _evaluate_copy(content: bytes, begun: Evaluation, watch: Watch) -> Ended:
    try:
        function = pickle.loads(content)
    except Exception as error:
        error.add_note("Workers import the function, so they have to find its module.")
        raise
    return evaluate(function, begun, watch)
