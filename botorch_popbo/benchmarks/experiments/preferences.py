"""Choices alone: methods that ask a judge which of several points is the best, or the worst."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any, ClassVar

import torch
from botorch.test_functions import Hartmann
from botorch.utils.sampling import manual_seed
from torch import Tensor

from botorch_popbo._reproducible import derive_seed
from botorch_popbo.benchmarks.experiments.interviewers import METHODS
from botorch_popbo.benchmarks.experiments.measured import Measured
from botorch_popbo.benchmarks.run.campaign import Limited
from botorch_popbo.benchmarks.run.keys import Key, names, replicated
from botorch_popbo.benchmarks.settings import Cell
from botorch_popbo.space import Space


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
    answers: int
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


@dataclass(frozen=True, kw_only=True)
class Preferences(Measured[Interview]):
    """Methods that learn from choices alone.

    Attributes:
        problems: Names of judges.
        answers: The number of answers of an interview.
        deviations: Standard deviations of the noise of each compared value.
        shown: Numbers of points in a question.
    """

    problems: tuple[str, ...]
    answers: int
    deviations: tuple[float, ...]
    shown: tuple[int, ...]

    keys: ClassVar = {
        "problems": names(FUNCTIONS),
        "answers": Key(int, 75, lambda _: 7, least=1),
        "deviations": Key(float, (0.2,)),
        "shown": Key(int, (2,), least=2),
        **replicated(METHODS, seeds=10, smoke=2),
    }
    cell: ClassVar = Interview
    axes: ClassVar = "problems", "deviations", "shown", "answers", "methods"
    note: ClassVar = "regret after so many answers, and the seconds of a question"
    reported: ClassVar = (12, 24, 36, 75)

    def measure(self, cell: Interview, limited: Limited) -> dict[str, float]:
        """See the base class."""
        space, numbers, start = FUNCTIONS[cell.function].space, {}, perf_counter()
        interviewer = METHODS[cell.method](space, cell.shown, cell.seed)
        for question in range(cell.answers):
            with limited(), manual_seed(cell.seed):
                items = interviewer.ask()
            interviewer.tell(items, *cell.choose(items, question))
            with limited(), manual_seed(cell.seed):
                best = interviewer.best
            numbers[str(question + 1)] = cell.regret(best)
        return {**numbers, "seconds": (perf_counter() - start) / cell.answers}
