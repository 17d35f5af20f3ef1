"""What is said about a replication that did not come to its end."""

from dataclasses import dataclass

from botorch_popbo._errors import UsageError
from botorch_popbo.benchmarks.run._limit import LimitExceeded
from botorch_popbo.benchmarks.settings import Cell


@dataclass(frozen=True)
class Failure:
    """A replication that ended with an error, and one line about it, perhaps that of others too."""

    cell: Cell
    text: str

    def __str__(self) -> str:
        return self.text


def failed(cell: Cell, trial: int | None, reason: str, advice: str) -> Failure:
    """A replication failed at a trial, if it is known which; the method may run another."""
    place = "" if trial is None else f", trial {trial}"
    return Failure(cell, f"failed: {cell}{place}: {reason} ({advice})")


def describe(cell: Cell, trial: int | None, error: BaseException) -> Failure:
    """Describe the error that ended a replication at a trial, if that is known."""
    text = " ".join(str(error).split())
    if isinstance(error, ImportError | UsageError):  # every seed fails alike
        advice = "mend that, or leave the method out"
        return Failure(cell, f"unavailable: {cell.method}: {text} ({advice})")
    if isinstance(error, LimitExceeded):
        return failed(cell, trial, text, "raise --limit or leave the method out")
    return failed(cell, trial, f"{type(error).__name__}: {text}", "the same command tries it again")
