"""Run the replications of a campaign that are not complete, side by side."""

import os
import sys

from joblib import Parallel, delayed
from joblib.externals.loky.process_executor import TerminatedWorkerError
from tqdm import tqdm  # type: ignore[import-untyped]

from botorch_popbo.benchmarks.progress import progress_bar
from botorch_popbo.benchmarks.records import read_records, records_path
from botorch_popbo.benchmarks.settings import Campaign, Setting
from botorch_popbo.benchmarks.worker import Failure, work


def run_campaign(campaign: Campaign) -> list[Failure]:
    """Run every trial that is not yet on disk.

    A progress bar and the failures, as they happen, go to the standard error.

    Args:
        campaign: The campaign; the tables its problems need have been found.

    Returns:
        The replications that failed. They keep the trials they had finished.

    Raises:
        RecordError: If recorded trials are damaged.
        OSError: If the output folder cannot be written.
    """
    (campaign.output / "records").mkdir(parents=True, exist_ok=True)
    settings = list(campaign.settings())
    missing = [setting for setting in settings if not is_complete(campaign, setting)]
    wanted = {records_path(campaign.output, s): campaign.num_trials(s) for s in settings}
    with progress_bar(wanted):
        return _run(campaign, missing)


def is_complete(campaign: Campaign, setting: Setting) -> bool:
    """Whether all trials of a replication are on disk.

    Args:
        campaign: Says how many trials there are, and where files are.
        setting: The replication.

    Returns:
        True if no trial is missing.

    Raises:
        RecordError: If the recorded trials are damaged.
    """
    records = read_records(records_path(campaign.output, setting), setting)
    return len(records) >= campaign.num_trials(setting)


def _run(campaign: Campaign, missing: list[Setting]) -> list[Failure]:
    failures = []
    # A replication takes minutes: handing out one at a time keeps all workers busy to the end.
    parallel = Parallel(
        n_jobs=campaign.jobs,
        batch_size=1,
        pre_dispatch="n_jobs",
        return_as="generator_unordered",
    )
    results = parallel(delayed(work)(campaign, setting, os.getpid()) for setting in missing)
    try:
        for failure in results:
            if failure is not None:
                tqdm.write(str(failure), file=sys.stderr)
                failures.append(failure)
    except TerminatedWorkerError:
        reason = "a worker process was killed, perhaps for want of memory"
        lost = [s for s in missing if not is_complete(campaign, s)]
        failures += [Failure(s, reason) for s in lost if s not in {f.setting for f in failures}]
    return failures
