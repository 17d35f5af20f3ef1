"""Methods times tables times kinds of sources times seeds: FCNet's four data sets as tasks."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from time import perf_counter
from typing import ClassVar

import numpy as np
import pandas as pd
import torch
from ax.utils.common.random import with_rng_seed

from botorch_popbo.benchmarks.experiments.transfer._methods import SEARCHERS, Task
from botorch_popbo.benchmarks.problems import PROBLEMS, Problem
from botorch_popbo.benchmarks.report._files import frame, write_files
from botorch_popbo.benchmarks.report.text import estimate_of
from botorch_popbo.benchmarks.run import _keys
from botorch_popbo.benchmarks.run.campaign import Campaign, Limited
from botorch_popbo.benchmarks.search_space.encoding import Encoding
from botorch_popbo.benchmarks.search_space.points import suggestion_seed, uniform_point
from botorch_popbo.benchmarks.settings import Cell, Parameters

TABLES = tuple(f"fcnet-{name}" for name in ("naval", "parkinsons", "protein", "slice"))
KINDS = ("none", "good", "shuffled")
_REPORTED = (1, 3, 5, 10, 20, 30)


@dataclass(frozen=True)
class Search(Cell):
    """A method on a table; the three others are its sources, as they are or worthless.

    A source is as many random points as ``size`` says; ``initial`` is the number of random points
    that a method without sources begins with.
    """

    problem: str
    sources: str
    size: int
    initial: int
    method: str
    seed: int

    @property
    def task(self) -> str:
        return f"{self.problem}, sources: {self.sources}"


@dataclass(frozen=True)
class SearchRecord:
    """An evaluation: its point, the least regret so far, the seconds that the suggestion took."""

    trial: int
    parameters: Parameters
    regret: float
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Transfer(Campaign[Search, SearchRecord]):
    """Methods with sources and without; for the settings see :class:`Search`."""

    problems: tuple[str, ...]
    sources: tuple[str, ...]
    size: int
    initial: int
    trials: int
    data: Path | None

    registry: ClassVar = SEARCHERS
    keys: ClassVar = {
        "problems": _keys.names(TABLES),
        "methods": _keys.names(SEARCHERS),
        "sources": _keys.names(KINDS),
        "size": _keys.count(100, least=2, smoke=12),
        "initial": _keys.count(12, least=2, smoke=3),
        "trials": _keys.count(30, smoke=4),
        "seeds": _keys.count(10, smoke=1),
        "jobs": _keys.count(),
        "limit": _keys.seconds(),
    }
    record: ClassVar = SearchRecord

    @classmethod
    def planned(cls, *, data: Path | None, **values: object) -> "Transfer":
        """See the base class."""
        return cls(data=data, **values)  # type: ignore[arg-type]

    def cells(self) -> Iterator[Search]:
        axes = (self.problems, self.sources, [self.size], [self.initial], self.methods)
        for setting in product(*axes, range(self.seeds)):
            cell = Search(*setting)
            if SEARCHERS[cell.method].takes_sources == (cell.sources != "none"):
                yield cell

    def num_records(self, cell: Search) -> int:
        """The number of evaluations."""
        return self.trials

    def evaluate(
        self, cell: Search, records: list[SearchRecord], limited: Limited
    ) -> Iterator[SearchRecord]:
        problem = PROBLEMS[cell.problem].load(self.data)
        sources = [] if cell.sources == "none" else self._sources(cell)
        points = [record.parameters for record in records]
        while True:
            start = perf_counter()
            with limited():
                points.append(_next(problem, cell, points, sources))
            seconds = perf_counter() - start
            least = min(map(problem.score, points))
            regret = least - (problem.optimal_value or 0.0)
            yield SearchRecord(len(points) - 1, points[-1], regret, seconds)

    def _sources(self, cell: Search) -> list[Task]:
        shuffled = np.random.default_rng(cell.seed).permutation
        tasks = []
        for name in TABLES:
            if name != cell.problem:
                problem = PROBLEMS[name].load(self.data)
                configs = problem.parameters
                trials = range(cell.size)
                points = [uniform_point(configs, name, cell.seed, trial) for trial in trials]
                task = _task(problem, points)
                order = shuffled(cell.size) if cell.sources == "shuffled" else trials
                tasks.append(Task(task.X, task.Y[list(order)]))
        return tasks

    def report(self) -> None:
        """Print and write mean and standard error of the regrets after some evaluations."""
        results, names = frame(self).drop(columns="parameters"), ["problem", "sources", "method"]
        rows = {}
        for keys, found in results.groupby(names, sort=False):
            complete = found.groupby("seed").filter(lambda one: len(one) >= self.trials)
            rows[keys] = {"seeds": f"{complete['seed'].nunique()}/{self.seeds}"} | {
                str(n): estimate_of(complete.loc[complete["trial"] == n - 1, "regret"])
                for n in _REPORTED
                if n <= self.trials
            }
        laid_out = pd.DataFrame(
            [*rows.values()], index=pd.MultiIndex.from_tuples(rows, names=names)
        )
        note = f"regret after so many evaluations; sources of {self.size} points each"
        write_files(self.output, "transfer", f"{laid_out.to_string()}\n{note}", results)


def _task(problem: Problem, points: list[Parameters]) -> Task:
    encoding = Encoding(problem.parameters)
    if not points:
        return Task(torch.zeros(0, len(encoding.parameters)).double(), torch.zeros(0, 1).double())
    outcomes = [-problem.score(point) for point in points]
    return Task(
        torch.stack([encoding.encode(point) for point in points]),
        torch.tensor(outcomes, dtype=torch.float64).unsqueeze(-1),
    )


def _next(
    problem: Problem, cell: Search, points: list[Parameters], sources: list[Task]
) -> Parameters:
    trial, encoding = len(points), Encoding(problem.parameters)
    if not sources and trial < cell.initial:
        return uniform_point(problem.parameters, cell.problem, cell.seed, trial)
    seed = suggestion_seed(cell.problem, cell.seed, trial)
    with with_rng_seed(seed):
        choose = SEARCHERS[cell.method].choose
        return encoding.decode(choose(_task(problem, points), sources, encoding, seed))
