"""The paper's network and its training."""

from dataclasses import replace
from typing import Any

import pytest
import torch
from helpers.toy import toy_data
from torch import Tensor

from botorch_popbo import PoissonRankModel
from botorch_popbo.paper.rate import NetworkRate
from botorch_popbo.settings import PaperSettings

PAPER = PaperSettings()


def ranked(num_points: int, **tkwargs: Any) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Points of the unit square with their ranks, the exposure and no limit."""
    X, Y = toy_data(num_points, **tkwargs)
    counts = (Y.T > Y).sum(-1).to(X)
    exposure = torch.full_like(counts, num_points - 1.0)
    return X / 4.0, counts, exposure, torch.full_like(counts, torch.inf)


def fitted(num_points: int = 15, seed: int = 0, **tkwargs: Any) -> NetworkRate:
    X, *targets = ranked(num_points, **tkwargs)
    rate = NetworkRate(2, PAPER).to(X)
    rate.fit(X, *targets, seed)
    return rate


def weights(rate: torch.nn.Module) -> Tensor:
    return torch.cat([parameter.detach().flatten() for parameter in rate.parameters()])


# With more records than fit into a batch, the mini-batches too must come from the seed.
@pytest.mark.parametrize("num_points", [15, 70])
@pytest.mark.usefixtures("rng_untouched")
def test_one_seed_gives_one_network(num_points: int, tkwargs: dict[str, Any]) -> None:
    first, again, other = (fitted(num_points, seed, **tkwargs) for seed in (3, 3, 4))
    assert torch.equal(weights(first), weights(again))
    assert not torch.equal(weights(first), weights(other))
    again.fit(*ranked(num_points, **tkwargs), 3)  # from fresh weights
    assert torch.equal(weights(first), weights(again))
    with torch.no_grad():
        assert torch.equal(weights(fitted(num_points, 3, **tkwargs)), weights(first))
    for values in (*first.parameters(), first(ranked(10, **tkwargs)[0])):
        assert values.dtype == tkwargs["dtype"]
        assert values.device.type == tkwargs["device"].type


def test_it_learns_the_share_of_better_points_from_lists_of_any_length() -> None:
    # One point lost to a tenth, the other to half of those it met, in short and long lists.
    X = torch.tensor([[0.0], [1.0]] * 2, dtype=torch.float64)
    exposure = torch.tensor([20.0, 20.0, 200.0, 200.0], dtype=torch.float64)
    share = torch.tensor([0.1, 0.5] * 2, dtype=torch.float64)
    rate = NetworkRate(1, PAPER).double()
    rate.fit(X, share * exposure, exposure, torch.full_like(share, torch.inf), 0)
    torch.testing.assert_close(rate(X).detach().exp(), share, rtol=0.1, atol=0)


@pytest.mark.parametrize("output", [-1e4, -700.0, -40.0, -39.9, 0.0, 19.9, 1e4])
def test_extreme_outputs_of_the_network_have_finite_log_rates_and_slopes(
    output: float, tkwargs: dict[str, Any]
) -> None:
    rate = NetworkRate(2, PAPER).to(**tkwargs)
    with torch.no_grad():
        rate.network[-1].bias.fill_(output)
        rate.network[-1].weight.zero_()
    value = rate(torch.rand(4, 3, 2, **tkwargs))
    assert value.shape == (4, 3)
    assert value.isfinite().all()
    value.sum().backward()
    slope = rate.network[-1].bias.grad
    assert slope.isfinite().all()
    assert slope > 0


def test_settings_of_the_model_reach_the_network() -> None:
    short = PoissonRankModel(*toy_data(9), settings=replace(PAPER, num_steps=1, known_radius=0.1))
    full = PoissonRankModel(*toy_data(9))
    assert (short.known_radius, full.known_radius) == (0.1, 0.02)
    assert short.fit().log_likelihood() < full.fit().log_likelihood()
    assert short.with_pending(toy_data(1, seed=3)[0]).settings is short.settings
