"""What a method of the benchmark owes a campaign, checked on any problem."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from ax.api.configs import ChoiceParameterConfig, RangeParameterConfig

from botorch_popbo.benchmarks.methods.base import Method, Suggestion
from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.search_space.points import uniform_point
from botorch_popbo.benchmarks.settings import Parameters, Setting


@dataclass(frozen=True, kw_only=True)
class SumProblem(Problem):
    """The sum of the parameters' places in their ranges or lists, minimised."""

    def score(self, parameters: Parameters) -> float:
        return sum(_place(config, parameters[config.name]) for config in self.parameters)


def _place(config: ChoiceParameterConfig | RangeParameterConfig, value: object) -> float:
    if isinstance(config, ChoiceParameterConfig):
        return [*config.values].index(value) / (len(config.values) - 1)
    low, high = config.bounds
    if config.scaling == "log":
        low, high, value = (float(np.log(x)) for x in (low, high, value))
    return (float(value) - low) / (high - low)


def _problem(
    name: str, parameters: Sequence[ChoiceParameterConfig | RangeParameterConfig]
) -> SumProblem:
    return SumProblem(
        name=name,
        parameters=parameters,
        label="loss",
        metric_name="loss",
        minimize=True,
        optimal_value=0.0,
    )


_RANGES = [
    RangeParameterConfig(name="real", bounds=(-2.0, 3.0), parameter_type="float"),
    RangeParameterConfig(name="log", bounds=(1e-4, 1.0), parameter_type="float", scaling="log"),
]
_CHOICES = [
    ChoiceParameterConfig(
        name="ordered", values=[0.1, 0.3, 0.9], parameter_type="float", is_ordered=True
    ),
    ChoiceParameterConfig(
        name="color", values=["red", "green", "blue"], parameter_type="str", is_ordered=False
    ),
]
_TABLE = [
    ChoiceParameterConfig(
        name=f"edge{i}",
        values=["none", "skip", "conv", "pool"],
        parameter_type="str",
        is_ordered=False,
    )
    for i in range(3)
]

CONTINUOUS = _problem("continuous", _RANGES)
MIXED = _problem(
    "mixed",
    [
        *_RANGES,
        RangeParameterConfig(name="int", bounds=(1, 5), parameter_type="int"),
        RangeParameterConfig(name="logint", bounds=(8, 512), parameter_type="int", scaling="log"),
        *_CHOICES,
    ],
)
TABLE = _problem("table", [_CHOICES[0], *_TABLE])


def run(
    method: Method,
    problem: Problem,
    *,
    count: int = 2,
    initial: int = 6,
    seed: int = 0,
    resume: bool = False,
    sign: float = 1.0,
) -> list[Suggestion]:
    """Suggestions of a method after a design that is the same for all seeds.

    Args:
        method: The method.
        problem: The problem.
        count: The number of suggestions.
        initial: The size of the design.
        seed: The seed of the replication.
        resume: Whether every suggestion comes from a fresh optimizer that was told all outcomes.
        sign: What outcomes are multiplied with before the method is told.
    """
    setting = Setting(problem.name, method.name, initial, seed)
    optimizer = method.start(problem, setting)
    told: list[tuple[Parameters, float]] = []
    found = []
    for trial in range(initial + count):
        point = uniform_point(problem.parameters, problem.name, 0, trial)
        if trial >= initial:
            if resume:
                optimizer = method.start(problem, setting)
                for parameters, observed in told:
                    optimizer.observe(parameters, observed)
            found.append(optimizer.suggest(trial))
            point = found[-1].parameters
        told.append((point, sign * problem.evaluate(point, trial)))
        optimizer.observe(*told[-1])
    return found


def assert_member(problem: Problem, point: Parameters) -> None:
    """Assert the names, types and values of a point, without asking Ax."""
    assert point.keys() == {config.name for config in problem.parameters}
    for config in problem.parameters:
        value = point[config.name]
        assert type(value).__name__ == config.parameter_type
        if isinstance(config, ChoiceParameterConfig):
            assert value in config.values
        else:
            assert config.bounds[0] <= float(value) <= config.bounds[1]


def check_members(method: Method, problem: Problem, **options: int) -> None:
    """Assert that suggestions are points of the space and the method's own."""
    for suggestion in run(method, problem, **options):
        assert_member(problem, suggestion.parameters)
        assert not method.is_fallback(suggestion.generator)
        if suggestion.incumbent is not None:
            assert_member(problem, suggestion.incumbent)


def check_reproducible(method: Method, problem: Problem, **options: int) -> None:
    """Assert that the seed and the outcomes decide alone, and that both matter."""
    random.seed(1)
    np.random.seed(1)  # noqa: NPY002
    torch.manual_seed(1)
    before = _global_states()
    whole = run(method, problem, **options)
    assert _global_states() == before
    torch.manual_seed(2)
    np.random.seed(2)  # noqa: NPY002
    random.seed(2)
    # A fresh optimizer for every suggestion stands for any number of interruptions.
    assert run(method, problem, resume=True, **options) == whole
    assert run(method, problem, seed=1, **options) != whole
    assert run(method, problem, sign=-1.0, **options) != whole
    mirrored = replace(problem, minimize=not problem.minimize)
    assert run(method, mirrored, sign=-1.0, **options) == whole


def _global_states() -> tuple[str, str, str]:
    numpy_state = str(np.random.get_state())  # noqa: NPY002
    return str(random.getstate()), numpy_state, str(torch.get_rng_state().tolist())
