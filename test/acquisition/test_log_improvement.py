import pytest
import torch
from botorch.acquisition.analytic import _log_ei_helper

from botorch_popbo.acquisition._log_improvement import log_improvement

MEAN = torch.tensor([-30.0, -3.0, -0.5, 0.0, 0.7, 4.0], dtype=torch.float64)
VARIANCE = torch.tensor([0.5, 2.0, 1.0, 1e-6, 0.1, 3.0], dtype=torch.float64)


def test_it_is_the_expectation_of_the_positive_part() -> None:
    draws = torch.randn(400_000, 1, generator=torch.Generator().manual_seed(0)).double()
    mean, variance = MEAN[1:], VARIANCE[1:]
    sampled = (mean + variance.sqrt() * draws).clamp_min(0.0).mean(0)
    torch.testing.assert_close(log_improvement(mean, variance).exp(), sampled, rtol=0.05, atol=0)


@pytest.mark.parametrize("score", [-1e12, -1e7, -1e3, -40.0, -1.0, 0.0, 40.0, 1e6])
def test_gradients_are_those_of_autograd(score: float) -> None:
    mean = torch.tensor([score], dtype=torch.float64, requires_grad=True)
    variance = torch.ones_like(mean, requires_grad=True)
    found = torch.autograd.grad(log_improvement(mean, variance), (mean, variance))
    composed = _log_ei_helper(mean / variance.sqrt()) + 0.5 * variance.log()
    expected = torch.autograd.grad(composed, (mean, variance))
    torch.testing.assert_close(found, expected, rtol=1e-3, atol=1e-3)
