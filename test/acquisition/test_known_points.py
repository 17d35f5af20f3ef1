import pytest
import torch
from helpers.ranking import tensor
from helpers.toy import toy_data

from botorch_popbo import PoissonRankModel
from botorch_popbo.acquisition.known_points import closeness, distance_to_known, log_farness


def test_distances_are_in_known_radii(gaussian_model: PoissonRankModel) -> None:
    known = tensor([[0.0, 0.0], [1.0, 1.0]])
    points = tensor([[[0.0, 0.0], [0.3, 0.4]], [[1.0, 1.0], [1.0, 0.9]]])
    radius = gaussian_model.rate.known_radius * 2.0**0.5
    expected = tensor([[0.0, 0.5], [0.0, 0.1]]) / radius
    found = distance_to_known(gaussian_model, points, known)
    torch.testing.assert_close(found, expected.unsqueeze(-1))


def test_a_known_point_has_distance_zero(model: PoissonRankModel) -> None:
    known = model.encode(model.rank_counts.X)
    X = known.clone().requires_grad_()
    distance = distance_to_known(model, X, known)
    assert (distance == 0.0).all()
    (slope,) = torch.autograd.grad(log_farness(distance).sum() + closeness(distance).sum(), X)
    assert torch.equal(slope, torch.zeros_like(slope))


def test_a_network_needs_a_larger_radius(
    short_model: PoissonRankModel, gaussian_model: PoissonRankModel
) -> None:
    X = toy_data(1, seed=4)[0]
    known = torch.zeros(1, 2).double()
    network, process = (distance_to_known(m, X, known) for m in (short_model, gaussian_model))
    assert (network < 0.01 * process).all()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_closeness_falls_and_farness_rises(dtype: torch.dtype) -> None:
    distance = torch.tensor([0.0, 1e-6, 0.1, 1.0, 3.0, 10.0, 1e6], dtype=dtype)
    close, far = closeness(distance), log_farness(distance)
    assert close[0] == 1.0
    assert (close.diff() <= 0.0).all()
    assert close[-1] == 0.0
    assert far.isfinite().all()
    assert far[0] < -80.0
    assert (far.diff() >= 0.0).all()
    assert far[-1] == 0.0
    torch.testing.assert_close(far[2:5].exp() + close[2:5], torch.ones(3, dtype=dtype))
