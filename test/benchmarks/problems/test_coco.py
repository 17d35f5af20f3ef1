from sys import float_info
from typing import Any

import numpy as np
import pytest

from botorch_popbo.benchmarks.points import uniform_point
from botorch_popbo.benchmarks.problems import PROBLEMS
from botorch_popbo.benchmarks.problems.coco import CocoProblem

cocoex = pytest.importorskip("cocoex")
#: Noisy functions, and the noise-free ones that they are made of.
BASES = {101: 1, 105: 8, 109: 1, 113: 7, 120: 14, 124: 17, 128: 21}


def load(name: str) -> Any:
    return PROBLEMS[name].load(None)


def points(problem: CocoProblem, number: int = 20) -> list[Any]:
    return [uniform_point(problem.space, problem.name, 0, i) for i in range(number)]


@pytest.mark.parametrize("name", ["bbob-f1-d2-i1", "bbob-f15-d5-i3", "bbob-f24-d10-i20"])
def test_a_function_is_cocos_own(name: str) -> None:
    problem = load(name)
    function, dimension, instance = (int(part[1:]) for part in name.split("-")[1:])
    bare = cocoex.BareProblem("bbob", function, dimension, instance)
    assert problem.name == name
    assert [(p.low, p.high) for p in problem.space.parameters.values()] == [(-5.0, 5.0)] * dimension
    for point in points(problem):
        assert problem.evaluate(point, 0) == bare(list(point.values()))
    best = dict(zip(point, bare.best_parameter(), strict=True))
    assert problem.score(best) == problem.optimal_value == bare.best_value()


def test_an_instance_follows_the_seed_unless_it_is_named() -> None:
    family, one = load("bbob-f3-d2"), load("bbob-f3-d2-i1")
    point = points(family)[0]
    for seed in range(3):
        found, expected = family.for_seed(seed), load(f"bbob-f3-d2-i{seed + 1}")
        assert found.score(point) == expected.score(point)
        assert (found.name, found.optimal_value) == ("bbob-f3-d2", expected.optimal_value)
        assert family.for_seed(seed + 1).score(point) != found.score(point)
        assert one.for_seed(seed) is one
    assert family.group == "bbob-d2 separable"


@pytest.mark.parametrize("function", BASES)
def test_the_score_of_a_noisy_function_is_free_of_noise(function: int) -> None:
    problem = load(f"bbob-noisy-f{function}-d5-i2")
    bare = cocoex.BareProblem("bbob", BASES[function], 5, 2)
    assert problem.optimal_value == bare.best_value()
    for point in points(problem):
        assert problem.score(point) == pytest.approx(bare([*point.values()]), rel=1e-12)


def test_the_first_variables_of_mixed_functions_are_whole() -> None:
    problem = load("bbob-mixint-f3-d5-i1")
    own = [(p.low, p.high, p.step) for p in problem.space.parameters.values()]
    assert own == [(0, 1, 1), (0, 3, 1), (0, 7, 1), (0, 15, 1), (-5.0, 5.0, None)]
    suite = cocoex.Suite("bbob-mixint", "instances: 1", "dimensions: 5")
    function = suite.get_problem_by_function_dimension_instance(3, 5, 1)
    scores = np.array([problem.score(point) for point in points(problem)])
    assert scores.tolist() == [function([*point.values()]) for point in points(problem)]
    assert (scores > problem.optimal_value).all()


def test_an_infeasible_point_fails_and_the_start_does_not() -> None:
    problem = load("bbob-constrained-f2-d5-i1")
    outcomes = [problem.evaluate(point, 0) for point in points(problem, 200)]
    scores = [problem.score(point) for point in points(problem, 200)]
    for outcome, score in zip(outcomes, scores, strict=True):
        assert score == (float_info.max if outcome is None else outcome)
    assert None in outcomes
    feasible = [outcome for outcome in outcomes if outcome is not None]
    assert min(feasible) > problem.optimal_value
    assert problem.start is not None
    assert problem.evaluate(problem.start, 0) > problem.optimal_value
