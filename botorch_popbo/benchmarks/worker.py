"""What a worker process does with one replication.

Ax writes to the terminal while it is imported, so it is imported here only once it is silenced.
"""

import os
from dataclasses import dataclass

from botorch_popbo.benchmarks.quiet import quiet
from botorch_popbo.benchmarks.settings import Campaign, Setting


@dataclass(frozen=True)
class Failure:
    """A replication that ended with an error.

    Attributes:
        setting: The replication.
        reason: The error's type and message, on one line.
    """

    setting: Setting
    reason: str

    def __str__(self) -> str:
        s = self.setting
        return f"failed: {s.method} on {s.problem}, seed {s.seed}: {self.reason}"


def work(campaign: Campaign, setting: Setting, parent: int) -> Failure | None:
    """Run one replication and keep its error from the others.

    Args:
        campaign: The campaign.
        setting: The replication.
        parent: The process that runs the campaign. If it was killed, the replication stops after
            the trial it is at: nobody waits for it, and a new campaign may want to go on with it.

    Returns:
        The failure, or None.
    """
    with quiet():
        from botorch_popbo.benchmarks.replication import replicate

        try:
            replicate(campaign, setting, go_on=lambda: _is_alive(parent))
        except Exception as error:
            # A method may raise anything, and the other replications are worth finishing.
            reason = " ".join(str(error).split())
            return Failure(setting, f"{type(error).__name__}: {reason}")
        finally:
            if not _is_alive(parent):
                os._exit(1)
    return None


def _is_alive(parent: int) -> bool:
    return parent in (os.getpid(), os.getppid())
