import numpy as np
import numpy.typing as npt
import pytest

from botorch_popbo.benchmarks.problems import PROBLEMS, Problem
from botorch_popbo.benchmarks.problems.noise import noisy_functions

FUNCTIONS = {"branin": 2, "hartmann6": 6, "rosenbrock6": 6, "rosenbrock2": 2}
POINT = {f"x{i}": 0.25 + 0.1 * i for i in range(6)}


def errors(name: str, count: int = 2000) -> npt.NDArray[np.float64]:
    problem = PROBLEMS[name].load(None)
    point = {config.name: POINT[config.name] for config in problem.parameters}
    exact = problem.score(point)
    return np.array([problem.evaluate(point, seed) - exact for seed in range(count)])


@pytest.mark.parametrize("name", list(noisy_functions()))
def test_the_noise_is_a_function_of_the_seed(name: str) -> None:
    first, second = errors(name, 40), errors(name, 40)
    np.testing.assert_array_equal(first, second)
    assert len(set(first)) > 1


@pytest.mark.parametrize("name", list(noisy_functions()))
def test_all_but_the_noise_is_that_of_the_function(name: str) -> None:
    base = name.split("-")[0]
    exact, noisy = PROBLEMS[base].load(None), PROBLEMS[name].load(None)
    assert noisy.name == name
    assert noisy.noisy
    assert not noisy.costly_score
    point = {f"x{i}": POINT[f"x{i}"] for i in range(FUNCTIONS[base])}
    assert noisy.score(point) == exact.score(point)
    same = ("label", "metric_name", "minimize", "optimal_value", "num_initial")
    assert [getattr(noisy, key) for key in same] == [getattr(exact, key) for key in same]
    assert noisy.parameters == exact.parameters


@pytest.mark.parametrize(("base", "deviation"), [("branin", 5), ("hartmann6", 0.1)])
def test_gaussian_errors_have_the_deviation_of_the_paper(base: str, deviation: float) -> None:
    found = errors(f"{base}-gaussian") / deviation
    assert abs(found.mean()) < 0.1
    assert found.std() == pytest.approx(1, abs=0.05)
    assert np.abs(found).max() < 5


@pytest.mark.parametrize(("base", "scale"), [("branin", 5), ("hartmann6", 0.1)])
def test_student_errors_have_heavy_tails(base: str, scale: float) -> None:
    found = np.abs(errors(f"{base}-student")) / scale
    # Two degrees of freedom: the median of |t| is sqrt(2/3), and 0.99 of it are below 9.92.
    assert np.median(found) == pytest.approx((2 / 3) ** 0.5, rel=0.1)
    assert 0.004 < (found > 9.925).mean() < 0.018


@pytest.mark.parametrize("base", list(FUNCTIONS))
def test_a_tenth_are_outliers_of_ten_times_the_range(base: str) -> None:
    found = errors(f"{base}-outliers")
    exact = _extent(PROBLEMS[base].load(None))
    outliers = found[found != 0]
    assert 0.08 < len(outliers) / len(found) < 0.12
    assert 0.4 < (outliers > 0).mean() < 0.6
    np.testing.assert_allclose(np.abs(outliers), 10 * exact, rtol=2e-3)


def _extent(problem: Problem) -> float:
    """The range on a grid that holds the corners, where Branin and Rosenbrock are largest."""
    assert problem.optimal_value is not None
    ends = [config.bounds for config in problem.parameters]  # type: ignore[union-attr]
    grid = np.stack(np.meshgrid(*ends, indexing="ij"), axis=-1).reshape(-1, len(ends))
    names = [config.name for config in problem.parameters]
    values = [problem.score(dict(zip(names, row.tolist(), strict=True))) for row in grid]
    return max(values) - problem.optimal_value
