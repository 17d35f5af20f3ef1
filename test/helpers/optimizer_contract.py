"""What every optimizer of another library has to do, and small problems to see it on."""

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from ax.api.configs import ChoiceParameterConfig, RangeParameterConfig

from botorch_popbo.benchmarks.methods import Method, Optimizer
from botorch_popbo.benchmarks.problems import Problem
from botorch_popbo.benchmarks.run._quiet import quiet
from botorch_popbo.benchmarks.run._threads import one_thread
from botorch_popbo.benchmarks.search_space.encoding import Encoding
from botorch_popbo.benchmarks.search_space.points import ParameterConfig, uniform_point
from botorch_popbo.benchmarks.settings import Parameters, Setting

INITIAL = 6


@dataclass(frozen=True, kw_only=True)
class Bowl(Problem):
    """The squared distance from a point in the encoded space."""

    def score(self, parameters: Parameters) -> float:
        return float((Encoding(self.parameters).encode(parameters) - 0.3).square().sum())


def bowl(name: str, parameters: Sequence[ParameterConfig]) -> Bowl:
    return Bowl(
        name=name,
        label="value",
        parameters=parameters,
        metric_name="value",
        minimize=True,
        optimal_value=None,
        num_initial=INITIAL,
    )


def choice(name: str, values: list[Any], kind: Any, ordered: bool) -> ChoiceParameterConfig:
    return ChoiceParameterConfig(name=name, values=values, parameter_type=kind, is_ordered=ordered)


IN_ORDER = bowl(
    "in-order",
    [
        RangeParameterConfig(
            name="rate", bounds=(1e-5, 1.0), parameter_type="float", scaling="log"
        ),
        RangeParameterConfig(name="share", bounds=(-1.0, 0.3), parameter_type="float"),
        RangeParameterConfig(name="width", bounds=(2, 128), parameter_type="int", scaling="log"),
        RangeParameterConfig(name="depth", bounds=(-3, 4), parameter_type="int"),
        choice("dropout", [0.0, 0.3, 0.6], "float", ordered=True),
        choice("bias", [False, True], "bool", ordered=False),
    ],
)
MIXED = bowl(
    "mixed", [*IN_ORDER.parameters, choice("kernel", ["rbf", "linear", "poly"], "str", False)]
)
TABLE = bowl(
    "table",
    [
        choice("batch", [8, 16, 64], "int", ordered=True),
        choice("schedule", ["cosine", "const"], "str", ordered=False),
        choice("decay", [0.0, 0.1, 0.5, 0.9], "float", ordered=True),
    ],
)


def start(
    method: Method, problem: Problem, seed: int = 0, outcome: Callable[[float], float] = float
) -> Optimizer:
    """An optimizer that knows the initial design."""
    optimizer = method.start(problem, Setting(problem.name, method.name, INITIAL, seed))
    for trial in range(INITIAL):
        point = uniform_point(problem.parameters, problem.name, seed, trial)
        optimizer.observe(point, outcome(problem.score(point)))
    return optimizer


def suggestions(method: Method, problem: Problem, count: int, seed: int = 0) -> list[Parameters]:
    optimizer = start(method, problem, seed)
    found = []
    with one_thread(), quiet():
        for trial in range(INITIAL, INITIAL + count):
            suggestion = optimizer.suggest(trial)
            assert not method.is_fallback(suggestion.generator)
            found.append(suggestion.parameters)
            optimizer.observe(found[-1], problem.score(found[-1]))
    return found


def assert_member(point: Parameters, parameters: Sequence[ParameterConfig]) -> None:
    assert list(point) == [config.name for config in parameters]
    for config in parameters:
        value = point[config.name]
        assert type(value).__name__ == config.parameter_type
        if isinstance(config, ChoiceParameterConfig):
            assert value in config.values
        else:
            assert config.bounds[0] <= float(value) <= config.bounds[1]


class OptimizerContract:
    """Tests to inherit, parametrized by the method."""

    mixed = MIXED

    def test_suggestions_are_members_of_the_space(self, method: Method) -> None:
        for problem in (self.mixed, TABLE):
            for point in suggestions(method, problem, count=2):
                assert_member(point, problem.parameters)

    def test_a_resumed_replication_goes_on_as_an_uninterrupted_one(self, method: Method) -> None:
        first, second = suggestions(method, self.mixed, count=2)
        resumed = start(method, self.mixed)
        recorded = json.loads(json.dumps(first))
        resumed.observe(recorded, self.mixed.score(recorded))
        with one_thread(), quiet():
            assert resumed.suggest(INITIAL + 1).parameters == second

    def test_suggestions_are_a_function_of_the_seed_alone(self, method: Method) -> None:
        before = _random_states()
        first = suggestions(method, self.mixed, count=1)
        assert _random_states() == before
        random.random()
        np.random.random()  # noqa: NPY002
        torch.rand(1)
        assert suggestions(method, self.mixed, count=1) == first
        assert suggestions(method, self.mixed, count=1, seed=1) != first

    def test_outcomes_matter_and_so_does_their_direction(self, method: Method) -> None:
        flipped = replace(self.mixed, minimize=False)
        optimizers = [
            start(method, self.mixed),
            start(method, flipped, outcome=lambda value: -value),
            start(method, flipped),
        ]
        trials = range(INITIAL, INITIAL + 2)
        with one_thread(), quiet():
            # A method may now and then draw a point without a look at the outcomes.
            minimized, same, maximized = (
                [optimizer.suggest(trial) for trial in trials] for optimizer in optimizers
            )
        assert minimized == same
        assert minimized != maximized


def _random_states() -> tuple[str, ...]:
    return (
        str(random.getstate()),
        str([part.tolist() if isinstance(part, np.ndarray) else part for part in _numpy_state()]),
        str(torch.get_rng_state().tolist()),
    )


def _numpy_state() -> tuple[Any, ...]:
    return tuple(np.random.get_state(legacy=True))  # noqa: NPY002
