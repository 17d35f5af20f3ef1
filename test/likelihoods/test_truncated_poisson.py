import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from helpers.exact_poisson import ExactLaw
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.autograd import gradcheck, gradgradcheck

from botorch_popbo.likelihoods import truncated_poisson as law

# Of a count, a log-rate and an exposure.
FUNCTIONS: list[Callable[[Tensor, Tensor, Tensor], Tensor]] = [
    law.log_prob,
    lambda _, rate, exposure: law.log_normalizer(rate, exposure),
    lambda _, rate, exposure: law.mean(rate, exposure),
    lambda _, rate, exposure: law.variance(rate, exposure),
]
EXPOSURES = [0, 1, 2, 5, 11, 12, 50, 300, 2000, 10_000]


def tensor(values: Any) -> Tensor:
    return torch.tensor(values, dtype=torch.float64)


def log_rates(n: int) -> list[float]:
    """From -30 to 30, and where the rate passes the exposure."""
    ratios = [0.3, 0.6, 0.9, 0.97, 0.999, 1.0, 1.0001, 1.02, 1.1, 1.5, 3.0]
    return [-30.0 + 3.0 * i for i in range(21)] + [math.log(max(n, 1) * r) for r in ratios]


@pytest.mark.parametrize("n", EXPOSURES)
def test_everything_matches_exact_summation(n: int) -> None:
    rates, exposure = tensor(log_rates(n)), tensor(n)
    laws = [ExactLaw(rate, n) for rate in rates.tolist()]
    normalizer, mean, variance = (
        tensor([float(getattr(x, name)) for x in laws])
        for name in ("log_normalizer", "mean", "variance")
    )
    torch.testing.assert_close(
        law.log_normalizer(rates, exposure), normalizer, rtol=1e-14, atol=1e-10
    )
    torch.testing.assert_close(law.mean(rates, exposure), mean, rtol=1e-10, atol=0)
    torch.testing.assert_close(law.variance(rates, exposure), variance, rtol=1e-10, atol=0)
    ends = [tensor(k).expand_as(rates) for k in {0, min(1, n), n // 3, max(n - 1, 0), n}]
    for counts in (*ends, mean.round()):
        exact = tensor([float(x.log_prob(k)) for x, k in zip(laws, counts.tolist(), strict=True)])
        computed = law.log_prob(counts, rates, exposure)
        torch.testing.assert_close(computed, exact, rtol=0, atol=1e-10)
    # Derivatives of a sum of size n: absolute errors are a rounding of n.
    rates.requires_grad_()
    total = law.log_normalizer(rates, exposure).sum()
    (first,) = torch.autograd.grad(total, rates, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), rates)
    torch.testing.assert_close(first.detach(), mean, rtol=1e-10, atol=1e-13 * (n + 1))
    torch.testing.assert_close(second, variance, rtol=1e-9, atol=1e-12 * (n + 1))


@pytest.mark.parametrize("n", [1, 11, 300])
def test_log_prob_of_real_counts_continues_the_factorial(n: int) -> None:
    for rate in (-3.0, 0.0, math.log(n), 8.0):
        for k in (0.25, 0.5 * n, n - 0.5):
            computed = law.log_prob(tensor(k), tensor(rate), tensor(n)).item()
            exact = float(ExactLaw(rate, n).log_prob(k))
            assert computed == pytest.approx(exact, rel=0, abs=1e-10)


@pytest.mark.parametrize("n", EXPOSURES)
def test_probabilities_sum_to_one(n: int) -> None:
    counts = torch.arange(n + 1.0, dtype=torch.float64)
    log_prob = law.log_prob(counts, tensor(log_rates(n)).unsqueeze(-1), tensor(n))
    total = log_prob.logsumexp(-1)
    torch.testing.assert_close(total, torch.zeros_like(total), rtol=0, atol=1e-10)


def test_outside_the_support_is_impossible() -> None:
    counts = tensor([-1.0, -0.5, 5.5, 6.0])
    for rate in (-20.0, 0.0, 20.0):
        assert (law.log_prob(counts, tensor(rate), tensor(5.0)) == -torch.inf).all()
    assert law.log_prob(tensor(-1.0), tensor(0.0), tensor(torch.inf)) == -torch.inf
    assert law.log_prob(tensor(1e9), tensor(0.0), tensor(torch.inf)).isfinite()


def test_a_count_outside_the_support_has_a_zero_gradient() -> None:
    rate = tensor([0.0, 3.0]).requires_grad_()
    law.log_prob(tensor(6.0), rate, tensor(5.0)).sum().backward()
    assert torch.equal(rate.grad, torch.zeros(2, dtype=torch.float64))


def test_infinite_exposure_is_the_poisson_law() -> None:
    rate = torch.linspace(-12.0, 8.0, 41, dtype=torch.float64)
    counts = tensor([0.0, 1.0, 2.0, 7.0, 50.0, 1000.0]).unsqueeze(-1)
    infinite = tensor(torch.inf)
    poisson = torch.distributions.Poisson(rate.exp())
    torch.testing.assert_close(
        law.log_prob(counts, rate, infinite), poisson.log_prob(counts), rtol=1e-13, atol=1e-10
    )
    torch.testing.assert_close(law.mean(rate, infinite), rate.exp(), rtol=1e-14, atol=0)
    torch.testing.assert_close(law.variance(rate, infinite), rate.exp(), rtol=1e-14, atol=0)
    torch.testing.assert_close(law.log_normalizer(rate, infinite), rate.exp(), rtol=1e-14, atol=0)


def test_finite_and_infinite_exposures_mix_in_one_tensor() -> None:
    rate, exposure = tensor([1.0, 1.0, 5.0]), tensor([3.0, torch.inf, 3.0])
    together = law.log_prob(tensor(2.0), rate, exposure)
    apart = [law.log_prob(tensor(2.0), r, n) for r, n in zip(rate, exposure, strict=True)]
    assert torch.equal(together, torch.stack(apart))


@pytest.mark.parametrize("n", [1.0, 5.0, 12.0, 50.0, math.inf])
def test_gradients_to_second_order(n: float) -> None:
    top = math.log(n) if n < math.inf else 2.0
    rate = tensor([-2.0, top - 0.03, top + 0.03, top + 1.0]).requires_grad_()
    count, exposure = tensor(0.7), tensor(n)
    for function in FUNCTIONS:
        assert gradcheck(function, (count, rate, exposure))
        assert gradgradcheck(function, (count, rate[1:3], exposure))


def test_result_has_the_dtype_and_device_of_the_log_rate(tkwargs: dict[str, Any]) -> None:
    rate = torch.tensor([-1.0, 1.0, 4.0], **tkwargs)
    counts, exposure = tensor(2.0), tensor(7.0)
    for function in FUNCTIONS:
        value = function(counts.to(tkwargs["device"]), rate, exposure)
        double = function(counts, rate.cpu().double(), exposure)
        assert value.dtype == tkwargs["dtype"]
        assert value.device.type == tkwargs["device"].type
        # Computed in float64 whatever comes in, so only the last rounding is single.
        torch.testing.assert_close(value.cpu(), double.to(tkwargs["dtype"]))


def test_arguments_broadcast() -> None:
    counts = torch.arange(4.0, dtype=torch.float64).reshape(4, 1, 1)
    rate = torch.linspace(-2.0, 4.0, 3, dtype=torch.float64).reshape(3, 1)
    exposure = tensor([3.0, 11.0])
    value = law.log_prob(counts, rate, exposure)
    assert value.shape == (4, 3, 2)
    for i in range(4):
        for j in range(3):
            for m in range(2):
                single = law.log_prob(counts[i, 0, 0], rate[j, 0], exposure[m])
                assert value[i, j, m].item() == pytest.approx(single.item(), rel=1e-14)
    for function in (law.mean, law.variance, law.log_normalizer):
        assert function(rate, exposure).shape == (3, 2)


@settings(max_examples=300)
@given(
    log_rate=st.floats(-700.0, 700.0),
    exposure=st.integers(1, 10**6).map(float) | st.just(math.inf),
    share=st.floats(0.0, 1.0),
)
def test_values_and_gradients_are_never_nan(log_rate: float, exposure: float, share: float) -> None:
    rate, n = tensor(log_rate).requires_grad_(), tensor(exposure)
    count = tensor(share * min(exposure, 1e6))
    for value in (law.log_prob(count, rate, n), law.log_normalizer(rate, n)):
        assert value.isfinite()
        (gradient,) = torch.autograd.grad(value, rate)
        assert not gradient.isnan()
    mean, variance = law.mean(rate, n), law.variance(rate, n)
    assert 0.0 <= mean <= exposure
    assert 0.0 <= variance <= mean * (1.0 + 1e-9)  # truncation only narrows the law
    assert law.log_prob(count.round(), rate, n) <= 1e-10


@pytest.mark.parametrize("log_rate", [-700.0, -400.0, -300.0, -1.0, 0.0, 700.0])
def test_exposure_zero_leaves_only_the_count_zero(log_rate: float) -> None:
    rate, nothing = tensor(log_rate), tensor(0.0)
    assert law.log_prob(tensor(0.0), rate, nothing).item() == pytest.approx(0.0, abs=1e-13)
    assert law.mean(rate, nothing) == 0.0
    assert law.variance(rate, nothing) == 0.0


@pytest.mark.parametrize("n", [1, 2, 5, 11, 12, 50])
def test_mean_grows_with_the_rate_from_zero_to_the_exposure(n: int) -> None:
    mean = law.mean(torch.linspace(-40.0, 60.0, 400, dtype=torch.float64), tensor(n))
    # Strictly, until the mean is the exposure to the last bit.
    growing = mean < n * (1.0 - 1e-12)
    assert (mean.diff()[growing[1:]] > 0).all()
    assert mean[0] < 1e-15
    assert mean[-1].item() == pytest.approx(n, rel=1e-15)
