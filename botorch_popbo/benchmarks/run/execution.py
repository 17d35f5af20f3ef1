"""Hand replications to workers, and once more if a worker dies."""

import os
import pickle
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor
from typing import Any

from joblib import Parallel, delayed
from tqdm.auto import tqdm  # type: ignore[import-untyped]

from botorch_popbo.benchmarks.run._failure import Failure, failed
from botorch_popbo.benchmarks.run._progress import progress_bar
from botorch_popbo.benchmarks.run._replication import next_trial, work
from botorch_popbo.benchmarks.run.campaign import Campaign
from botorch_popbo.benchmarks.settings import Cell

_MAX_DEATHS = 3


def run_campaign(campaign: Campaign[Any, Any]) -> list[Failure]:
    """Make every record that is not yet on disk, replications side by side.

    A progress bar and the failures, as they happen, go to the standard error.

    A replication whose worker died goes on in a new one. It is not known which of those that ran
    side by side is the cause, so one that has met two deaths goes on alone, and if its worker dies
    again, it is given up. One that another process is at, perhaps on another machine, is left to
    it until nothing else is to be done.

    Args:
        campaign: The campaign; the tables its problems need have been found.

    Returns:
        The replications that failed. They keep the trials they had finished.

    Raises:
        RecordError: If records are damaged.
        OSError: If the output folder cannot be written.
    """
    (campaign.output / "records").mkdir(parents=True, exist_ok=True)
    cells = list(campaign.cells())
    wanted = {campaign.path(cell): campaign.num_records(cell) for cell in cells}
    execution = _Execution(campaign)
    missing = [cell for cell in cells if execution.is_open(cell)]
    with progress_bar(wanted):
        while missing:
            before = missing
            suspects = [cell for cell in missing if execution.deaths[cell] == _MAX_DEATHS - 1]
            try:
                execution.run(suspects[:1] or missing, waits=not execution.has_progress)
            except BrokenExecutor:
                execution.mourn()
            missing = [cell for cell in before if execution.is_open(cell)]
            execution.has_progress = len(missing) < len(before)
    return execution.failures


class _Execution:
    def __init__(self, campaign: Campaign[Any, Any]) -> None:
        self.campaign = campaign
        self.failures: list[Failure] = []
        self.deaths: Counter[Cell] = Counter()
        self.started: list[Cell] = []
        self.has_progress = True

    def run(self, batch: list[Cell], waits: bool) -> None:
        """Run replications to their end, or until a worker dies."""
        self.started = []
        # A replication takes minutes: handing out one at a time keeps all workers busy to the end.
        parallel = Parallel(
            n_jobs=self.campaign.jobs,
            batch_size=1,
            pre_dispatch="n_jobs",
            return_as="generator_unordered",
        )
        for failure in parallel(self._tasks(batch, waits)):
            if failure is not None:
                self.add(failure)

    def mourn(self) -> None:
        """Find what ran when a worker died, and give up what is to be given up."""
        tqdm.write("a worker process was killed; going on with new ones", file=sys.stderr)
        for cell in filter(self.is_open, self.started):
            self.deaths[cell] += 1
            path = self.campaign.path(cell, ".stuck")
            if path.exists() and path.stat().st_size:
                reason = f"native code did not return within --limit; where it was: {path}"
                self._give_up(cell, reason, "leave the method out")
                continue
            path.unlink(missing_ok=True)
            if self.deaths[cell] == _MAX_DEATHS:
                reason = f"its worker process died {_MAX_DEATHS} times, the last time alone"
                self._give_up(cell, reason, "give it more memory, or leave the method out")

    def is_open(self, cell: Cell) -> bool:
        """Whether a replication has neither failed nor come to its end."""
        is_lost = any(failure.cell == cell for failure in self.failures)
        return not is_lost and not self.campaign.is_complete(cell)

    def add(self, failure: Failure) -> None:
        """Note a failure, and tell it if the same has not been told."""
        if failure.text not in map(str, self.failures):
            tqdm.write(str(failure), file=sys.stderr)
        self.failures.append(failure)

    def _give_up(self, cell: Cell, reason: str, advice: str) -> None:
        self.add(failed(cell, next_trial(self.campaign, cell), reason, advice))

    def _tasks(
        self, batch: list[Cell], waits: bool
    ) -> Iterator[tuple[Callable[..., object], object, object]]:
        for cell in batch:
            self.started.append(cell)
            yield delayed(work)(pickle.dumps((self.campaign, cell)), os.getpid(), waits)
