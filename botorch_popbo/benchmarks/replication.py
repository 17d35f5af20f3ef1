"""One replication: a method on a problem from a seed, trial by trial, each kept on disk."""

from collections.abc import Callable
from functools import partial

from filelock import FileLock

from botorch_popbo.benchmarks.limit import time_limit
from botorch_popbo.benchmarks.loop import Loop
from botorch_popbo.benchmarks.problems import PROBLEMS
from botorch_popbo.benchmarks.records import append_record, read_records, records_path, stuck_path
from botorch_popbo.benchmarks.settings import Campaign, Setting
from botorch_popbo.benchmarks.threads import one_thread


def replicate(
    campaign: Campaign,
    setting: Setting,
    go_on: Callable[[], bool] = lambda: True,
    *,
    may_end_process: bool = False,
) -> None:
    """Run the trials that a replication lacks.

    Recorded trials are reported to a fresh optimizer with their observations, so that the method
    sees what it saw in the process that recorded them. Two processes never run the same replication
    at the same time: the second waits and then finds the work of the first.

    Args:
        campaign: Says how many trials there are, and where files are.
        setting: The replication.
        go_on: Asked before each trial; the replication stops at the first no.
        may_end_process: Whether a method that cannot be interrupted may be ended together with this
            process; where it was is then in :func:`~.records.stuck_path`.

    Raises:
        LimitExceeded: If a call into the method takes longer than the campaign's limit.
        OutsideError: If the method suggests a point outside the search space.
        UsageError: If the problem needs a table that is not there.
        RecordError: If the recorded trials are damaged.
        ValueError: If an evaluation is not finite.
        Exception: Whatever the method or the evaluation raises.
    """
    path = records_path(campaign.output, setting)
    path.parent.mkdir(parents=True, exist_ok=True)
    problem = PROBLEMS[setting.problem].load(campaign.data)
    with FileLock(path.with_suffix(".lock")), one_thread():
        records = read_records(path, setting, repair=True)
        stuck = stuck_path(campaign.output, setting) if may_end_process else None
        loop = Loop(problem, setting, records, partial(time_limit, campaign.limit, stuck))
        for trial in range(len(records), campaign.num_trials(setting)):
            if not go_on():
                return
            append_record(path, setting, loop.step(trial))
