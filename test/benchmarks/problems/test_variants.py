"""What the problems made of test functions have in common, and each of its own."""

import itertools
from typing import Any

import numpy as np
import pytest
from scipy.stats import rankdata

from botorch_popbo.benchmarks.points import uniform_point
from botorch_popbo.benchmarks.problems import PROBLEMS, Problem
from botorch_popbo.benchmarks.problems.functions import FUNCTIONS as ALL
from botorch_popbo.benchmarks.settings import Parameters

FUNCTIONS = {name: function for name, function in ALL.items() if function.deviations}
VARIANTS = [name for name in PROBLEMS if name.split("-")[0] in FUNCTIONS and "-" in name]


def points(problem: Problem, count: int = 60) -> list[Parameters]:
    return [uniform_point(problem.space, "test", 0, trial) for trial in range(count)]


@pytest.mark.parametrize("name", VARIANTS)
def test_all_but_what_is_observed_is_that_of_the_function(name: str) -> None:
    base, variant = PROBLEMS[name.split("-")[0]].load(None), PROBLEMS[name].load(None)
    assert (variant.name, variant.space.key) == (name, base.space.key)
    for key in vars(base).keys() - {"name", "noisy", "function", "group", "space"}:
        assert getattr(variant, key) == getattr(base, key)
    suffix = name.split("-")[1]
    assert variant.noisy == (suffix in ("gaussian", "student", "outliers"))
    # Only a plain evaluation is the score.
    assert base.is_exact
    assert variant.is_exact == (suffix == "ranks")
    for point in points(base, 5):
        assert variant.score(point) == base.score(point)
        seen = [[variant.evaluate(point, seed) for seed in range(40)] for _ in range(2)]
        assert seen[0] == seen[1]
        assert (len({*seen[0]}) > 1) == variant.noisy


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_distorted_function_is_in_the_same_order_in_another_unit(name: str) -> None:
    problem = PROBLEMS[f"{name}-distorted"].load(None)
    scores = np.array([problem.score(point) for point in points(problem)])
    observed = np.array([problem.evaluate(point, 0) for point in points(problem)], dtype=float)
    np.testing.assert_array_equal(rankdata(observed), rankdata(scores))
    decades = np.log10(observed.max() / observed.min())
    assert decades == pytest.approx(12 * np.ptp(scores) / FUNCTIONS[name].extent)


@pytest.mark.parametrize("name", FUNCTIONS)
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


@pytest.mark.parametrize("base", FUNCTIONS)
def test_a_tenth_are_outliers_of_ten_times_the_range(base: str) -> None:
    noisy = PROBLEMS[f"{base}-outliers"].load(None)
    (point,) = points(noisy, 1)
    observed = [noisy.evaluate(point, seed) for seed in range(2000)]
    found = np.array(observed, dtype=float) - noisy.score(point)
    outliers = found[found != 0]
    assert 0.08 < len(outliers) / len(found) < 0.12
    assert 0.4 < (outliers > 0).mean() < 0.6
    # The functions are largest at a corner.
    problem: Any = PROBLEMS[base].load(None)
    parameters = problem.space.parameters
    corners = itertools.product(*((p.low, p.high) for p in parameters.values()))
    largest = max(problem.score(dict(zip(parameters, x, strict=True))) for x in corners)
    extent = largest - problem.optimal_value
    np.testing.assert_allclose(np.abs(outliers), 10 * extent, rtol=2e-3)
