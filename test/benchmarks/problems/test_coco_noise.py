import numpy as np
import pytest
from scipy import stats

from botorch_popbo.benchmarks.problems.coco_noise import cauchy_shift, noise_of

EXCESS, NUMBER = 7.0, 4000


def sample(function: int, dimension: int = 5) -> np.ndarray:
    noise = noise_of(function, dimension)
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
