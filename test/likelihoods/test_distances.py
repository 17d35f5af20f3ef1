"""What the likelihood of an order makes of the distances of outcomes."""

import math

import pytest
import torch
from helpers.comparisons import chain, relate
from helpers.gaussian import covariance, unit_points
from torch import Tensor
from torch.autograd import gradcheck

from botorch_popbo import RankingGP
from botorch_popbo.likelihoods.comparisons import Comparisons
from botorch_popbo.likelihoods.order import OrderedUtilities, order_utilities
from botorch_popbo.likelihoods.terms import Distances

LOG_GAP = torch.tensor([-1.0, 0.3, math.nan, -0.2, 0.0]).double()
ORDERS = {
    "ranking": chain([1, 2, 0, 4, 3]),
    "ties": relate([(0, 1), (1, 4)], between=[(0, 2, 4)]),
    "hanging": relate([(2, i) for i in (0, 1, 3, 4)]),
    "equals": relate([(0, 1), (1, 4)], equal=[(0, 2), (0, 3)]),
    "equals and an interval": relate([(0, 1), (1, 4)], between=[(0, 2, 4)], equal=[(0, 3)]),
}
EACH = pytest.mark.parametrize("comparisons", ORDERS.values(), ids=ORDERS)


def prior(number: int) -> Tensor:
    X = unit_points(number)
    return covariance(X, torch.tensor([0.4, 0.7]).to(X), 1e-2)


def falling(comparisons: Comparisons, number: int) -> Tensor:
    utilities = torch.zeros(number).double()
    for _ in range(number):
        for better, worse in zip(comparisons.better, comparisons.worse, strict=True):
            utilities[worse] = torch.minimum(utilities[worse], utilities[better] - 0.5)
    return utilities


def found(
    comparisons: Comparisons, log_gap: Tensor, concentration: float | Tensor, number: int = 5
) -> OrderedUtilities:
    distances = Distances(log_gap, torch.as_tensor(concentration).double())
    start = falling(comparisons, number)
    return order_utilities(prior(number), comparisons, start, 0.05, 1e-16, distances, True)


def heard(comparisons: Comparisons) -> Tensor:
    """Distances of the comparisons that are gaps."""
    is_gap = comparisons.is_strict & ~comparisons.is_side
    return LOG_GAP[: len(comparisons)].where(is_gap, torch.nan)


@pytest.mark.parametrize("concentration", [0.5, 3.0, 30.0])
def test_the_evidence_is_close_to_the_integral(concentration: float) -> None:
    log_gap, comparisons = torch.tensor([-0.5, 0.3]).double(), chain([0, 1, 2])
    matrix = prior(3)
    gaps = torch.distributions.MultivariateNormal(
        torch.zeros(2).double(), comparisons.covariance(matrix)
    )
    side = torch.linspace(-12.0, 3.0, 1500).double()
    log_u = torch.cartesian_prod(side, side)
    u, a = log_u.exp(), concentration
    ratio = log_gap - log_u
    told = a * math.log(a) - math.lgamma(a) - a * ratio - a * torch.exp(-ratio)
    log_density = gaps.log_prob(u) + log_u.sum(-1) + told.sum(-1)
    exact = log_density.logsumexp(0) + 2.0 * torch.log(side[1] - side[0])
    # Without distances Laplace's method is off by as much, at two gaps.
    assert abs(float(found(comparisons, log_gap, a, 3).log_likelihood - exact)) < 0.2


@EACH
def test_gradients(comparisons: Comparisons) -> None:
    class Evidence(torch.autograd.Function):
        @staticmethod
        def forward(ctx, log_gap, concentration):  # type: ignore[no-untyped-def]
            utilities = found(comparisons, log_gap, concentration)
            ctx.save_for_backward(*utilities.by_distances)
            return utilities.log_likelihood

        @staticmethod
        def backward(ctx, slope):  # type: ignore[no-untyped-def]
            by_log_gap, by_concentration = ctx.saved_tensors
            return slope * by_log_gap, slope * by_concentration

    is_known = heard(comparisons).isfinite()
    known = heard(comparisons)[is_known].requires_grad_()
    concentration = torch.tensor(2.5).double().requires_grad_()

    def evidence(known: Tensor, concentration: Tensor) -> Tensor:
        log_gap = heard(comparisons).masked_scatter(is_known, known)
        value: Tensor = Evidence.apply(log_gap, concentration)
        return value

    assert gradcheck(evidence, (known, concentration), eps=1e-6, atol=1e-6)


@EACH
def test_gradient_in_the_covariance(comparisons: Comparisons) -> None:
    distances = Distances(heard(comparisons), torch.tensor(2.5).double())
    matrix, start = prior(5), falling(comparisons, 5)

    def utilities(matrix: Tensor) -> OrderedUtilities:
        return order_utilities(matrix, comparisons, start, 0.05, 1e-16, distances)

    half = torch.randn(5, 5, generator=torch.Generator().manual_seed(0)).double()
    step = half + half.T
    ahead, behind = (utilities(matrix + sign * 1e-6 * step) for sign in (1.0, -1.0))
    expected = (ahead.log_likelihood - behind.log_likelihood) / 2e-6
    actual = (utilities(matrix).gradient() * step).sum()
    torch.testing.assert_close(actual, expected, rtol=1e-6, atol=1e-7)


@EACH
def test_distances_that_are_not_believed_change_nothing(comparisons: Comparisons) -> None:
    alone = order_utilities(prior(5), comparisons, falling(comparisons, 5), 0.05, 1e-16)
    utilities = found(comparisons, heard(comparisons), 1e-12)
    torch.testing.assert_close(utilities.utilities, alone.utilities, rtol=0, atol=1e-8)
    torch.testing.assert_close(utilities.ordered_root, alone.ordered_root, rtol=0, atol=1e-8)


def test_distances_that_are_certain_are_those_of_the_utilities() -> None:
    comparisons = chain([1, 2, 0, 4, 3])
    log_gap = torch.tensor([-1.0, 0.3, -2.0, -0.2]).double()
    utilities = found(comparisons, log_gap, 1e12)
    torch.testing.assert_close(utilities.gaps, log_gap.exp(), rtol=1e-5, atol=0)
    # Nothing is open: it explains what a regression on the values does.
    explained = utilities.ordered_root @ utilities.ordered_root.T
    certain = utilities.root @ utilities.root.T
    torch.testing.assert_close(explained, certain, rtol=1e-5, atol=1e-6)


def toy(number: int = 20) -> tuple[Tensor, Tensor]:
    X = torch.quasirandom.SobolEngine(2, scramble=True, seed=0).draw(number).double()
    return X, torch.sin(5.0 * X[:, :1]) + X[:, 1:]


def test_an_affine_transform_of_the_outcomes_changes_nothing() -> None:
    X, Y = toy()
    test_X = torch.rand(7, 1, 2, generator=torch.Generator().manual_seed(1)).double()
    posteriors = [
        RankingGP(X, outcomes).fit().posterior(test_X) for outcomes in (Y, 1e6 * Y - 3e5, 1e-6 * Y)
    ]
    for other in posteriors[1:]:
        torch.testing.assert_close(other.mean, posteriors[0].mean, rtol=1e-4, atol=1e-5)
        torch.testing.assert_close(other.variance, posteriors[0].variance, rtol=1e-3, atol=1e-6)
