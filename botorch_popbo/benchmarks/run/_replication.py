"""One replication, record by record, each kept on disk."""

from collections.abc import Callable
from functools import partial
from typing import Any

from filelock import FileLock

from botorch_popbo.benchmarks.run._limit import time_limit
from botorch_popbo.benchmarks.run._records import append_record
from botorch_popbo.benchmarks.run._threads import one_thread
from botorch_popbo.benchmarks.run.campaign import Campaign, Cell


def replicate(
    campaign: Campaign[Any, Any],
    cell: Cell,
    go_on: Callable[[], bool] = lambda: True,
    *,
    may_end_process: bool = False,
) -> None:
    """Make the records that a replication lacks.

    Two processes never run the same replication at the same time: the second waits and then finds
    the work of the first.

    Args:
        campaign: Says how many records there are, and where files are.
        cell: The replication.
        go_on: Asked before each record; the replication stops at the first no.
        may_end_process: Whether a method that cannot be interrupted may be ended together with this
            process; where it was is then in the replication's file ".stuck".

    Raises:
        LimitExceeded: If a call into the method takes longer than the campaign's limit.
        RecordError: If the records are damaged.
        Exception: Whatever the evaluation raises.
    """
    path = campaign.path(cell)
    path.parent.mkdir(parents=True, exist_ok=True)
    stuck = campaign.path(cell, ".stuck") if may_end_process else None
    with FileLock(path.with_suffix(".lock")), one_thread():
        records = campaign.records(cell, repair=True)
        missing = campaign.num_records(cell) - len(records)
        new = campaign.evaluate(cell, records, partial(time_limit, campaign.limit, stuck))
        for _ in range(missing):
            if not go_on():
                return
            append_record(path, cell, next(new))
