"""What a worker process does: one replication, record by record, each kept on disk."""

import os
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from filelock import FileLock, Timeout
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from botorch_popbo._errors import UsageError
from botorch_popbo._reproducible import one_thread
from botorch_popbo.benchmarks.run.campaign import Campaign
from botorch_popbo.benchmarks.run.limit import LimitExceeded, time_limit
from botorch_popbo.benchmarks.run.quiet import quiet
from botorch_popbo.benchmarks.run.records import RecordError, append_record
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
        advice = "correct that, or leave the method out"
        return Failure(cell, f"unavailable: {cell.method}: {text} ({advice})")
    if isinstance(error, LimitExceeded):
        return failed(cell, trial, text, "raise --limit or leave the method out")
    return failed(cell, trial, f"{type(error).__name__}: {text}", "rerun the command to try again")


def work(task: bytes, parent: int, waits: bool) -> Failure | None:
    """Run one replication and keep its error from the others.

    The task, a campaign and a replication, is pickled: Ax writes to the terminal while it is
    imported, so that waits until it is silenced. If the parent, the process that runs the campaign,
    was killed, the replication stops after the trial it is at: nobody waits for it, and a new
    campaign may want to continue it. A replication that another process is at is left to it, or
    else waited for.
    """
    with quiet():
        campaign, cell = pickle.loads(task)

        def go_on() -> bool:
            return parent in (os.getpid(), os.getppid())

        try:
            replicate(campaign, cell, go_on, waits=waits, may_end_process=os.getpid() != parent)
        except Timeout:
            return None
        except (Exception, SystemExit, LimitExceeded) as error:
            # A method may raise anything, and the other replications are worth finishing.
            return describe(cell, next_trial(campaign, cell), error)
        finally:
            if not go_on():
                os._exit(1)
    return None


def replicate(
    campaign: Campaign[Any, Any],
    cell: Cell,
    go_on: Callable[[], bool] = lambda: True,
    *,
    waits: bool = True,
    may_end_process: bool = False,
) -> None:
    """Make the records that a replication lacks, until ``go_on`` says no.

    Two processes never run the same replication at the same time: the second waits and then finds
    the work of the first, or raises Timeout. A method that cannot be interrupted is ended together
    with this process if that is allowed.
    """
    path = campaign.path(cell)
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(path.with_suffix(".lock"), -1 if waits else 0)
    with lock, one_thread(), threadpool_limits(1):  # so that runs side by side are timed fairly
        records = campaign.records(cell, repair=True)
        limited = partial(time_limit, campaign.limit, may_end_process)
        new = campaign.evaluate(cell, records, limited)
        for _ in range(campaign.num_records(cell) - len(records)):
            if not go_on():
                return
            append_record(path, cell, next(new))


def next_trial(campaign: Campaign[Any, Any], cell: Cell) -> int | None:
    """The trial that a replication lacks first; None if there is but one, or it is not known."""
    try:
        return len(campaign.records(cell)) if campaign.num_records(cell) > 1 else None
    except (RecordError, OSError):
        return None
