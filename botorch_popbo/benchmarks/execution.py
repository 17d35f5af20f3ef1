"""Hand replications to workers, and once more if a worker dies."""

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator

from joblib import Parallel, delayed
from tqdm.auto import tqdm  # type: ignore[import-untyped]

from botorch_popbo.benchmarks.backends import workers
from botorch_popbo.benchmarks.failure import Failure
from botorch_popbo.benchmarks.records import read_records, records_path, stuck_path
from botorch_popbo.benchmarks.settings import Campaign, Setting
from botorch_popbo.benchmarks.worker import work

_MAX_DEATHS = 3


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


def execute(campaign: Campaign, missing: list[Setting]) -> list[Failure]:
    """Run replications side by side.

    A replication whose worker died goes on in a new one. It is not known which of those that ran
    side by side is the cause, so one that has met two deaths goes on alone, and if its worker dies
    again, it is given up.

    Args:
        campaign: The campaign.
        missing: The replications.

    Returns:
        Those that failed.

    Raises:
        UsageError: If the backend is not installed.
        RecordError: If recorded trials are damaged.
    """
    with workers(campaign) as deaths:
        execution = _Execution(campaign)
        while missing:
            suspects = [s for s in missing if execution.deaths[s] == _MAX_DEATHS - 1]
            batch = suspects[:1] or missing
            try:
                execution.run(batch)
                missing = [setting for setting in missing if setting not in batch]
            except deaths:
                execution.mourn()
                missing = [setting for setting in missing if execution.is_open(setting)]
    return execution.failures


class _Execution:
    def __init__(self, campaign: Campaign) -> None:
        self.campaign = campaign
        self.failures: list[Failure] = []
        self.deaths: Counter[Setting] = Counter()
        self.started: list[Setting] = []

    def run(self, batch: list[Setting]) -> None:
        """Run replications to their end, or until a worker dies."""
        self.started = []
        # A replication takes minutes: handing out one at a time keeps all workers busy to the end.
        parallel = Parallel(
            n_jobs=self.campaign.jobs,
            batch_size=1,
            pre_dispatch="n_jobs",
            return_as="list" if self.campaign.backend == "ray" else "generator_unordered",
        )
        for failure in parallel(self._tasks(batch)):
            if failure is not None:
                self.add(failure)

    def mourn(self) -> None:
        """Find what ran when a worker died, and give up what is to be given up."""
        tqdm.write("a worker process was killed; going on with new ones", file=sys.stderr)
        for setting in filter(self.is_open, self.started):
            self.deaths[setting] += 1
            path = stuck_path(self.campaign.output, setting)
            if path.exists() and path.stat().st_size:
                reason = f"native code did not return within --limit; where it was: {path}"
                self.add(Failure(setting, reason, self._trial(setting), "leave the method out"))
                continue
            path.unlink(missing_ok=True)
            if self.deaths[setting] == _MAX_DEATHS:
                reason = f"its worker process died {_MAX_DEATHS} times, the last time alone"
                advice = "give it more memory, or leave the method out"
                self.add(Failure(setting, reason, self._trial(setting), advice))

    def is_open(self, setting: Setting) -> bool:
        """Whether a replication has neither failed nor come to its end."""
        failed = any(failure.setting == setting for failure in self.failures)
        return not failed and not is_complete(self.campaign, setting)

    def add(self, failure: Failure) -> None:
        """Note a failure, and tell it if nothing like it has been told."""
        if not any(failure.is_like(known) for known in self.failures):
            tqdm.write(str(failure), file=sys.stderr)
        self.failures.append(failure)

    def _trial(self, setting: Setting) -> int:
        return len(read_records(records_path(self.campaign.output, setting), setting))

    def _tasks(
        self, batch: list[Setting]
    ) -> Iterator[tuple[Callable[..., object], object, object]]:
        for setting in batch:
            self.started.append(setting)
            yield delayed(work)(self.campaign, setting, os.getpid())
