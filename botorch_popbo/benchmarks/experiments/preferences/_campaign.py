"""Interviewers times functions times seeds."""

from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import ClassVar

import torch
from botorch.utils.sampling import manual_seed

from botorch_popbo.benchmarks.experiments.preferences._interviewers import METHODS
from botorch_popbo.benchmarks.experiments.preferences._judge import FUNCTIONS, Judge
from botorch_popbo.benchmarks.run import _keys
from botorch_popbo.benchmarks.run.campaign import Campaign, Limited
from botorch_popbo.benchmarks.settings import Cell


@dataclass(frozen=True)
class Interview(Cell):
    """A method asks a judge; for the settings see :class:`Judge`."""

    function: str
    deviation: float
    indifference: float
    method: str
    seed: int

    @property
    def task(self) -> str:
        return self.function

    @property
    def judge(self) -> Judge:
        """Who answers."""
        return Judge(self.function, self.deviation, self.indifference, self.seed)


@dataclass(frozen=True)
class Answer:
    """One answer, and what it led to.

    Attributes:
        trial: The question's index, from 0.
        items: The two points.
        winner: The place of the better one, None for a tie.
        regret: The noise-free regret of the point that is then held to be the best.
        seconds: Wall-clock time of the question and of the best point.
    """

    trial: int
    items: list[list[float]]
    winner: int | None
    regret: float
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Preferences(Campaign[Interview, Answer]):
    """Methods that are told choices alone.

    Attributes:
        problems: Names of functions.
        answers: Numbers of answers after which regrets are reported; the largest ends an interview.
        deviation: Standard deviation of the noise of each compared value.
        indifference: Noisy values that differ by less are a tie.
    """

    problems: tuple[str, ...]
    answers: tuple[int, ...]
    deviation: float
    indifference: float

    registry: ClassVar = METHODS
    keys: ClassVar = {
        "problems": _keys.names(FUNCTIONS),
        "methods": _keys.names(METHODS),
        "answers": _keys.counts((24, 36, 75, 150), smoke=lambda _: (3, 7)),
        "deviation": _keys.number(0.2),
        "indifference": _keys.number(0.0),
        "seeds": _keys.count(10, smoke=2),
        "jobs": _keys.count(),
        "limit": _keys.seconds(),
    }
    record: ClassVar = Answer

    def cells(self) -> Iterator[Interview]:
        for function in self.problems:
            for method in self.methods:
                for seed in range(self.seeds):
                    settings = float(self.deviation), float(self.indifference)
                    yield Interview(function, *settings, method, seed)

    def num_records(self, cell: Interview) -> int:
        return max(self.answers)

    def evaluate(
        self, cell: Interview, records: list[Answer], limited: Limited
    ) -> Iterator[Answer]:
        judge, bounds = cell.judge, torch.as_tensor(FUNCTIONS[cell.function].bounds)
        interviewer = METHODS[cell.method].start(bounds, cell.seed)
        for record in records:
            interviewer.tell(torch.tensor(record.items, dtype=torch.float64), record.winner)
        for trial in range(len(records), max(self.answers)):
            start = perf_counter()
            with limited(), manual_seed(cell.seed):
                items = interviewer.ask()
            winner = judge.choose(items, trial)
            interviewer.tell(items, winner)
            with limited(), manual_seed(cell.seed):
                best = interviewer.best
            seconds = perf_counter() - start
            yield Answer(trial, items.tolist(), winner, judge.regret(best), seconds)

    def report(self) -> None:
        # Workers need no plots.
        from botorch_popbo.benchmarks.experiments.preferences._report import write_report

        write_report(self)
