"""What one statement does to a normal law, by quadrature and by derivatives."""

import math
from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from botorch_popbo.likelihoods import sites
from botorch_popbo.likelihoods.sites import Tilted

NOISE, GAP, CONCENTRATION = 0.3, torch.tensor(-0.4).double(), torch.tensor(2.5).double()
NEAR = torch.tensor([-30.0, -8.0, -1.0, -1e-3, 0.0, 0.7, 5.0, 12.0]).double()
FAR = torch.tensor([-1e8, -1e4, -200.0, -90.0, 40.0, 1e4, 1e8]).double()


def distance(mean: Tensor, variance: Tensor, concentration: Tensor = CONCENTRATION) -> Tilted:
    return sites.distance(mean, variance, GAP.expand_as(mean), concentration)[0]


def log_gamma_density(u: Tensor, c: Tensor = CONCENTRATION) -> Tensor:
    """Of the gap where the difference is ``u``: it is the gap times a gamma variable."""
    log_ratio = u.log() - GAP
    return c * (c.log() + log_ratio - log_ratio.exp()) - torch.lgamma(c)


Site = Callable[[Tensor, Tensor], Tilted]
SITES: dict[str, tuple[Site, Callable[[Tensor], Tensor]]] = {
    "certain": (sites.truncate, lambda u: 0.0 * u),
    "answer": (
        lambda mean, variance: sites.truncate(mean, variance, NOISE),
        lambda u: torch.special.log_ndtr(u / math.sqrt(NOISE)),
    ),
    "logit": (sites.logit, torch.nn.functional.logsigmoid),
    "tie": (
        lambda mean, variance: sites.tie(mean, variance, NOISE),
        lambda u: -0.5 * u.square() / NOISE - math.log(2.0),
    ),
    "distance": (distance, log_gamma_density),
}


def by_quadrature(
    mean: Tensor, variance: Tensor, log_likelihood: Callable[[Tensor], Tensor], is_positive: bool
) -> tuple[Tensor, ...]:
    """The logarithm of the integral, the mean, the variance, and the mean logarithm."""
    side = torch.linspace(-1.0, 1.0, 40_001, dtype=torch.double)
    deviation = variance.sqrt()
    if is_positive:  # in log u
        u = torch.exp(60.0 * side - 10.0)
        log_measure = u.log() + math.log(60.0)
    else:
        u = mean + deviation * (40.0 + mean.abs() / deviation) * side
        log_measure = torch.log(deviation * 40.0 + mean.abs()).expand_as(u)
    prior = -0.5 * ((u - mean).square() / variance + (2.0 * math.pi * variance).log())
    log_weight = prior + log_likelihood(u) + log_measure + torch.log(side[1] - side[0])
    total = log_weight.logsumexp(0)
    weight = torch.exp(log_weight - total)
    first = weight @ u
    return total, first, weight @ (u - first).square(), weight @ u.log()


@pytest.mark.parametrize("variance", [1e-4, 1.0, 50.0])
@pytest.mark.parametrize("name", SITES)
def test_the_integral_and_its_moments_are_those_of_quadrature(name: str, variance: float) -> None:
    site, log_likelihood = SITES[name]
    spread = torch.tensor(variance).double()
    is_logit = name == "logit"  # of which the far tail is that of a wide normal one
    means = NEAR[is_logit:] * spread.sqrt()
    is_positive = name in ("certain", "distance")
    expected = [by_quadrature(mean, spread, log_likelihood, is_positive) for mean in means]
    found = site(means, spread.expand_as(means))
    for each, column in zip(found, zip(*expected, strict=True), strict=False):
        rtol, atol = (1e-4, 1e-5) if is_logit else (1e-6, 1e-9)
        torch.testing.assert_close(each, torch.stack(column), rtol=rtol, atol=atol)
    if name == "distance":
        _, mean_log = sites.distance(means, spread.expand(8), GAP.expand(8), CONCENTRATION)
        torch.testing.assert_close(
            mean_log, torch.stack([e[3] for e in expected]), atol=1e-7, rtol=0
        )


@pytest.mark.parametrize("concentration", [1e-3, 0.3, 30.0, 1e4])
def test_a_distance_is_exact_however_it_is_believed(concentration: float) -> None:
    c, one = torch.tensor(concentration).double(), torch.ones(8).double()
    found = distance(NEAR, one, c)
    expected = [
        by_quadrature(mean, one[0], lambda u: log_gamma_density(u, c), True) for mean in NEAR
    ]
    for each, column in zip(found, zip(*expected, strict=True), strict=False):
        torch.testing.assert_close(each, torch.stack(column), rtol=3e-5, atol=1e-8)


@pytest.mark.parametrize("name", SITES)
def test_moments_are_derivatives_of_the_integral(name: str) -> None:
    site, _ = SITES[name]
    means, variance = NEAR.clone().requires_grad_(), torch.full((8,), 0.8).double()
    found = site(means, variance)
    (slope,) = torch.autograd.grad(found.log_normalizer.sum(), means, retain_graph=True)
    torch.testing.assert_close(found.mean, NEAR + variance * slope, rtol=1e-6, atol=1e-8)
    (bend,) = torch.autograd.grad(found.mean.sum(), means)
    torch.testing.assert_close(found.variance, variance * bend, rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("name", SITES)
def test_far_from_what_is_said_it_is_certain(name: str) -> None:
    variance = torch.ones(7).double()
    found = SITES[name][0](FAR, variance)
    assert all(bool(values.isfinite().all()) for values in found)
    assert bool((found.variance > 0.0).all())
    assert bool((found.variance <= 1.0 + 1e-6).all())
    if name in ("certain", "distance"):
        assert bool((found.mean > 0.0).all())
    if name == "certain":  # the tail of a normal law is exponential
        expected = -1.0 / FAR[:4]
        torch.testing.assert_close(found.mean[:4], expected, rtol=1e-3, atol=0.0)
        torch.testing.assert_close(found.variance[:4], expected.square(), rtol=1e-3, atol=0.0)
