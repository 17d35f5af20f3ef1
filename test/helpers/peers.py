"""What a method of the benchmark owes a campaign, checked on small problems."""

import json
import math
import random
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from botorch_popbo.benchmarks.methods import Method, Optimizer, Suggestion
from botorch_popbo.benchmarks.points import check_membership, uniform_point
from botorch_popbo.benchmarks.problems import Problem
from botorch_popbo.benchmarks.run.quiet import quiet
from botorch_popbo.benchmarks.settings import Parameters, Setting
from botorch_popbo.space import Space

INITIAL = 6


@dataclass(frozen=True, kw_only=True)
class Bowl(Problem):
    """The squared distance of a point from a third of the way through the unit cube."""

    def score(self, parameters: Parameters) -> float:
        low, high = self.space.bounds
        unit = (self.space.encode(parameters) - low) / (high - low)
        return float((unit - 1 / 3).square().sum())


class Stretched(Bowl):
    """The same order of points, other values."""

    def score(self, parameters: Parameters) -> float:
        return math.exp(10 * super().score(parameters)) - 1e3


def bowl(name: str, **parameters: Any) -> Bowl:
    """A problem on a space, as it is written."""
    space = Space.read(parameters)
    return Bowl(name=name, space=space, optimal_value=0.0, num_initial=INITIAL)


_RANGES: dict[str, Any] = {"rate": (1e-5, 1.0, "log"), "share": (-1.0, 0.3)}
_IN_ORDER = {
    **_RANGES,
    "width": (2, 128, "log"),
    "depth": (-3, 4),
    "dropout": [0.0, 0.3, 0.6],
    "bias": [False, True],
}
CONTINUOUS = bowl("continuous", **_RANGES)
IN_ORDER = bowl("in-order", **_IN_ORDER)
MIXED = bowl("mixed", **_IN_ORDER, kernel=["rbf", "linear", "poly"], epochs=3)
_PARTS = bowl("conditional", degree=(2, 5), width=[1, 2, 4], kernel=["rbf", "linear", "poly"])
_BESIDE = {"kernel": {0.0: ["width"], 1.0: [], 2.0: ["degree", "width"]}}
CONDITIONAL = replace(_PARTS, space=Space(_PARTS.space.parameters, _BESIDE))
_EDGE = ["none", "skip", "conv", "pool"]
TABLE = bowl("table", dropout=[0.0, 0.3, 0.6], edge0=_EDGE, edge1=_EDGE, edge2=_EDGE)


def start(method: Method, problem: Problem, *, seed: int = 0, sign: float = 1.0) -> Optimizer:
    """An optimizer that was told a design, the same for all seeds, with outcomes of this sign."""
    optimizer = method.start(problem, Setting(problem.name, method.name, INITIAL, seed))
    for point in design(problem):
        optimizer.observe(point, sign * problem.score(point))
    return optimizer


def design(problem: Problem) -> list[Parameters]:
    return [uniform_point(problem.space, problem.name, 0, trial) for trial in range(INITIAL)]


def run(
    method: Method,
    problem: Problem,
    *,
    count: int = 2,
    seed: int = 0,
    resume: bool = False,
    sign: float = 1.0,
) -> list[Suggestion]:
    """Suggestions of a method, checked to be members of the space and the method's own.

    To resume is to ask a fresh optimizer every time, which was told all outcomes as they come back
    from a file.
    """
    found: list[Suggestion] = []
    known = design(problem)
    with quiet():
        optimizer = start(method, problem, seed=seed, sign=sign)
        for trial in range(INITIAL, INITIAL + count):
            if resume:
                optimizer = start(method, problem, seed=seed, sign=sign)
                for point in json.loads(json.dumps(known[INITIAL:])):
                    optimizer.observe(point, sign * problem.score(point))
            suggestion = optimizer.suggest(trial)
            check_membership(problem.space, suggestion.parameters)
            assert "Sobol" not in suggestion.generator  # on which Ax falls back
            assert suggestion.incumbent is None or suggestion.incumbent in known
            optimizer.observe(suggestion.parameters, sign * problem.score(suggestion.parameters))
            known.append(dict(suggestion.parameters))
            found.append(suggestion)
    return found


def check_reproducible(method: Method, problem: Problem) -> None:
    """Assert that the seed and the outcomes decide alone, and that both matter."""
    _seed_global_generators(1)
    before = _global_states()
    whole = run(method, problem)
    assert _global_states() == before
    _seed_global_generators(2)
    # A fresh optimizer for every suggestion stands for any number of interruptions.
    assert run(method, problem, resume=True) == whole
    # Where parameters are choices, other starting points may lead to the same best point.
    assert run(method, CONTINUOUS, seed=1) != run(method, CONTINUOUS)
    assert run(method, problem, count=1, sign=-1.0) != whole[:1]
    mirrored = replace(problem, minimize=not problem.minimize)
    assert run(method, mirrored, count=1, sign=-1.0) == whole[:1]


def _seed_global_generators(seed: int) -> None:
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002
    torch.manual_seed(seed)


def _global_states() -> str:
    return f"{random.getstate()} {np.random.get_state()} {torch.get_rng_state().tolist()}"  # noqa: NPY002
