"""What a worker process does with one replication.

Ax writes to the terminal while it is imported, so it is imported here only once it is silenced.
"""

import os
import pickle
from typing import TYPE_CHECKING, Any

from botorch_popbo.benchmarks.errors import RecordError
from botorch_popbo.benchmarks.run._failure import Failure, describe
from botorch_popbo.benchmarks.run._limit import LimitExceeded
from botorch_popbo.benchmarks.run._quiet import quiet

if TYPE_CHECKING:
    from botorch_popbo.benchmarks.run.campaign import Campaign, Cell


def work(task: bytes, parent: int) -> Failure | None:
    """Run one replication and keep its error from the others.

    Args:
        task: The campaign and the replication, pickled.
        parent: The process that runs the campaign. If it was killed, the replication stops after
            the trial it is at: nobody waits for it, and a new campaign may want to go on with it.
            On Ray the cluster sees to that.

    Returns:
        The failure, or None.
    """
    with quiet():
        campaign, cell = pickle.loads(task)

        def go_on() -> bool:
            return campaign.backend == "ray" or parent in (os.getpid(), os.getppid())

        try:
            from botorch_popbo.benchmarks.run._replication import replicate

            replicate(campaign, cell, go_on, may_end_process=os.getpid() != parent)
        except (Exception, SystemExit, LimitExceeded) as error:
            # A method may raise anything, and the other replications are worth finishing.
            return describe(cell, next_trial(campaign, cell), error)
        finally:
            if not go_on():
                os._exit(1)
    return None


def next_trial(campaign: "Campaign[Any, Any]", cell: "Cell") -> int | None:
    """The trial that a replication lacks first; None if there is but one, or it is not known.

    Args:
        campaign: The campaign.
        cell: The replication.
    """
    try:
        return len(campaign.records(cell)) if campaign.num_records(cell) > 1 else None
    except (RecordError, OSError):
        return None
