"""Other tasks as sources: do good ones help, and are worthless ones harmless?"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from time import perf_counter
from typing import ClassVar, NamedTuple

import numpy as np
import torch
from ax.utils.common.random import with_rng_seed
from torch import Tensor

from botorch_popbo.acquisition import LogExpectedUtilityImprovement
from botorch_popbo.benchmarks.methods._search import maximize
from botorch_popbo.benchmarks.points import suggestion_seed, uniform_point
from botorch_popbo.benchmarks.problems import PROBLEMS, Problem
from botorch_popbo.benchmarks.report._files import frame, write_files
from botorch_popbo.benchmarks.report._format import spread
from botorch_popbo.benchmarks.run._keys import Key, names, replicated
from botorch_popbo.benchmarks.run.campaign import Campaign, Limited
from botorch_popbo.benchmarks.settings import Cell, Parameters
from botorch_popbo.data import combine, from_outcomes
from botorch_popbo.data._rows import is_row_of
from botorch_popbo.models import RankingGP
from botorch_popbo.space import Space


class Task(NamedTuple):
    """Points, ``N x d``, and their outcomes, ``N x 1``, larger being better."""

    X: Tensor
    Y: Tensor


#: The next point, ``d``, given the target, its sources, the space and a seed.
Choose = Callable[[Task, Sequence[Task], Space, int], Tensor]


@dataclass(frozen=True)
class Searcher:
    """A method; one that takes no sources begins with a random design."""

    description: str
    choose: Choose
    takes_sources: bool


def _ranking_gp(target: Task, sources: Sequence[Task], space: Space, seed: int) -> Tensor:
    orders, transform = [from_outcomes(*source) for source in sources], space.input_transform()
    if not len(target.X):
        return RankingGP(order=combine(*orders), input_transform=transform).fit().incumbent
    model = RankingGP(*target, sources=orders, input_transform=transform).fit()
    return maximize(LogExpectedUtilityImprovement(model), space, target.X, seed)


def _best_of_sources(target: Task, sources: Sequence[Task], space: Space, seed: int) -> Tensor:
    """The best of each source, then the second best of each, and so on, without a model."""
    rank = torch.cat([(-source.Y).argsort(0).argsort(0) for source in sources]).squeeze(-1)
    points = torch.cat([source.X for source in sources])[rank.argsort(stable=True)]
    unseen: Tensor = points[~is_row_of(points, target.X)]
    return unseen[0]


#: The methods by name.
SEARCHERS = {
    "popbo": Searcher("RankingGP, without sources", _ranking_gp, False),
    "popbo-sources": Searcher("RankingGP with sources", _ranking_gp, True),
    "best-of-sources": Searcher("the best points of the sources in turn", _best_of_sources, True),
}

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

    keys: ClassVar = {
        "problems": names(TABLES),
        "sources": names(KINDS),
        "size": Key(int, 100, lambda _: 12, least=2),
        "initial": Key(int, 12, lambda _: 3, least=2),
        "trials": Key(int, 30, lambda _: 4, least=1),
        **replicated(SEARCHERS),
    }
    record: ClassVar = SearchRecord

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
        tasks, trials = [], range(cell.size)
        for name in (name for name in TABLES if name != cell.problem):
            problem = PROBLEMS[name].load(self.data)
            points = [uniform_point(problem.space, name, cell.seed, trial) for trial in trials]
            X, Y = _task(problem, points)
            order = shuffled(cell.size) if cell.sources == "shuffled" else trials
            tasks.append(Task(X, Y[list(order)]))
        return tasks

    def report(self) -> None:
        """Print and write mean and standard error of the regrets after some evaluations."""
        results, by = frame(self).drop(columns="parameters"), ["problem", "sources", "method"]
        told = results.assign(evaluations=results["trial"] + 1)
        complete = told.groupby([*by, "seed"]).filter(lambda one: len(one) >= self.trials)
        shown = complete[complete["evaluations"].isin(_REPORTED)]
        table = spread(shown, by, "evaluations", "regret", self.seeds)
        note = f"regret after so many evaluations; sources of {self.size} points each"
        write_files(self.output, "transfer", f"{table.to_string()}\n{note}", results)


def _task(problem: Problem, points: list[Parameters]) -> Task:
    X = torch.zeros(len(points), len(problem.space.parameters), dtype=torch.float64)
    Y = torch.zeros(len(points), 1, dtype=torch.float64)
    for i, point in enumerate(points):
        X[i], Y[i] = problem.space.encode(point), -problem.score(point)
    return Task(X, Y)


def _next(
    problem: Problem, cell: Search, points: list[Parameters], sources: list[Task]
) -> Parameters:
    trial, space = len(points), problem.space
    if not sources and trial < cell.initial:
        return uniform_point(space, cell.problem, cell.seed, trial)
    seed = suggestion_seed(cell.problem, cell.seed, trial)
    with with_rng_seed(seed):
        choose = SEARCHERS[cell.method].choose
        return space.decode(choose(_task(problem, points), sources, space, seed))
