import pytest
import torch
from botorch.acquisition.analytic import _log_ei_helper

from botorch_popbo.acquisition._log_improvement import log_improvement
from botorch_popbo.paper.space_rank import improvement_ratio

MEAN = torch.tensor([-30.0, -3.0, -0.5, 0.0, 0.7, 4.0], dtype=torch.float64)
VARIANCE = torch.tensor([0.5, 2.0, 1.0, 1e-6, 0.1, 3.0], dtype=torch.float64)


def test_they_are_moments_of_the_positive_part() -> None:
    draws = torch.randn(400_000, 1, generator=torch.Generator().manual_seed(0)).double()
    mean, variance = MEAN[1:], VARIANCE[1:]
    positive = (mean + variance.sqrt() * draws).clamp_min(0.0)
    first, second = positive.mean(0), positive.square().mean(0)
    torch.testing.assert_close(log_improvement(mean, variance).exp(), first, rtol=0.05, atol=0)
    torch.testing.assert_close(improvement_ratio(mean, variance), second / first, rtol=0.05, atol=0)


@pytest.mark.parametrize("score", [-1e12, -1e7, -1e3, -40.0, -1.0, 0.0, 40.0, 1e6])
def test_gradients_are_those_of_autograd(score: float) -> None:
    mean = torch.tensor([score], dtype=torch.float64, requires_grad=True)
    variance = torch.ones_like(mean, requires_grad=True)
    found = torch.autograd.grad(log_improvement(mean, variance), (mean, variance))
    composed = _log_ei_helper(mean / variance.sqrt()) + 0.5 * variance.log()
    expected = torch.autograd.grad(composed, (mean, variance))
    torch.testing.assert_close(found, expected, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_far_away_the_ratio_falls_like_the_reciprocal_of_the_score(dtype: torch.dtype) -> None:
    mean = -torch.tensor([25.0, 29.9, 30.1, 1e3, 1e9], dtype=dtype)
    ratio = improvement_ratio(mean.requires_grad_(), torch.ones_like(mean))
    tolerance = 0.02 if dtype == torch.float64 else 1.0  # of two large numbers little is left
    torch.testing.assert_close(ratio, -2.0 / mean, rtol=tolerance, atol=0)
    assert torch.autograd.grad(ratio.sum(), mean)[0].isfinite().all()
