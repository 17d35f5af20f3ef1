"""Other tasks as sources: do good ones help, and are worthless ones harmless?"""

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import ClassVar, NamedTuple

import numpy as np
import torch
from torch import Tensor

from botorch_popbo._reproducible import seeded
from botorch_popbo.acquisition import LogExpectedUtilityImprovement
from botorch_popbo.benchmarks.experiments.measured import Measured
from botorch_popbo.benchmarks.points import suggestion_seed, uniform_point
from botorch_popbo.benchmarks.problems import PROBLEMS, Problem
from botorch_popbo.benchmarks.run.campaign import Limited
from botorch_popbo.benchmarks.run.keys import Key, names, replicated
from botorch_popbo.benchmarks.settings import Cell, Parameters
from botorch_popbo.data import combine, from_outcomes
from botorch_popbo.models import RankingGP
from botorch_popbo.search.domain import Domain
from botorch_popbo.search.maximize import maximize
from botorch_popbo.settings import SearchSettings
from botorch_popbo.space import Space


class Task(NamedTuple):
    """Points, ``N x d``, and their outcomes, ``N x 1``, larger being better."""

    X: Tensor
    Y: Tensor


def choose(target: Task, sources: Sequence[Task], space: Space, seed: int) -> Tensor:
    """The next point, ``d``; at first what the sources recommend."""
    orders, transform = [from_outcomes(*source) for source in sources], space.input_transform()
    if not len(target.X):
        return RankingGP(order=combine(*orders), input_transform=transform).fit().recommended
    model = RankingGP(*target, sources=orders, input_transform=transform).fit()
    domain = Domain.of(space, SearchSettings())
    return maximize(LogExpectedUtilityImprovement(model), domain, target.X, seed)


METHODS = ("popbo",)
TABLES = tuple(f"fcnet-{name}" for name in ("naval", "parkinsons", "protein", "slice"))
KINDS = ("none", "good", "shuffled")
_SOURCE_SIZE, _NUM_INITIAL = 100, 12  # points


@dataclass(frozen=True)
class Search(Cell):
    """A method on a table; random points of the three others are its sources, or worthless ones.

    A search without sources begins with random points.
    """

    problem: str
    sources: str
    trials: int
    method: str
    seed: int


@dataclass(frozen=True, kw_only=True)
class Transfer(Measured[Search]):
    """Searches with sources and without; for the settings see :class:`Search`."""

    problems: tuple[str, ...]
    sources: tuple[str, ...]
    trials: int

    keys: ClassVar = {
        "problems": names(TABLES),
        "sources": names(KINDS),
        "trials": Key(int, 30, lambda _: 4, least=1),
        **replicated(METHODS),
    }
    cell: ClassVar = Search
    axes: ClassVar = "problems", "sources", "trials", "methods"
    note: ClassVar = "the least regret after so many evaluations, and the seconds of each"
    reported: ClassVar = (1, 3, 5, 10, 20, 30)

    def measure(self, cell: Search, limited: Limited) -> dict[str, float]:
        """See the base class."""
        problem = PROBLEMS[cell.problem].load(self.data)
        sources, start = self.tasks(cell), perf_counter()
        points: list[Parameters] = []
        numbers = {}
        for trial in range(1, cell.trials + 1):
            with limited():
                points.append(_next(problem, cell, points, sources))
            numbers[str(trial)] = min(map(problem.score, points)) - (problem.optimal_value or 0.0)
        return {**numbers, "seconds": (perf_counter() - start) / cell.trials}

    def tasks(self, cell: Search) -> list[Task]:
        """The sources of a search."""
        if cell.sources == "none":
            return []
        shuffled = np.random.default_rng(cell.seed).permutation
        tasks, trials = [], range(_SOURCE_SIZE)
        for name in (name for name in TABLES if name != cell.problem):
            problem = PROBLEMS[name].load(self.data)
            points = [uniform_point(problem.space, name, cell.seed, trial) for trial in trials]
            X, Y = _task(problem, points)
            order = shuffled(_SOURCE_SIZE) if cell.sources == "shuffled" else trials
            tasks.append(Task(X, Y[list(order)]))
        return tasks


def _task(problem: Problem, points: list[Parameters]) -> Task:
    rows = (problem.space.encode(point).unsqueeze(0) for point in points)
    scores = torch.tensor([problem.score(point) for point in points], dtype=torch.float64)
    return Task(torch.cat([problem.space.bounds[:0], *rows]), -scores.unsqueeze(-1))


def _next(
    problem: Problem, cell: Search, points: list[Parameters], sources: list[Task]
) -> Parameters:
    trial, space = len(points), problem.space
    if not sources and trial < _NUM_INITIAL:
        return uniform_point(space, cell.problem, cell.seed, trial)
    seed = suggestion_seed(cell.problem, cell.seed, trial)
    with seeded(seed):
        return space.decode(choose(_task(problem, points), sources, space, seed))
