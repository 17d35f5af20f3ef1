import numpy as np
import pytest
from scipy.stats import norm

from botorch_popbo.benchmarks.methods._bohb import Density


def test_the_density_is_the_mean_of_products_of_kernels() -> None:
    generator = np.random.default_rng(0)
    data = np.column_stack([generator.random((7, 2)), generator.integers(3, size=7)])
    density = Density(data, np.array([0, 0, 3]))
    width = density.bandwidth
    expected = 1.06 * data[:, :2].std(axis=0) * 7 ** (-1 / 7)
    np.testing.assert_allclose(width[:2], expected)
    points = np.column_stack([generator.random((5, 2)), [0, 1, 2, 0, 1]])
    for point, found in zip(points, density(points), strict=True):
        terms = [
            norm.pdf(point[0], row[0], width[0])
            * norm.pdf(point[1], row[1], width[1])
            * (1 - width[2] if point[2] == row[2] else width[2] / 2)
            for row in data
        ]
        assert found == pytest.approx(np.mean(terms))


def test_samples_are_in_the_unit_cube_or_categories() -> None:
    generator = np.random.default_rng(0)
    data = np.column_stack([[0.0, 1.0, 0.5], [0, 1, 3]])
    samples = Density(data, np.array([0, 4])).sample(400, generator)
    assert samples[:, 0].min() >= 0
    assert samples[:, 0].max() <= 1
    assert set(samples[:, 1]) == {0, 1, 2, 3}


def test_equal_values_keep_a_width() -> None:
    assert (Density(np.ones((4, 2)), np.array([0, 2])).bandwidth == 1e-3).all()
