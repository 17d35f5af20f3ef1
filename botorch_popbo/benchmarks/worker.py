"""What a worker process does with one replication.

Ax writes to the terminal while it is imported, so it is imported here only once it is silenced.
"""

import os

from botorch_popbo.benchmarks.errors import RecordError
from botorch_popbo.benchmarks.failure import Failure, describe
from botorch_popbo.benchmarks.limit import LimitExceeded
from botorch_popbo.benchmarks.quiet import quiet
from botorch_popbo.benchmarks.records import read_records, records_path
from botorch_popbo.benchmarks.settings import Campaign, Setting


def work(campaign: Campaign, setting: Setting, parent: int) -> Failure | None:
    """Run one replication and keep its error from the others.

    Args:
        campaign: The campaign.
        setting: The replication.
        parent: The process that runs the campaign. If it was killed, the replication stops after
            the trial it is at: nobody waits for it, and a new campaign may want to go on with it.
            On Ray the cluster sees to that.

    Returns:
        The failure, or None.
    """

    def go_on() -> bool:
        return campaign.backend == "ray" or parent in (os.getpid(), os.getppid())

    with quiet():
        try:
            from botorch_popbo.benchmarks.replication import replicate

            replicate(campaign, setting, go_on, may_end_process=os.getpid() != parent)
        except (Exception, SystemExit, LimitExceeded) as error:
            # A method may raise anything, and the other replications are worth finishing.
            return describe(setting, _next_trial(campaign, setting), error)
        finally:
            if not go_on():
                os._exit(1)
    return None


def _next_trial(campaign: Campaign, setting: Setting) -> int | None:
    try:
        return len(read_records(records_path(campaign.output, setting), setting))
    except (RecordError, OSError):
        return None
