"""One test for each claim of docs/paper.md about what the paper says and what is right."""

import math

import pytest
import torch

from botorch_popbo import PoissonRankPosterior
from botorch_popbo.paper import truncated_poisson
from botorch_popbo.paper.base_set import from_base_set

RATES = torch.tensor([0.1, 1.0, 4.0, 9.0, 40.0], dtype=torch.float64)
N = torch.tensor(10.0, dtype=torch.float64)


def terms(rate: float, upto: int) -> list[float]:
    return [rate**i / math.factorial(i) for i in range(upto + 1)]


def test_truncated_mean_of_the_paper_is_right_for_support_up_to_n() -> None:
    for rate in RATES.tolist():
        papers = rate * sum(terms(rate, 9)) / sum(terms(rate, 10))
        ours = truncated_poisson.mean(torch.tensor(rate, dtype=torch.float64).log(), N).item()
        assert ours == pytest.approx(papers, rel=1e-12)


def test_deviation_is_the_root_of_the_mean_only_without_truncation() -> None:
    eta = RATES.log()
    infinite = torch.tensor(torch.inf, dtype=torch.float64)
    mean = truncated_poisson.mean(eta, infinite)
    torch.testing.assert_close(truncated_poisson.variance(eta, infinite), mean)
    # Ten of fifty: the truncated law is far narrower than the root of its mean.
    assert (truncated_poisson.variance(eta, N) < truncated_poisson.mean(eta, N)).all()
    assert truncated_poisson.variance(eta[-1], N) < 0.05 * truncated_poisson.mean(eta[-1], N)


@pytest.mark.parametrize("rate", [0.5, 3.0, 12.0])
def test_gradient_of_eri_as_printed_is_wrong_and_corrected_is_right(rate: float) -> None:
    K_m, n = 5, 10
    eta = torch.tensor([[math.log(rate)]], dtype=torch.float64, requires_grad=True)
    (slope,) = torch.autograd.grad(
        PoissonRankPosterior(eta, N, N).log_improvement(K_m).exp().sum(), eta
    )
    by_rate = slope.item() / rate  # d/d lambda = d/d eta / lambda

    def last_line(power: int | None) -> float:
        """The paper's last line, with its exponent 2 or, for None, with the exponent i."""

        def summed(upto: int) -> float:
            exponents = [i if power is None else power for i in range(upto + 1)]
            return sum(rate**e / math.factorial(i) for i, e in enumerate(exponents))

        return sum(
            (K_m - k)
            * rate ** (k - 1)
            / (math.factorial(k) * summed(n) ** 2)
            * (k * summed(n) - rate * summed(n - 1))
            for k in range(K_m + 1)
        )

    assert last_line(None) == pytest.approx(by_rate, rel=1e-10)
    assert last_line(2) != pytest.approx(by_rate, rel=0.01)


def test_ranks_over_a_base_set_run_to_its_size() -> None:
    X = torch.arange(12, dtype=torch.float64).unsqueeze(-1)
    seen = set()
    for seed in range(30):
        data = from_base_set(X, -X, torch.Generator().manual_seed(seed))
        assert (data.exposure == 6).all()
        seen |= set(data.counts.tolist())
    assert seen == set(range(7))
    last = torch.tensor(6.0, dtype=torch.float64)
    assert truncated_poisson.log_prob(last, torch.tensor(0.0), last).isfinite()


@pytest.mark.parametrize("beta", [1.0, 2.0, 3.0])
def test_bound_is_smallest_at_a_quarter_of_beta_squared(beta: float) -> None:
    mean = torch.linspace(0.0, 20.0, 200_001, dtype=torch.float64)
    bound = mean - beta * mean.sqrt()
    assert mean[bound.argmin()].item() == pytest.approx(beta**2 / 4, abs=1e-3)
    # A worse predicted rank below that is preferred.
    assert bound[mean < beta**2 / 4].diff().max() < 0
