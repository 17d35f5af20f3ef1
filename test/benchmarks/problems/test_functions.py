"""What the problems made of test functions have in common, and each of its own."""

import itertools

import numpy as np
import pytest
from scipy.stats import rankdata

from botorch_popbo.benchmarks.problems import PROBLEMS, Problem
from botorch_popbo.benchmarks.problems.functions import FUNCTIONS
from botorch_popbo.benchmarks.search_space.points import uniform_point
from botorch_popbo.benchmarks.settings import Parameters

SUFFIXES = ("distorted", "failures", "ranks")
VARIANTS = [f"{name}-{suffix}" for name, suffix in itertools.product(FUNCTIONS, SUFFIXES)]


def points(problem: Problem, count: int = 60) -> list[Parameters]:
    return [uniform_point(problem.parameters, "test", 0, trial) for trial in range(count)]


@pytest.mark.parametrize("name", VARIANTS)
def test_a_variant_is_scored_by_its_function(name: str) -> None:
    base, variant = PROBLEMS[name.split("-")[0]].load(None), PROBLEMS[name].load(None)
    assert variant.name == name
    same = ("parameters", "minimize", "optimal_value", "num_initial", "noisy", "costly_score")
    assert [getattr(variant, key) for key in same] == [getattr(base, key) for key in same]
    for point in points(base, 5):
        assert variant.score(point) == base.score(point)


def test_only_a_plain_evaluation_is_the_score() -> None:
    exact = ("hartmann6", "hartmann6-ranks")
    assert all(PROBLEMS[name].load(None).is_exact for name in exact)
    other = ("hartmann6-distorted", "hartmann6-failures", "hartmann6-gaussian", "sklearn-digits")
    assert not any(PROBLEMS[name].load(None).is_exact for name in other)


@pytest.mark.parametrize("name", list(FUNCTIONS))
def test_a_distorted_function_is_in_the_same_order_in_another_unit(name: str) -> None:
    problem = PROBLEMS[f"{name}-distorted"].load(None)
    scores = np.array([problem.score(point) for point in points(problem)])
    observed = np.array([problem.evaluate(point, 0) for point in points(problem)], dtype=float)
    np.testing.assert_array_equal(rankdata(observed), rankdata(scores))
    decades = np.log10(observed.max() / observed.min())
    extent = FUNCTIONS[name].extent
    assert decades == pytest.approx(12 * (scores.max() - scores.min()) / extent)


@pytest.mark.parametrize("name", list(FUNCTIONS))
def test_the_worse_half_fails(name: str) -> None:
    problem = PROBLEMS[f"{name}-failures"].load(None)
    sample = points(problem, 1000)
    outcomes = [problem.evaluate(point, 0) for point in sample]
    failed = [problem.score(p) for p, y in zip(sample, outcomes, strict=True) if y is None]
    succeeded = [y for y in outcomes if y is not None]
    assert 0.45 < len(failed) / len(sample) < 0.55
    assert max(succeeded) < min(failed)


def test_only_the_order_is_told() -> None:
    problem = PROBLEMS["hartmann6-ranks"].load(None)
    values = np.random.default_rng(0).normal(size=40)
    values[7] = values[3]

    def labels(unit: np.ndarray) -> list[float]:
        earlier: list[tuple[float, float]] = []
        for value in unit:
            earlier.append((float(value), problem.tell(float(value), earlier)))
        return [label for _, label in earlier]

    found = labels(values)
    np.testing.assert_array_equal(rankdata(found), rankdata(values))
    assert found == labels(np.exp(3 * values))
    # The first three: a start, one beyond it, one between them or beyond.
    assert sorted(found[:2]) == [0.0, 1.0] or sorted(found[:2]) == [-1.0, 0.0]


def test_many_points_between_the_same_two_do_no_harm() -> None:
    problem = PROBLEMS["hartmann6-ranks"].load(None)
    earlier = [(0.0, 0.0), (1.0, 1.0)]
    for step in range(1, 200):
        value = 1.0 / (step + 1)
        earlier.append((value, problem.tell(value, earlier)))
    labels = [label for _, label in earlier[1:]]
    assert all(a >= b for a, b in itertools.pairwise(labels))


def test_deviations_are_those_of_the_paper() -> None:
    noisy = [name for name in PROBLEMS if "-gaussian" in name]
    assert sorted(noisy) == [
        "branin-gaussian",
        "branin-gaussian-2",
        "hartmann6-gaussian",
        "hartmann6-gaussian-0.075",
        "rosenbrock2-gaussian",
        "rosenbrock2-gaussian-2",
        "rosenbrock6-gaussian",
    ]
