import math
from dataclasses import replace
from typing import Any

import pytest
import torch
from helpers.toy import toy_data
from scipy.stats import kendalltau
from torch import Tensor

from botorch_popbo import MLPRate, PoissonRankPosterior
from botorch_popbo.presets import PresetName, get_preset

PAPER = get_preset("paper")


def ranked(num_points: int, **tkwargs: Any) -> tuple[Tensor, Tensor, Tensor]:
    """Points of the unit square with their ranks and the exposure."""
    X, Y = toy_data(num_points, **tkwargs)
    counts = (Y.T > Y).sum(-1).to(X)
    return X / 4.0, counts, torch.full_like(counts, num_points - 1.0)


def mlp(num_points: int = 15, seed: int = 0, **tkwargs: Any) -> MLPRate:
    return MLPRate(*ranked(num_points, **tkwargs), num_points, PAPER, seed)


def weights(rate: MLPRate) -> Tensor:
    return torch.cat([parameter.detach().flatten() for parameter in rate.parameters()])


# With more records than fit into a batch, the mini-batches too must come from the seed.
@pytest.mark.parametrize("num_points", [15, PAPER.batch_size + 6])
@pytest.mark.usefixtures("rng_untouched")
def test_one_seed_gives_one_network(num_points: int, tkwargs: dict[str, Any]) -> None:
    first, again, other = (mlp(num_points, seed, **tkwargs) for seed in (3, 3, 4))
    assert torch.equal(weights(first), weights(again))
    assert not torch.equal(weights(first), weights(other))
    for rate in (first, again, other):
        rate.fit()
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
    rate = mlp()
    rate.fit()
    once = weights(rate)
    rate.fit()
    assert torch.equal(weights(rate), once)


@pytest.mark.parametrize("num_points", [30, 2 * PAPER.batch_size])
def test_it_learns_a_ranking(num_points: int) -> None:
    rate = mlp(num_points)
    before = kendalltau(rate.log_rate(rate.X).detach(), rate.counts).statistic
    rate.fit()
    after = kendalltau(rate.log_rate(rate.X).detach(), rate.counts).statistic
    assert after > 0.85
    assert after > before


def test_it_learns_the_share_of_better_points_from_lists_of_any_length() -> None:
    # One point lost to a tenth, the other to half of those it met, in short and long lists.
    X = torch.tensor([[0.0], [1.0]] * 2, dtype=torch.float64)
    exposure = torch.tensor([20.0, 20.0, 200.0, 200.0], dtype=torch.float64)
    share = torch.tensor([0.1, 0.5] * 2, dtype=torch.float64)
    rate = MLPRate(X, share * exposure, exposure, 2, PAPER, seed=0)
    rate.fit()
    torch.testing.assert_close(rate.log_rate(X).detach().exp(), share, rtol=0.1, atol=0)


@pytest.mark.parametrize("preset", ["paper", "exact"])
def test_training_follows_the_gradient_of_the_mean_log_likelihood(
    preset: PresetName, monkeypatch: pytest.MonkeyPatch
) -> None:
    rate = MLPRate(*ranked(15), 15, get_preset(preset), seed=0)

    def one_gradient(_: Any, loss: Any, num_records: int, *__: Any) -> None:
        loss(torch.arange(num_records)).backward()

    monkeypatch.setattr("botorch_popbo.rates.mlp.train", one_gradient)
    rate.fit()
    followed = [parameter.grad for parameter in rate.parameters()]
    expected = torch.autograd.grad(-rate.log_likelihood() / 15, list(rate.parameters()))
    torch.testing.assert_close(followed, list(expected), rtol=1e-9, atol=1e-12)


def test_a_new_point_is_ranked_among_all_evaluated_ones() -> None:
    rate = mlp(15)
    posterior = rate.rank_posterior(rate.X)
    expected = rate.log_rate(rate.X).unsqueeze(-1) + math.log(15.0)
    torch.testing.assert_close(posterior.log_rate, expected)
    assert posterior.exposure == 15.0


def test_the_number_of_observations_decides_between_the_laws() -> None:
    assert mlp(11).rank_posterior(torch.zeros(1, 2).double()).limit == 11.0
    assert mlp(12).rank_posterior(torch.zeros(1, 2).double()).limit == torch.inf
    # A point of a list of eleven met ten others, one of a list of twelve met eleven.
    for num_points, limit in ((11, 10.0), (12, torch.inf)):
        rate = mlp(num_points)
        law = PoissonRankPosterior(
            rate.log_rate(rate.X).unsqueeze(-1) + math.log(num_points - 1.0),
            rate.exposure,
            torch.tensor(limit, dtype=torch.float64),
        )
        expected = law.log_prob(rate.counts.unsqueeze(-1)).sum()
        torch.testing.assert_close(rate.log_likelihood(), expected)


def test_moved_points_are_learned_from_where_they_are() -> None:
    rate = mlp()
    rate.move(rate.X + 1.0)
    rate.fit()
    X, counts, exposure = ranked(15)
    expected = MLPRate(X + 1.0, counts, exposure, 15, PAPER, 0)
    expected.fit()
    assert torch.equal(weights(rate), weights(expected))


def test_weights_and_values_have_the_dtype_and_device_of_the_data(tkwargs: dict[str, Any]) -> None:
    rate = mlp(10, **tkwargs)
    rate.fit()
    for values in (*rate.parameters(), rate.log_rate(rate.X), rate.log_likelihood()):
        assert values.dtype == tkwargs["dtype"]
        assert values.device.type == tkwargs["device"].type
        assert values.isfinite().all()


def test_one_seed_is_one_network_in_both_precisions() -> None:
    single, double = (mlp(dtype=dtype) for dtype in (torch.float32, torch.float64))
    assert torch.equal(weights(single), weights(double).float())


def test_layers_have_the_sizes_of_the_preset() -> None:
    counts = torch.arange(3.0)
    preset = replace(PAPER, hidden_sizes=(7, 3))
    rate = MLPRate(torch.eye(3, 5), counts, torch.full_like(counts, 2.0), 3, preset, 0)
    assert [tuple(p.shape) for p in rate.parameters() if p.ndim == 2] == [(7, 5), (3, 7), (1, 3)]


def test_initial_weights_are_as_wide_as_those_of_torch() -> None:
    for layer in mlp().network:
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
    rate = mlp(**tkwargs)
    with torch.no_grad():
        rate.network[-1].bias.fill_(output)
        rate.network[-1].weight.zero_()
    value = rate.log_rate(torch.rand(1, 2, **tkwargs))
    assert value.isfinite().all()
    value.sum().backward()
    assert rate.network[-1].bias.grad.isfinite().all()
    assert rate.network[-1].bias.grad > 0
