"""Methods times seeds of a simulated judge."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import torch
from botorch.utils.sampling import manual_seed
from torch import Tensor

from botorch_popbo.benchmarks.experiments.preferences._choosers import CHOOSERS, FUNCTION
from botorch_popbo.benchmarks.report._text import aligned, estimate, number
from botorch_popbo.benchmarks.run import _keys
from botorch_popbo.benchmarks.run.campaign import Campaign, Limited
from botorch_popbo.benchmarks.settings import Cell


@dataclass(frozen=True)
class Interview(Cell):
    """A method and a judge, with normal noise on each of the two compared values."""

    questions: int
    deviation: float
    method: str
    seed: int

    @property
    def task(self) -> str:
        return f"{self.questions} questions"


@dataclass(frozen=True)
class InterviewRecord:
    """The noise-free regret of the point held for the best, in units of Hartmann-3."""

    regret: float


@dataclass(frozen=True, kw_only=True)
class Preferences(Campaign[Interview, InterviewRecord]):
    """Methods that are told choices alone; for the settings see :class:`Interview`."""

    questions: int
    deviation: float

    registry: ClassVar = CHOOSERS
    keys: ClassVar = {
        "methods": _keys.names(CHOOSERS),
        "questions": _keys.count(36, smoke=7),
        "deviation": _keys.number(0.2),
        "seeds": _keys.count(10, smoke=2),
        "jobs": _keys.count(),
        "limit": _keys.seconds(),
    }
    record: ClassVar = InterviewRecord

    def cells(self) -> Iterator[Interview]:
        for method in self.methods:
            for seed in range(self.seeds):
                yield Interview(self.questions, float(self.deviation), method, seed)

    def evaluate(
        self, cell: Interview, records: list[InterviewRecord], limited: Limited
    ) -> Iterator[InterviewRecord]:
        generator = torch.Generator().manual_seed(cell.seed)

        def judge(pair: Tensor) -> int:
            noise = torch.randn(2, generator=generator, dtype=torch.float64)
            return int((FUNCTION.evaluate_true(pair) + cell.deviation * noise).argmin())

        with limited(), manual_seed(cell.seed):
            best = CHOOSERS[cell.method].best(judge, cell.questions, cell.seed)
        value = FUNCTION.evaluate_true(best.unsqueeze(0))
        yield InterviewRecord(float(value - FUNCTION.optimal_value))

    def report(self) -> None:
        """Print and write mean, standard error and median of the regrets over the seeds."""
        from botorch_popbo.benchmarks.report._files import frame, write_files

        results = frame(self)
        rows = []
        for method in self.methods:
            regrets = results.loc[results["method"] == method, "regret"].astype(float)
            seeds = f"{len(regrets)}/{self.seeds}"
            numbers = estimate(regrets.mean(), regrets.sem()), number(regrets.median(), ".3g")
            rows.append((method, seeds, *numbers))
        note = f"{self.questions} answers, noise {self.deviation:g}: mean ± standard error"
        lines = aligned([("method", "seeds", "regret", "median")], rows, right_from=1)
        write_files(self.output, "preferences", "\n".join([*lines, note]), results)
