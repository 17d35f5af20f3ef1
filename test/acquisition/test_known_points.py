import pytest
import torch
from helpers.ranking import tensor

from botorch_popbo import LogExpectedUtilityImprovement, RankingGP
from botorch_popbo.acquisition import _known_points
from botorch_popbo.acquisition._known_points import (
    distance_to_known,
    log_remoteness,
    proximity,
)


@pytest.mark.parametrize("max_entries", [2**24, 1])
def test_distances_are_in_known_radii(max_entries: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_known_points, "_MAX_ENTRIES", max_entries)
    known = tensor([[0.0, 0.0], [1.0, 1.0]])
    points = tensor([[[0.0, 0.0], [0.3, 0.4]], [[1.0, 1.0], [1.0, 0.9]]])
    found = distance_to_known(points, known, radius=0.02)
    torch.testing.assert_close(found, tensor([[0.0, 0.5], [0.0, 0.1]]) / 0.02)


def test_a_known_point_has_distance_zero_and_no_gradient() -> None:
    known = torch.rand(20, 2, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    X = known.clone().requires_grad_()
    distance = distance_to_known(X, known, radius=1e-5)
    assert (distance == 0.0).all()
    (slope,) = torch.autograd.grad(log_remoteness(distance).sum() + proximity(distance).sum(), X)
    assert torch.equal(slope, torch.zeros_like(slope))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_proximity_falls_and_remoteness_rises(dtype: torch.dtype) -> None:
    distance = torch.tensor([0.0, 1e-6, 0.1, 1.0, 3.0, 10.0, 1e6], dtype=dtype)
    near, far = proximity(distance), log_remoteness(distance)
    assert near[0] == 1.0
    assert (near.diff() <= 0.0).all()
    assert near[-1] == 0.0
    assert far.isfinite().all()
    assert far[0] < -80.0
    assert (far.diff() >= 0.0).all()
    assert far[-1] == 0.0
    torch.testing.assert_close(far[2:5].exp() + near[2:5], torch.ones(3, dtype=dtype))


def test_in_single_precision_a_bad_new_point_is_still_better() -> None:
    steps = torch.linspace(0.0, 1.0, 14)
    grid = torch.cartesian_prod(steps, steps)
    known = torch.ones(len(grid), dtype=torch.bool)
    known[[130, 153, 189]] = False  # among the worst, without doubt
    outcomes = -(grid - 0.3).square().sum(-1, keepdim=True)
    model = RankingGP(grid[known], outcomes[known]).fit()
    value = LogExpectedUtilityImprovement(model)(grid.unsqueeze(-2))
    assert value.dtype == torch.float32
    assert value[~known].max() < -100.0
    assert value[~known].min() > value[known].max()
