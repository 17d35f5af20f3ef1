import math
from typing import Any

import pytest
import torch
from helpers.exact_poisson import ExactLaw
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from torch import Tensor
from torch.autograd import gradcheck

from botorch_popbo.paper import truncated_poisson as law

INFINITE = torch.tensor(torch.inf).double()
EXPOSURES = [0, 1, 2, 11, 12, 300, 3_000]


def tensor(values: Any) -> Tensor:
    return torch.tensor(values, dtype=torch.float64)


def log_rates(n: int) -> list[float]:
    """From -30 to 30, and where the rate passes the exposure."""
    ratios = [0.3, 0.9, 0.999, 1.0, 1.02, 1.5, 3.0]
    return [-30.0 + 6.0 * i for i in range(11)] + [math.log(max(n, 1) * r) for r in ratios]


@pytest.mark.parametrize("n", EXPOSURES)
def test_everything_matches_exact_summation(n: int) -> None:
    rates, exposure = tensor(log_rates(n)).requires_grad_(), tensor(n)
    laws = [ExactLaw(rate, n) for rate in rates.tolist()]
    mean = tensor([float(x.mean) for x in laws])
    variance = tensor([float(x.variance) for x in laws])
    found = law.mean(rates, exposure)
    torch.testing.assert_close(found.detach(), mean, rtol=1e-10, atol=0)
    torch.testing.assert_close(law.variance(rates, exposure), variance, rtol=1e-9, atol=0)
    # The derivative of the mean in the log-rate is the variance: a difference of sums of size n.
    (slope,) = torch.autograd.grad(found.sum(), rates)
    torch.testing.assert_close(slope, variance, rtol=1e-9, atol=1e-11 * (n + 1))
    ends = [tensor(k).expand_as(mean) for k in {0, min(1, n), n // 3, max(n - 1, 0), n}]
    for counts in (*ends, mean.round(), 0.4 * mean):  # real counts continue the factorial
        exact = tensor([float(x.log_prob(k)) for x, k in zip(laws, counts.tolist(), strict=True)])
        computed = law.log_prob(counts, rates, exposure)
        torch.testing.assert_close(computed.detach(), exact, rtol=0, atol=1e-9)


@pytest.mark.parametrize("n", [0, 1, 12, 300])
def test_the_distribution_function_is_the_sum_of_probabilities(n: int) -> None:
    eta, exposure = tensor(log_rates(n)).unsqueeze(-1), tensor(n)
    counts = torch.arange(n + 1.0, dtype=torch.float64)
    sums = law.log_prob(counts, eta, exposure).exp().cumsum(-1)
    torch.testing.assert_close(sums[:, -1], torch.ones_like(sums[:, -1]), rtol=0, atol=1e-10)
    torch.testing.assert_close(law.cdf(counts + 0.7, eta, exposure), sums, rtol=0, atol=1e-12)
    ends = law.cdf(tensor([-1.0, -0.1, n + 5.0]), eta, exposure)
    assert torch.equal(ends, tensor([0.0, 0.0, 1.0]).expand_as(ends))


def test_infinite_exposure_is_the_poisson_law() -> None:
    rate = torch.linspace(-12.0, 6.0, 41, dtype=torch.float64)
    counts = tensor([0.0, 1.0, 7.0, 50.0, 1000.0]).unsqueeze(-1)
    poisson = torch.distributions.Poisson(rate.exp())
    expected = poisson.log_prob(counts)
    torch.testing.assert_close(
        law.log_prob(counts, rate, INFINITE), expected, rtol=1e-13, atol=1e-10
    )
    assert torch.equal(law.mean(rate, INFINITE), rate.exp())
    assert torch.equal(law.variance(rate, INFINITE), rate.exp())
    below = torch.as_tensor(stats.poisson.cdf(counts.numpy(), rate.exp().numpy()))
    torch.testing.assert_close(law.cdf(counts, rate, INFINITE), below, atol=1e-10, rtol=0)
    assert law.log_prob(tensor(-1.0), rate[0], INFINITE) == -torch.inf


def test_finite_and_infinite_exposures_mix_and_arguments_broadcast() -> None:
    counts, rate = torch.arange(4.0).double().reshape(4, 1, 1), tensor([[-1.0], [1.0], [5.0]])
    exposure = tensor([3.0, torch.inf])
    together = law.log_prob(counts, rate, exposure)
    assert together.shape == (4, 3, 2)
    for i, n in enumerate(exposure):
        torch.testing.assert_close(together[..., i : i + 1], law.log_prob(counts, rate, n))
        torch.testing.assert_close(law.mean(rate, exposure)[:, i : i + 1], law.mean(rate, n))


def test_outside_the_support_is_impossible_and_without_a_slope() -> None:
    rate = tensor([-20.0, 0.0, 20.0]).requires_grad_()
    value = law.log_prob(tensor([[-1.0], [-0.5], [5.5], [6.0]]), rate, tensor(5.0))
    assert value.isneginf().all()
    (slope,) = torch.autograd.grad(value.sum(), rate)
    assert not slope.any()


@pytest.mark.parametrize("n", [1.0, 12.0, math.inf])
def test_gradients(n: float) -> None:
    rate, exposure = tensor([-2.0, 0.1, 2.4, 3.5]).requires_grad_(), tensor(n)
    assert gradcheck(lambda eta: law.log_prob(tensor(0.7), eta, exposure), (rate,))
    assert gradcheck(lambda eta: law.mean(eta, exposure), (rate,))
    assert gradcheck(lambda eta: law.variance(eta, exposure), (rate,))


@settings(max_examples=200)
@given(
    log_rate=st.floats(-700.0, 700.0),
    exposure=st.integers(0, 3000).map(float) | st.just(math.inf),
    share=st.floats(0.0, 1.0),
)
def test_values_and_gradients_are_never_nan(log_rate: float, exposure: float, share: float) -> None:
    rate, n = tensor(log_rate).requires_grad_(), tensor(exposure)
    value = law.log_prob(tensor(share * min(exposure, 1e6)), rate, n)
    assert value.isfinite()
    assert not torch.autograd.grad(value, rate)[0].isnan()
    mean, variance = law.mean(rate, n), law.variance(rate, n)
    assert 0.0 <= mean <= exposure * (1.0 + 1e-12)
    assert 0.0 <= variance <= mean * (1.0 + 1e-9)  # truncation only narrows the law


@pytest.mark.parametrize("n", [20.0, torch.inf])
def test_the_support_leaves_nothing_out(n: float) -> None:
    eta = tensor([-5.0, 1.0, 4.0])
    counts = law.support(eta, tensor(n))
    assert counts.max() <= n
    total = law.log_prob(counts, eta.unsqueeze(-1), tensor(n)).exp().sum(-1)
    torch.testing.assert_close(total, torch.ones_like(total), rtol=0, atol=1e-12)
