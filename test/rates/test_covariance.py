import pytest
import torch
from helpers.gaussian import covariance, kernel, unit_points

from botorch_popbo.rates.covariance import (
    JITTER,
    MEAN_VARIANCE,
    PairwiseDistances,
    default_lengthscale,
)

X = unit_points(7, 3)
LENGTHSCALE = torch.tensor([0.3, 1.0, 4.0], dtype=torch.float64)


@pytest.mark.parametrize("noise", [torch.tensor(0.01), torch.linspace(0.1, 0.7, 7)])
def test_it_is_gpytorchs_kernel_with_an_unknown_mean_and_noise(noise: torch.Tensor) -> None:
    found = PairwiseDistances(X).covariance(LENGTHSCALE, noise.double())
    expected = covariance(X, LENGTHSCALE, noise.double() + JITTER)
    torch.testing.assert_close(found.factor @ found.factor.T, expected, rtol=1e-10, atol=0)
    assert torch.equal(found.factor, found.factor.tril())
    torch.testing.assert_close(found.precision, torch.linalg.inv(expected), rtol=1e-7, atol=1e-7)
    torch.testing.assert_close(found.log_determinant, torch.logdet(expected))


def test_derivatives_reach_the_lengthscales() -> None:
    matern = kernel(LENGTHSCALE)
    generator = torch.Generator().manual_seed(1)
    gradient = torch.randn(7, 7, generator=generator, dtype=torch.float64)
    gradient = gradient + gradient.T
    (matern(X).to_dense() * gradient).sum().backward()
    raw = matern.raw_lengthscale
    constraint = matern.raw_lengthscale_constraint
    (slope,) = torch.autograd.grad(constraint.transform(raw).log().sum(), raw)
    distances = PairwiseDistances(X)
    at = distances.covariance(LENGTHSCALE, torch.tensor(0.1).double())
    found = distances.chain(gradient, at, LENGTHSCALE)
    torch.testing.assert_close(found, (raw.grad / slope).squeeze(0))


def test_replicates_and_a_single_record_are_no_problem() -> None:
    twice = PairwiseDistances(X[[0, 0, 1]]).covariance(LENGTHSCALE, torch.tensor(1e-6).double())
    assert twice.precision.isfinite().all()
    one = PairwiseDistances(X[:1]).covariance(LENGTHSCALE, torch.tensor(0.5).double())
    assert one.factor.item() ** 2 == pytest.approx(1.5 + MEAN_VARIANCE + JITTER)


def test_a_matrix_that_is_not_positive_definite_is_an_error() -> None:
    with pytest.raises(torch.linalg.LinAlgError):
        PairwiseDistances(X).covariance(LENGTHSCALE, torch.tensor(-30.0).double())


def test_lengthscales_grow_with_the_diagonal_of_the_cube() -> None:
    assert default_lengthscale(16) == pytest.approx(4.0 * default_lengthscale(1))
