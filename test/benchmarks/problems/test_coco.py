from sys import float_info
from typing import Any

import numpy as np
import pytest
from scipy import stats

from botorch_popbo._errors import UsageError
from botorch_popbo.benchmarks.points import uniform_point
from botorch_popbo.benchmarks.problems import PROBLEMS, Problem, expand
from botorch_popbo.benchmarks.problems.coco_noise import cauchy_shift, noise_of

try:
    import cocoex
except ImportError:
    cocoex = None
needs_coco = pytest.mark.skipif(cocoex is None, reason="coco-experiment is not installed")
#: Noisy functions, and the noise-free ones that they are made of.
BASES = {101: 1, 105: 8, 109: 1, 113: 7, 120: 14, 124: 17, 128: 21}


def load(name: str) -> Any:
    return PROBLEMS[name].load(None)


def points(problem: Problem, number: int = 20) -> list[Any]:
    return [uniform_point(problem.space, problem.name, 0, i) for i in range(number)]


@needs_coco
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


@needs_coco
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


@needs_coco
@pytest.mark.parametrize("function", BASES)
def test_the_score_of_a_noisy_function_is_free_of_noise(function: int) -> None:
    problem = load(f"bbob-noisy-f{function}-d5-i2")
    bare = cocoex.BareProblem("bbob", BASES[function], 5, 2)
    assert problem.optimal_value == bare.best_value()
    for point in points(problem):
        assert problem.score(point) == pytest.approx(bare([*point.values()]), rel=1e-12)


@needs_coco
def test_the_first_variables_of_mixed_functions_are_whole() -> None:
    problem = load("bbob-mixint-f3-d5-i1")
    ranges = [(p.low, p.high, p.step) for p in problem.space.parameters.values()]
    assert ranges == [(0, 1, 1), (0, 3, 1), (0, 7, 1), (0, 15, 1), (-5.0, 5.0, None)]
    suite = cocoex.Suite("bbob-mixint", "instances: 1", "dimensions: 5")
    function = suite.get_problem_by_function_dimension_instance(3, 5, 1)
    scores = np.array([problem.score(point) for point in points(problem)])
    assert scores.tolist() == [function([*point.values()]) for point in points(problem)]
    assert (scores > problem.optimal_value).all()


@needs_coco
def test_an_infeasible_point_fails_and_the_start_does_not() -> None:
    problem = load("bbob-constrained-f2-d5-i1")
    sample = points(problem, 200)
    outcomes = [problem.evaluate(point, 0) for point in sample]
    for outcome, score in zip(outcomes, map(problem.score, sample), strict=True):
        assert score == (float_info.max if outcome is None else outcome)
    assert None in outcomes
    assert min(y for y in outcomes if y is not None) > problem.optimal_value
    assert problem.evaluate(problem.start, 0) > problem.optimal_value


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("bbob-f25-d5", "bbob has functions 1 to 24"),
        ("bbob-noisy-f1-d5", "bbob-noisy has functions 101 to 130"),
        ("bbob-f1-d5-i0", "counted from 1"),
        ("bbob-biobj-f1-d5", "no suite 'bbob-biobj'; known: bbob, bbob-noisy"),
    ],
)
def test_what_coco_lacks_is_named(name: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        expand(name)


def test_without_a_function_a_name_stands_for_all() -> None:
    for other in ("branin", "bbob", "bbob-f1", "bbob-f1-d5-s3", "bbob-f15-d5-i2"):
        assert expand(other) == (other,)
    assert expand("bbob-d5") == tuple(f"bbob-f{n}-d5" for n in range(1, 25))
    assert expand("bbob-noisy-d2-i3")[-1] == "bbob-noisy-f130-d2-i3"
    assert len(expand("bbob-constrained-d5")) == 54
    assert expand("bbob-mixint-d5")[0] in PROBLEMS
    assert "bbob-f15" not in PROBLEMS


EXCESS, NUMBER = 7.0, 4000


def sample(function: int) -> np.ndarray:
    noise = noise_of(function, dimension=5)
    return np.array([noise(EXCESS, np.random.default_rng(i)) for i in range(NUMBER)])


@pytest.mark.parametrize(("function", "beta"), [(101, 0.01), (107, 1.0), (128, 1.0)])
def test_gaussian_noise_multiplies_by_a_lognormal_factor(function: int, beta: float) -> None:
    logs = np.log(sample(function) / EXCESS)
    assert stats.kstest(logs, stats.norm(scale=beta).cdf).pvalue > 0.001


@pytest.mark.parametrize(("function", "weight"), [(105, 0.01), (108, 1.0)])
def test_uniform_noise_has_the_published_law(function: int, weight: float) -> None:
    # log(noisy / excess) = beta log U + alpha U' log(1e9 / excess), drawn another way.
    alpha = weight * (0.49 + 1 / 5)
    u, v = (stats.qmc.Sobol(2, seed=0).random(2**14)).T
    expected = weight * np.log(u) + alpha * v * np.log(1e9 / EXCESS)
    assert stats.ks_2samp(np.log(sample(function) / EXCESS), expected).pvalue > 0.001


@pytest.mark.parametrize(("function", "weight", "share"), [(103, 0.01, 0.05), (130, 1.0, 0.2)])
def test_cauchy_noise_scatters_its_share(function: int, weight: float, share: float) -> None:
    found = sample(function) - EXCESS
    assert np.median(found) == pytest.approx(cauchy_shift(function), rel=1e-12)
    scattered = found[np.abs(found - cauchy_shift(function)) > 1e-9]
    assert len(scattered) / NUMBER == pytest.approx(share, abs=4 * np.sqrt(share / NUMBER))
    # One value in a thousand is cut off at zero.
    units = (scattered - cauchy_shift(function)) / weight
    assert stats.kstest(units, stats.cauchy.cdf).pvalue > 0.001


def test_a_seed_determines_the_noise_and_no_value_is_below_the_optimum() -> None:
    for function in range(101, 131):
        noise = noise_of(function, 2)
        assert noise(3.0, np.random.default_rng(1)) == noise(3.0, np.random.default_rng(1))
        assert min(noise(0.0, np.random.default_rng(i)) for i in range(200)) >= 0.0
