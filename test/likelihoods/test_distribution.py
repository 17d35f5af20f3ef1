import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from botorch_popbo.likelihoods import distribution, truncated_poisson

INFINITE = torch.tensor(torch.inf, dtype=torch.float64)
LAWS = [(eta, n) for eta in (-30.0, -3.0, 0.0, 1.7, 4.0, 30.0) for n in (0, 1, 5, 12, 300)]


def probabilities(log_rate: float, n: int) -> torch.Tensor:
    support = torch.arange(n + 1, dtype=torch.float64)
    eta, exposure = torch.tensor(log_rate).double(), torch.tensor(float(n)).double()
    return truncated_poisson.log_prob(support, eta, exposure).exp()


@pytest.mark.parametrize(("log_rate", "n"), LAWS)
def test_cdf_is_the_sum_of_probabilities(log_rate: float, n: int) -> None:
    eta, exposure = torch.tensor(log_rate).double(), torch.tensor(float(n)).double()
    counts = torch.arange(n + 1, dtype=torch.float64)
    expected = probabilities(log_rate, n).cumsum(0)
    found = distribution.cdf(counts, eta, exposure)
    torch.testing.assert_close(found, expected, atol=1e-12, rtol=0)
    assert torch.equal(distribution.cdf(counts + 0.7, eta, exposure), found)
    ends = distribution.cdf(torch.tensor([-1.0, -0.1, n + 5.0]), eta, exposure)
    assert ends.tolist() == [0.0, 0.0, 1.0]


@pytest.mark.parametrize("rate", [1e-3, 0.5, 7.0, 300.0])
def test_untruncated_law_agrees_with_scipy(rate: float) -> None:
    eta = torch.tensor(rate, dtype=torch.float64).log()
    counts = torch.arange(400, dtype=torch.float64)
    expected = torch.as_tensor(stats.poisson.cdf(counts.numpy(), rate))
    torch.testing.assert_close(
        distribution.cdf(counts, eta, INFINITE), expected, atol=1e-12, rtol=0
    )
    levels = torch.linspace(0.001, 0.999, 101, dtype=torch.float64)
    quantiles = distribution.quantile(levels, eta, INFINITE)
    assert quantiles.tolist() == stats.poisson.ppf(levels.numpy(), rate).tolist()
    torch.testing.assert_close(
        distribution.entropy(eta, INFINITE).item(), float(stats.poisson.entropy(rate))
    )


@given(log_rate=st.floats(-30, 30), n=st.integers(0, 200), probability=st.floats(0.0, 1.0))
def test_quantile_is_the_smallest_count_that_reaches_the_probability(
    log_rate: float, n: int, probability: float
) -> None:
    eta, exposure = torch.tensor(log_rate).double(), torch.tensor(float(n)).double()
    level = torch.tensor(probability).double()
    found = distribution.quantile(level, eta, exposure)
    assert 0 <= found <= n
    assert found == found.floor()
    assert distribution.cdf(found, eta, exposure) >= level
    if found > 0:
        assert distribution.cdf(found - 1, eta, exposure) < level


@pytest.mark.parametrize("probability", [-0.1, 1.1, torch.nan])
def test_quantile_refuses_what_is_no_probability(probability: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        distribution.quantile(torch.tensor(probability), torch.tensor(0.0), INFINITE)


@pytest.mark.parametrize(("log_rate", "n"), LAWS)
def test_entropy_is_the_expected_surprise(log_rate: float, n: int) -> None:
    eta, exposure = torch.tensor([log_rate]).double(), torch.tensor(float(n)).double()
    expected = torch.special.entr(probabilities(log_rate, n)).sum()
    found = distribution.entropy(eta, exposure)
    torch.testing.assert_close(found.squeeze(), expected, atol=1e-12, rtol=1e-12)


def test_gradients() -> None:
    eta = torch.tensor([-1.0, 0.5, 2.2, 3.0], dtype=torch.float64, requires_grad=True)
    n, k = torch.tensor(9.0).double(), torch.tensor(3.0).double()
    assert torch.autograd.gradcheck(lambda e: distribution.cdf(k, e, n), (eta,))
    assert torch.autograd.gradcheck(lambda e: distribution.entropy(e, n), (eta,))


@pytest.mark.parametrize("n", [6.0, torch.inf])
def test_samples_follow_the_law(n: float) -> None:
    torch.manual_seed(0)
    eta, exposure = torch.tensor(1.0).double(), torch.tensor(n).double()
    draws = distribution.sample(eta, exposure, torch.Size([40_000]))
    counts = torch.arange(7, dtype=torch.float64)
    expected = truncated_poisson.log_prob(counts, eta, exposure).exp()
    share = (draws.unsqueeze(-1) == counts).double().mean(0)
    assert ((share - expected).abs() < 5 * (expected / 40_000).sqrt()).all()


def test_quantiles_of_huge_rates_end() -> None:
    eta = torch.tensor([2.0, 37.0, 40.0], dtype=torch.float64)
    found = distribution.quantile(torch.tensor(0.3).double(), eta, INFINITE)
    torch.testing.assert_close(found[1:].log(), eta[1:], rtol=1e-6, atol=0)
    assert found[0] == stats.poisson.ppf(0.3, eta[0].exp().item())


def test_no_law_has_no_entropy() -> None:
    assert distribution.entropy(torch.zeros(0), torch.tensor(3.0)).shape == (0,)
