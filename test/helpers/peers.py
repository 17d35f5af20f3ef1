"""What a method of the benchmark owes a campaign, checked on small problems."""

import json
import math
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from ax.api.configs import ChoiceParameterConfig, RangeParameterConfig

from botorch_popbo.benchmarks.methods import Method, Optimizer, Suggestion
from botorch_popbo.benchmarks.problems import Problem
from botorch_popbo.benchmarks.run._quiet import quiet
from botorch_popbo.benchmarks.run._threads import one_thread
from botorch_popbo.benchmarks.search_space.points import (
    ParameterConfig,
    to_unit_interval,
    uniform_point,
)
from botorch_popbo.benchmarks.settings import Parameters, Setting

INITIAL = 6


@dataclass(frozen=True, kw_only=True)
class Bowl(Problem):
    """The squared distance of the parameters' places in their ranges or lists from a third."""

    def score(self, parameters: Parameters) -> float:
        places = (_place(config, parameters[config.name]) for config in self.parameters)
        return float(sum((place - 1 / 3) ** 2 for place in places))


class Stretched(Bowl):
    """The same order of points, other values."""

    def score(self, parameters: Parameters) -> float:
        return math.exp(10 * super().score(parameters)) - 1e3


def _place(config: ParameterConfig, value: Any) -> float:
    if isinstance(config, ChoiceParameterConfig):
        return [*config.values].index(value) / (len(config.values) - 1)
    return to_unit_interval(config, value)


def _problem(name: str, *parameters: ParameterConfig) -> Bowl:
    return Bowl(
        name=name,
        label="loss",
        parameters=parameters,
        metric_name="loss",
        minimize=True,
        optimal_value=0.0,
        num_initial=INITIAL,
    )


def choice(name: str, values: list[Any], kind: Any, ordered: bool = False) -> ChoiceParameterConfig:
    return ChoiceParameterConfig(name, values, kind, is_ordered=ordered)


_RANGES = (
    RangeParameterConfig("rate", (1e-5, 1.0), "float", scaling="log"),
    RangeParameterConfig("share", (-1.0, 0.3), "float"),
)
_DROPOUT = choice("dropout", [0.0, 0.3, 0.6], "float", ordered=True)
_OPERATIONS = ["none", "skip", "conv", "pool"]
CONTINUOUS = _problem("continuous", *_RANGES)
IN_ORDER = _problem(
    "in-order",
    *_RANGES,
    RangeParameterConfig("width", (2, 128), "int", scaling="log"),
    RangeParameterConfig("depth", (-3, 4), "int"),
    _DROPOUT,
    choice("bias", [False, True], "bool"),
)
_KERNEL = choice("kernel", ["rbf", "linear", "poly"], "str")
MIXED = _problem("mixed", *IN_ORDER.parameters, _KERNEL)
TABLE = _problem("table", _DROPOUT, *(choice(f"edge{i}", _OPERATIONS, "str") for i in "012"))


def start(
    method: Method,
    problem: Problem,
    *,
    initial: int = INITIAL,
    seed: int = 0,
    outcome: Callable[[float], float] = float,
) -> Optimizer:
    """An optimizer that was told a design, the same for all seeds."""
    optimizer = method.start(problem, Setting(problem.name, method.name, initial, seed))
    for trial in range(initial):
        point = uniform_point(problem.parameters, problem.name, 0, trial)
        optimizer.observe(point, outcome(problem.score(point)))
    return optimizer


def run(
    method: Method,
    problem: Problem,
    *,
    count: int = 2,
    initial: int = INITIAL,
    seed: int = 0,
    resume: bool = False,
    sign: float = 1.0,
) -> list[Suggestion]:
    """Suggestions of a method, checked to be members of the space and the method's own.

    To resume is to ask a fresh optimizer every time, which was told all outcomes as they come back
    from a file; outcomes are multiplied with the sign before the method is told.
    """
    options: Any = {"initial": initial, "seed": seed, "outcome": lambda value: sign * value}
    with one_thread(), quiet():
        optimizer = start(method, problem, **options)
        found: list[Suggestion] = []
        for trial in range(initial, initial + count):
            if resume:
                optimizer = start(method, problem, **options)
                for told in found:
                    parameters = json.loads(json.dumps(dict(told.parameters)))
                    optimizer.observe(parameters, sign * problem.score(parameters))
            found.append(optimizer.suggest(trial))
            assert_member(problem, found[-1].parameters)
            assert not method.is_fallback(found[-1].generator)
            optimizer.observe(found[-1].parameters, sign * problem.score(found[-1].parameters))
    known = [uniform_point(problem.parameters, problem.name, 0, t) for t in range(initial)]
    for suggestion in found:
        assert suggestion.incumbent is None or suggestion.incumbent in known
        known.append(suggestion.parameters)
    return found


def assert_member(problem: Problem, point: Parameters) -> None:
    """Assert the names, types and values of a point, without asking Ax."""
    assert list(point) == [config.name for config in problem.parameters]
    for config in problem.parameters:
        value = point[config.name]
        assert type(value).__name__ == config.parameter_type
        if isinstance(config, ChoiceParameterConfig):
            assert value in config.values
        else:
            assert config.bounds[0] <= float(value) <= config.bounds[1]


def check_reproducible(
    method: Method, problem: Problem, *, asks_judge: bool = False, **options: int
) -> None:
    """Assert that the seed and the outcomes decide alone, and that both matter."""
    _seed_global_generators(1)
    before = _global_states()
    whole = run(method, problem, **options)
    assert _global_states() == before
    _seed_global_generators(2)
    # A fresh optimizer for every suggestion stands for any number of interruptions.
    assert run(method, problem, resume=True, **options) == whole
    # Where parameters are choices, other starting points may lead to the same best point.
    assert run(method, CONTINUOUS, seed=1, **options) != run(method, CONTINUOUS, **options)
    if not asks_judge:
        assert run(method, problem, sign=-1.0, **options) != whole
        mirrored = replace(problem, minimize=not problem.minimize)
        assert run(method, mirrored, sign=-1.0, **options) == whole


def _seed_global_generators(seed: int) -> None:
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002
    torch.manual_seed(seed)


def _global_states() -> str:
    return f"{random.getstate()} {np.random.get_state()} {torch.get_rng_state().tolist()}"  # noqa: NPY002
