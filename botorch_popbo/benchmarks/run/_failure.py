"""What is said about a replication that did not come to its end."""

from collections.abc import Sequence
from dataclasses import dataclass

from botorch_popbo.benchmarks.errors import UsageError
from botorch_popbo.benchmarks.run._limit import LimitExceeded
from botorch_popbo.benchmarks.settings import Cell


@dataclass(frozen=True)
class Failure:
    """A replication that ended with an error, of which the reason tells type and message.

    The trial is the one that is lacking, if it is known. A method is unavailable if it cannot run
    at all, so that every seed fails alike.
    """

    cell: Cell
    reason: str
    trial: int | None = None
    advice: str = ""
    unavailable: bool = False

    def __str__(self) -> str:
        if self.unavailable:
            return self.unavailable_on(self.cell.task)
        trial = "" if self.trial is None else f", trial {self.trial}"
        return f"failed: {self.cell}{trial}: {self.why}"

    def unavailable_on(self, tasks: str) -> str:
        """One line for all tasks on which the method is unavailable for the same reason."""
        return f"unavailable: {self.cell.method} on {tasks}: {self.why}"

    @property
    def why(self) -> str:
        """The reason, and what can be done."""
        return f"{self.reason} ({self.advice})" if self.advice else self.reason

    def is_like(self, other: "Failure") -> bool:
        """Whether another failure says nothing new but perhaps a task."""
        same_method = self.cell.method == other.cell.method
        return self.unavailable and other.unavailable and same_method and self.why == other.why


def describe(cell: Cell, trial: int | None, error: BaseException) -> Failure:
    """Describe the error that ended a replication at a trial, if that is known."""
    text = " ".join(str(error).split())
    if isinstance(error, ImportError | UsageError):
        return Failure(cell, text, None, "mend that, or leave the method out", unavailable=True)
    if isinstance(error, LimitExceeded):
        return Failure(cell, text, trial, "raise --limit or leave the method out")
    reason = f"{type(error).__name__}: {text}"
    return Failure(cell, reason, trial, "the same command tries it again")


def texts(failures: Sequence[Failure]) -> list[str]:
    """One line for each failure, or for each method that is unavailable for the same reason."""
    found: list[str] = []
    for failure in failures:
        alike = ", ".join(dict.fromkeys(f.cell.task for f in failures if failure.is_like(f)))
        found.append(failure.unavailable_on(alike) if alike else str(failure))
    return list(dict.fromkeys(found))
