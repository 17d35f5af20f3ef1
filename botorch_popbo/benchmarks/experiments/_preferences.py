"""Choices alone: methods that ask a judge which of several points is the best, or the worst.

Each asks by what it was told and its seed alone, so an interview goes on from its record. Only
Optuna's sampler draws other random numbers after an interruption.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from time import perf_counter
from typing import Any, ClassVar

import pandas as pd
import torch
from botorch.test_functions import Hartmann
from botorch.utils.sampling import manual_seed
from torch import Tensor

from botorch_popbo._seeds import derive_seed
from botorch_popbo.benchmarks.experiments._interviewers import METHODS
from botorch_popbo.benchmarks.report._files import frame, write_files
from botorch_popbo.benchmarks.report._format import spread
from botorch_popbo.benchmarks.report.figures import draw_means
from botorch_popbo.benchmarks.run._keys import Key, names, replicated
from botorch_popbo.benchmarks.run.campaign import Campaign, Limited
from botorch_popbo.benchmarks.settings import Cell
from botorch_popbo.space import Space

_COLUMNS = "function", "deviation", "shown", "method"


@dataclass(frozen=True)
class Taste:
    """What a judge dislikes: a space, a function of the values of its parameters, its minimum."""

    space: Space
    dislike: Callable[[Mapping[str, Any]], float]
    optimum: float = 0.0


def _hartmann(dim: int) -> Taste:
    function = Hartmann(dim=dim, dtype=torch.float64)
    return Taste(
        Space.read(torch.as_tensor(function.bounds, dtype=torch.float64)),
        lambda values: float(function.evaluate_true(torch.tensor([[*values.values()]]).double())),
        float(function.optimal_value),
    )


def _mixed(values: Mapping[str, Any]) -> float:
    """A recipe whose best heat depends on the milk, as far from 0 as a Hartmann function goes."""
    heat = (values["heat"] - {"none": 0.3, "oat": 0.6, "cow": 0.5}[values["milk"]]) ** 2
    kind = {"none": 0.4, "oat": 0.0, "cow": 0.8}[values["milk"]]
    dose = (values["spoons"] - 3) ** 2 / 6
    return float(4 * heat + kind + dose + (math.log10(values["grind"]) + 1.2) ** 2 / 2)


def _colour(values: Mapping[str, Any]) -> float:
    """The difference that one sees to a dull green, in hundreds of CIE 1976 units, times four."""
    seen = _lab(values["red"], values["green"], values["blue"])
    return 0.04 * math.dist(seen, _lab(0.35, 0.55, 0.42))


def _lab(*channels: float) -> tuple[float, float, float]:
    """CIELAB coordinates, white D65, of a colour in sRGB."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    rows = (0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505)
    white = 0.9505, 1.0, 1.089
    shares = [
        sum(a * b for a, b in zip(row, linear, strict=True)) / w
        for row, w in zip(rows, white, strict=True)
    ]
    x, y, z = (s ** (1 / 3) if s > 0.008856 else 7.787 * s + 16 / 116 for s in shares)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


_RECIPE = {
    "heat": (0.0, 1.0),
    "spoons": (1, 8),
    "grind": (0.001, 1.0, "log"),
    "milk": ["none", "oat", "cow"],
}
#: Judges by name.
FUNCTIONS: Mapping[str, Taste] = {
    "hartmann3": _hartmann(3),
    "hartmann6": _hartmann(6),
    "recipe": Taste(Space.read(_RECIPE), _mixed),
    "colour": Taste(Space.read(dict.fromkeys(("red", "green", "blue"), (0.0, 1.0))), _colour),
}


@dataclass(frozen=True)
class Interview(Cell):
    """A method asks a judge, who prefers the point of the lower noisy value.

    Whatever is asked, a judge of one seed has the same noise in the n-th answer; its deviation is
    in the function's unit.
    """

    function: str
    deviation: float
    shown: int
    method: str
    seed: int

    def choose(self, points: Tensor, question: int) -> tuple[int, int]:
        """The places of the best and of the worst of several points, ``m x d``."""
        # Once more: a method that mixes its seed in the same way must not foresee the noise.
        seed = derive_seed(derive_seed(self.seed, question), 0)
        generator = torch.Generator().manual_seed(seed)
        noise = self.deviation * torch.randn(len(points), generator=generator, dtype=torch.float64)
        seen = torch.tensor([self._dislike(x) for x in points], dtype=torch.float64) + noise
        return int(seen.argmin()), int(seen.argmax())

    def regret(self, x: Tensor) -> float:
        """How much worse a point of shape ``d`` is than the optimum, without noise."""
        return self._dislike(x) - FUNCTIONS[self.function].optimum

    def _dislike(self, x: Tensor) -> float:
        taste = FUNCTIONS[self.function]
        return taste.dislike(taste.space.decode(x))


@dataclass(frozen=True)
class Answer:
    """One answer, and what it led to.

    Attributes:
        trial: The question's index, from 0.
        items: The points.
        winner: The place of the best one.
        worst: The place of the worst one.
        regret: The noise-free regret of the point that is then held to be the best.
        seconds: Wall-clock time of the question and of the best point.
    """

    trial: int
    items: list[list[float]]
    winner: int
    worst: int
    regret: float
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Preferences(Campaign[Interview, Answer]):
    """Methods that are told choices alone.

    Attributes:
        problems: Names of judges.
        answers: Numbers of answers after which regrets are reported; the largest ends an interview.
        deviations: Standard deviations of the noise of each compared value.
        shown: Numbers of points in a question.
    """

    problems: tuple[str, ...]
    answers: tuple[int, ...]
    deviations: tuple[float, ...]
    shown: tuple[int, ...]

    keys: ClassVar = {
        "problems": names(FUNCTIONS),
        "answers": Key(int, (12, 24, 36, 75), lambda _: (3, 7), least=1),
        "deviations": Key(float, (0.2,)),
        "shown": Key(int, (2,), least=2),
        **replicated(METHODS, seeds=10, smoke=2),
    }
    record: ClassVar = Answer

    def cells(self) -> Iterator[Interview]:
        settings = product(
            self.problems,
            map(float, self.deviations),
            self.shown,
            self.methods,
            range(self.seeds),
        )
        return (Interview(*setting) for setting in settings)

    def num_records(self, cell: Interview) -> int:
        return max(self.answers)

    def evaluate(
        self, cell: Interview, records: list[Answer], limited: Limited
    ) -> Iterator[Answer]:
        space = FUNCTIONS[cell.function].space
        interviewer = METHODS[cell.method].start(space, cell.shown, cell.seed)
        for record in records:
            items = torch.tensor(record.items, dtype=torch.float64)
            interviewer.tell(items, record.winner, record.worst)
        for trial in range(len(records), max(self.answers)):
            start = perf_counter()
            with limited(), manual_seed(cell.seed):
                items = interviewer.ask()
            winner, worst = cell.choose(items, trial)
            interviewer.tell(items, winner, worst)
            with limited(), manual_seed(cell.seed):
                best = interviewer.best
            seconds = perf_counter() - start
            yield Answer(trial, items.tolist(), winner, worst, cell.regret(best), seconds)

    def report(self) -> None:
        """Print and write mean and standard error of the regrets, and draw their curves."""
        results = frame(self).drop(columns="items").astype({"regret": float, "seconds": float})
        where = [
            results["function"],
            results["deviation"].astype(str),
            results["shown"].astype(str),
        ]
        told = results.assign(answers=results["trial"] + 1, judge=where[0].str.cat(where[1:], ", "))
        figure = draw_means(told, "judge", "method", "answers", "regret", yscale="log")
        write_files(self.output, "preferences", table(self, results), results, figure)


def table(campaign: Preferences, results: pd.DataFrame) -> str:
    """A row for each method on each function, a column for each number of answers."""
    told = results.assign(answers=results["trial"] + 1)
    told = told[told["answers"].isin(campaign.answers)]
    cells = spread(told, _COLUMNS, "answers", "regret", campaign.seeds)
    seconds = results.groupby([*_COLUMNS], sort=False)["seconds"].median().map("{:.2g}".format)
    note = "mean regret ± standard error after so many answers"
    return f"{cells.assign(seconds=seconds).to_string()}\n{note}"
