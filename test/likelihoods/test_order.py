import itertools

import pytest
import torch
from helpers.gaussian import covariance, unit_points
from torch import Tensor

from botorch_popbo.likelihoods.order import OrderedUtilities, order_utilities

STRICT = torch.tensor([2, 0, 1, 4, 3])
TIED = torch.tensor([1, 0, 1, 2, 2, 1])
LEVELS = pytest.mark.parametrize("level", [STRICT, TIED], ids=["strict", "tied"])


def prior(num_points: int, noise: float = 1e-2) -> Tensor:
    X = unit_points(num_points)
    return covariance(X, torch.tensor([0.4, 0.7]).to(X), noise)


def start(level: Tensor) -> Tensor:
    num_levels = int(level.max()) + 1
    return torch.linspace(1.0, -1.0, num_levels, dtype=torch.float64)


def ordered(matrix: Tensor, level: Tensor) -> OrderedUtilities:
    return order_utilities(torch.linalg.inv(matrix), torch.logdet(matrix), level, start(level))


def log_integrand(levels: Tensor, precision: Tensor, level: Tensor) -> Tensor:
    """Of the probability of the order, in the logarithms of the gaps."""
    z = levels[level]
    return -0.5 * z @ precision @ z + levels.diff().neg().log().sum()


@LEVELS
def test_the_mode_is_stationary_and_in_order(level: Tensor) -> None:
    matrix = prior(len(level))
    precision = torch.linalg.inv(matrix)
    found = ordered(matrix, level)
    levels = found.levels.clone().requires_grad_()
    (slope,) = torch.autograd.grad(log_integrand(levels, precision, level), levels)
    torch.testing.assert_close(slope, torch.zeros_like(slope), rtol=0, atol=1e-4)
    assert (found.levels.diff() < 0.0).all()
    assert torch.equal(found.utilities, found.levels[level])
    torch.testing.assert_close(found.weights, precision @ found.utilities)


@LEVELS
def test_the_mode_does_not_depend_on_the_start(level: Tensor) -> None:
    matrix = prior(len(level))
    found = ordered(matrix, level)
    far = 50.0 + 1e3 * start(level).exp()
    other = order_utilities(torch.linalg.inv(matrix), torch.logdet(matrix), level, far)
    torch.testing.assert_close(other.levels, found.levels, rtol=0, atol=1e-4)


@LEVELS
def test_the_likelihood_is_laplaces_method(level: Tensor) -> None:
    matrix = prior(len(level))
    precision = torch.linalg.inv(matrix)
    found = ordered(matrix, level)
    hessian = -torch.autograd.functional.hessian(
        lambda levels: log_integrand(levels, precision, level), found.levels
    )
    gaps = found.levels.numel() - 1
    expected = -0.5 * (torch.logdet(matrix) + torch.logdet(hessian) + gaps)
    torch.testing.assert_close(found.log_likelihood, expected)
    # What the order leaves open of the utilities is the inverse of the same matrix.
    basis = torch.nn.functional.one_hot(level).to(matrix)
    root = precision @ basis
    torch.testing.assert_close(
        found.spread_root @ found.spread_root.T, root @ torch.linalg.inv(hessian) @ root.T
    )


def test_it_ranks_orders_by_their_probability() -> None:
    """Laplace's method misses every order's probability by nearly the same factor."""
    matrix = prior(5)
    generator = torch.Generator().manual_seed(0)
    draws = torch.randn(2**20, 5, generator=generator, dtype=torch.float64)
    best_first = (draws @ torch.linalg.cholesky(matrix).T).argsort(-1, descending=True)
    code = best_first @ 10 ** torch.arange(4, -1, -1)
    error = []
    for order in itertools.permutations(range(5)):
        probability = (code == int("".join(map(str, order)))).double().mean()
        if probability > 0.004:
            level = torch.tensor(order).argsort()
            error.append(ordered(matrix, level).log_likelihood - probability.log())
    errors = torch.stack(error)
    assert len(errors) > 20
    assert (errors - errors.mean()).abs().max() < 0.2
    assert errors.std() < 0.08


@LEVELS
def test_gradient_in_the_covariance(level: Tensor) -> None:
    matrix = prior(len(level))
    direction = covariance(unit_points(len(level), seed=1), torch.tensor([0.2, 0.2]).double())
    direction -= direction.mean()
    step = 1e-5
    up, down = (ordered(matrix + s * direction, level).log_likelihood for s in (step, -step))
    gradient = ordered(matrix, level).gradient(torch.linalg.inv(matrix))
    assert torch.allclose(gradient, gradient.T)
    torch.testing.assert_close(
        (gradient * direction).sum(), (up - down) / (2.0 * step), rtol=1e-4, atol=1e-6
    )


def test_the_scale_of_the_prior_cancels() -> None:
    matrix = prior(5)
    plain, scaled = ordered(matrix, STRICT), ordered(9.0 * matrix, STRICT)
    torch.testing.assert_close(scaled.log_likelihood, plain.log_likelihood)
    torch.testing.assert_close(scaled.levels, 3.0 * plain.levels, rtol=1e-4, atol=1e-6)


def test_with_ties_it_is_a_density_of_the_tied_utilities() -> None:
    matrix = prior(6)
    change = ordered(9.0 * matrix, TIED).log_likelihood - ordered(matrix, TIED).log_likelihood
    # Six records on three levels: three differences are exactly zero.
    assert change.item() == pytest.approx(-3.0 * torch.tensor(3.0).log().item())


def test_one_record_and_one_level() -> None:
    one = ordered(prior(1), torch.tensor([0]))
    assert one.levels.tolist() == pytest.approx([0.0])
    assert one.log_likelihood.item() == pytest.approx(0.0)
    equal = ordered(prior(4), torch.zeros(4, dtype=torch.long))
    assert equal.levels.shape == (1,)
    assert equal.log_likelihood.isfinite()
