from dataclasses import replace
from typing import Any

import pytest
import torch
from helpers.toy import toy_data
from scipy.stats import kendalltau
from torch import Tensor

from botorch_popbo.presets import get_preset
from botorch_popbo.rates import MLPRate

PAPER = get_preset("paper")
CPU = torch.device("cpu")
Records = tuple[Tensor, Tensor, Tensor, Tensor]


def mlp(input_dim: int = 2, seed: int = 0, dtype: torch.dtype = torch.float64) -> MLPRate:
    return MLPRate(input_dim, PAPER, seed, dtype, CPU)


def ranked(num_points: int, **tkwargs: Any) -> Records:
    """Points of the unit square with their ranks, the exposure and the untruncated limit."""
    X, Y = toy_data(num_points, **tkwargs)
    counts = (Y.T > Y).sum(-1).to(X)
    exposure = torch.full_like(counts, num_points - 1.0)
    return X / 4.0, counts, exposure, torch.full_like(counts, torch.inf)


def weights(rate: MLPRate) -> Tensor:
    return torch.cat([parameter.detach().flatten() for parameter in rate.parameters()])


# With more records than fit into a batch, the mini-batches too must come from the seed.
@pytest.mark.parametrize("num_points", [15, PAPER.batch_size + 6])
@pytest.mark.usefixtures("rng_untouched")
def test_one_seed_gives_one_network(num_points: int, tkwargs: dict[str, Any]) -> None:
    data = ranked(num_points, **tkwargs)
    first, again, other = (MLPRate(2, PAPER, seed, **tkwargs) for seed in (3, 3, 4))
    assert torch.equal(weights(first), weights(again))
    assert not torch.equal(weights(first), weights(other))
    for rate in (first, again, other):
        rate.fit(*data)
    assert torch.equal(weights(first), weights(again))
    assert not torch.equal(weights(first), weights(other))


def test_the_global_seed_is_not_read() -> None:
    with torch.random.fork_rng():
        torch.manual_seed(1)
        first = weights(mlp())
        torch.manual_seed(2)
        second = weights(mlp())
    assert torch.equal(first, second)


def test_fitting_starts_from_fresh_weights() -> None:
    data = ranked(15)
    rate = mlp()
    rate.fit(*data)
    once = weights(rate)
    rate.fit(*data)
    assert torch.equal(weights(rate), once)


@pytest.mark.parametrize("num_points", [30, 2 * PAPER.batch_size])
def test_it_learns_a_ranking(num_points: int) -> None:
    X, counts, exposure, limit = ranked(num_points)
    rate = mlp()
    before = kendalltau(rate.log_rate(X).detach(), counts).statistic
    rate.fit(X, counts, exposure, limit)
    after = kendalltau(rate.log_rate(X).detach(), counts).statistic
    assert after > 0.85
    assert after > before


def test_it_learns_the_share_of_better_points_from_lists_of_any_length() -> None:
    # One point lost to a tenth, the other to half of those it met, in short and long lists.
    X = torch.tensor([[0.0], [1.0]] * 2, dtype=torch.float64)
    exposure = torch.tensor([20.0, 20.0, 200.0, 200.0], dtype=torch.float64)
    share = torch.tensor([0.1, 0.5] * 2, dtype=torch.float64)
    rate = mlp(1)
    rate.fit(X, share * exposure, exposure, torch.full_like(exposure, torch.inf))
    torch.testing.assert_close(rate.log_rate(X).detach().exp(), share, rtol=0.1, atol=0)


def test_weights_and_values_have_the_dtype_asked_for(tkwargs: dict[str, Any]) -> None:
    X, *data = ranked(10, **tkwargs)
    rate = MLPRate(2, PAPER, 0, **tkwargs)
    rate.fit(X, *data)
    for values in (*rate.parameters(), rate.log_rate(X)):
        assert values.dtype == tkwargs["dtype"]
        assert values.device.type == tkwargs["device"].type
        assert values.isfinite().all()


def test_data_type_and_device_default_to_those_of_torch() -> None:
    rate = MLPRate(2, PAPER, 0)
    value = rate.log_rate(torch.zeros(3, 2))
    assert value.dtype == torch.get_default_dtype()
    assert value.device == torch.get_default_device()
    assert torch.equal(weights(rate), weights(mlp(dtype=torch.get_default_dtype())))


def test_one_seed_is_one_network_in_both_precisions() -> None:
    single, double = (mlp(dtype=dtype) for dtype in (torch.float32, torch.float64))
    assert torch.equal(weights(single), weights(double).float())


def test_layers_have_the_sizes_of_the_preset() -> None:
    rate = MLPRate(5, replace(PAPER, hidden_sizes=(7, 3)), 0)
    assert [tuple(p.shape) for p in rate.parameters() if p.ndim == 2] == [(7, 5), (3, 7), (1, 3)]


def test_initial_weights_are_as_wide_as_those_of_torch() -> None:
    for layer in mlp(4).network:
        if isinstance(layer, torch.nn.Linear):
            bound = layer.in_features**-0.5
            assert layer.weight.abs().max() <= bound
            if layer.weight.numel() > 1000:
                assert layer.weight.abs().max() > 0.98 * bound
                assert layer.weight.mean().abs() < 0.1 * bound


@pytest.mark.parametrize("shape", [(3,), (4, 3), (2, 4, 3)])
def test_log_rate_keeps_the_batch_shape(shape: tuple[int, ...]) -> None:
    X = torch.zeros(*shape, 2, dtype=torch.float64)
    assert mlp().log_rate(X).shape == shape


@pytest.mark.parametrize("output", [-1e4, -700.0, -80.0, -40.0, -39.9, 0.0, 19.9, 30.0, 1e4])
def test_extreme_outputs_of_the_network_have_finite_log_rates_and_slopes(
    output: float, tkwargs: dict[str, Any]
) -> None:
    rate = MLPRate(2, PAPER, 0, **tkwargs)
    with torch.no_grad():
        rate.network[-1].bias.fill_(output)
        rate.network[-1].weight.zero_()
    value = rate.log_rate(torch.rand(1, 2, **tkwargs))
    assert value.isfinite().all()
    value.sum().backward()
    assert rate.network[-1].bias.grad.isfinite().all()
    assert rate.network[-1].bias.grad > 0
