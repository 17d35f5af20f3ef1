"""Run the replications of a campaign that are not complete, side by side."""

from botorch_popbo.benchmarks.execution import execute, is_complete
from botorch_popbo.benchmarks.failure import Failure
from botorch_popbo.benchmarks.progress import progress_bar
from botorch_popbo.benchmarks.records import records_path
from botorch_popbo.benchmarks.settings import Campaign


def run_campaign(campaign: Campaign) -> list[Failure]:
    """Run every trial that is not yet on disk.

    A progress bar and the failures, as they happen, go to the standard error.

    Args:
        campaign: The campaign; the tables its problems need have been found.

    Returns:
        The replications that failed. They keep the trials they had finished.

    Raises:
        UsageError: If the backend is not installed.
        RecordError: If recorded trials are damaged.
        OSError: If the output folder cannot be written.
    """
    (campaign.output / "records").mkdir(parents=True, exist_ok=True)
    settings = list(campaign.settings())
    missing = [setting for setting in settings if not is_complete(campaign, setting)]
    wanted = {records_path(campaign.output, s): campaign.num_trials(s) for s in settings}
    with progress_bar(wanted):
        return execute(campaign, missing)
