"""Hand replications to workers, and once more if a worker dies."""

import os
import pickle
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor
from typing import Any

from joblib import Parallel, delayed
from tqdm import tqdm  # type: ignore[import-untyped]

from botorch_popbo.benchmarks.run.campaign import Campaign
from botorch_popbo.benchmarks.run.replication import Failure, failed, next_trial, work
from botorch_popbo.benchmarks.settings import Cell

_TOLD_SECONDS = 30.0  # between two states of the progress bar in a log


def run_campaign(campaign: Campaign[Any, Any]) -> list[Failure]:
    """Make every record that is not yet on disk, replications side by side.

    A progress bar and the failures, as they happen, go to the standard error.

    It is not known which of the replications that ran side by side has killed a worker, so each
    continues alone in a new one, and is given up if its worker dies again. One that another process
    is at, perhaps on another machine, is left to it until nothing else is to be done.

    Args:
        campaign: The campaign; the tables its problems need have been found.

    Returns:
        The replications that failed. They keep the trials they had finished.

    Raises:
        RecordError: If records are damaged.
        OSError: If the output folder cannot be written.
    """
    (campaign.output / "records").mkdir(parents=True, exist_ok=True)
    execution = _Execution(campaign)
    missing, waits = [*filter(execution.is_open, campaign.cells())], False
    while missing:
        execution.run(missing, waits)
        left = [*filter(execution.is_open, missing)]
        missing, waits = left, len(left) == len(missing)
    return execution.failures


class _Execution:
    def __init__(self, campaign: Campaign[Any, Any]) -> None:
        self.campaign = campaign
        self.failures: list[Failure] = []

    def run(self, batch: list[Cell], waits: bool) -> None:
        """Run replications to their end, those whose worker may have died alone."""
        started: list[Cell] = []
        try:
            self._run_together(batch, waits, started)
        except BrokenExecutor:
            tqdm.write("a worker process was killed; starting new ones", file=sys.stderr)
            for cell in filter(self.is_open, started):
                try:
                    self._run_together([cell], waits, [])
                except BrokenExecutor:
                    reason = "its worker process died twice, the second time alone"
                    advice = "give it more memory, or leave the method out"
                    self._add(failed(cell, next_trial(self.campaign, cell), reason, advice))

    def is_open(self, cell: Cell) -> bool:
        """Whether a replication has neither failed nor come to its end."""
        is_lost = any(failure.cell == cell for failure in self.failures)
        return not is_lost and not self.campaign.is_complete(cell)

    def _run_together(self, batch: list[Cell], waits: bool, started: list[Cell]) -> None:
        """Run replications side by side, and note those that are started."""

        def tasks() -> Iterator[tuple[Callable[..., object], object, object]]:
            for cell in batch:
                started.append(cell)
                yield delayed(work)(pickle.dumps((self.campaign, cell)), os.getpid(), waits)

        # A replication takes minutes: handing out one at a time keeps all workers busy to the end.
        options = {"batch_size": 1, "pre_dispatch": "n_jobs", "return_as": "generator_unordered"}
        ended = Parallel(n_jobs=self.campaign.jobs, **options)(tasks())
        interval = 0.1 if sys.stderr.isatty() else _TOLD_SECONDS
        for failure in tqdm(ended, total=len(batch), unit="replication", mininterval=interval):
            if failure is not None:
                self._add(failure)

    def _add(self, failure: Failure) -> None:
        """Note a failure, and print it if it is new."""
        if failure.text not in map(str, self.failures):
            tqdm.write(str(failure), file=sys.stderr)
        self.failures.append(failure)
