import mpmath
import pytest
import torch

from botorch_popbo.likelihoods.quadrature import scaled_nodes

SCALES = [1e-140, 1e-20, 1e-3, 1.0, 37.0, 1e9, 1e140]


def tensor(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64)


def test_exponential_decay_at_any_scale() -> None:
    slope = tensor(*SCALES)
    nodes, log_weights = scaled_nodes(slope, torch.zeros_like(slope))
    log_integral = (log_weights - slope.unsqueeze(-1) * nodes).logsumexp(-1)
    torch.testing.assert_close(log_integral, -slope.log(), rtol=0, atol=2e-13)


def test_half_gaussian_at_any_scale() -> None:
    curvature = tensor(*SCALES)
    nodes, log_weights = scaled_nodes(torch.zeros_like(curvature), curvature)
    log_terms = log_weights - 0.5 * curvature.unsqueeze(-1) * nodes.square()
    expected = 0.5 * (torch.pi / (2.0 * curvature)).log()
    torch.testing.assert_close(log_terms.logsumexp(-1), expected, rtol=0, atol=2e-13)


@pytest.mark.parametrize("slope", [1e-8, 0.1, 1.0, 10.0, 1e8])
def test_exponential_times_gaussian(slope: float) -> None:
    curvature = tensor(1e-10, 1e-3, 1.0, 1e3, 1e10)
    nodes, log_weights = scaled_nodes(torch.full_like(curvature, slope), curvature)
    log_terms = log_weights - slope * nodes - 0.5 * curvature.unsqueeze(-1) * nodes.square()
    scaled = torch.special.erfcx(slope / (2.0 * curvature).sqrt())
    expected = 0.5 * (torch.pi / (2.0 * curvature)).log() + scaled.log()
    torch.testing.assert_close(log_terms.logsumexp(-1), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("n", [1, 11, 300, 10_000])
@pytest.mark.parametrize("ratio", [1.0, 1.01, 2.0, 1e6])
def test_upper_incomplete_gamma(n: int, ratio: float) -> None:
    # int_0^inf exp(-t) (1 + t / a)^n dt = exp(a) a^-n Gamma(n + 1, a), here for a >= n.
    a = n * ratio
    nodes, log_weights = scaled_nodes(tensor(1.0 - n / a), tensor(n / a**2))
    log_integral = (log_weights + n * torch.log1p(nodes / a) - nodes).logsumexp(-1)
    with mpmath.workdps(50):
        gamma = mpmath.quad(
            lambda t: mpmath.exp(n * mpmath.log1p(t / mpmath.mpf(a)) - t),
            [0, 1, 10, 100, 300, 1000, 3000, 10_000],
        )
        expected = float(mpmath.log(gamma))
    assert log_integral.item() == pytest.approx(expected, abs=1e-12)


def test_nodes_and_weights_carry_no_gradient() -> None:
    slope = tensor(1.0).requires_grad_()
    nodes, log_weights = scaled_nodes(slope, tensor(1.0))
    assert not nodes.requires_grad
    assert not log_weights.requires_grad


def test_shape_follows_the_batch_and_nodes_are_positive(device: torch.device) -> None:
    slope = torch.rand(3, 2, dtype=torch.float64, device=device) + 0.1
    nodes, log_weights = scaled_nodes(slope, slope)
    assert nodes.shape[:-1] == log_weights.shape[:-1] == slope.shape
    assert nodes.device.type == log_weights.device.type == device.type
    assert (nodes > 0).all()
    assert (nodes.diff(dim=-1) > 0).all()
