from functools import partial
from typing import Any

import pytest
import torch
from helpers.toy import toy_data
from scipy.stats import kendalltau
from torch import Tensor

from botorch_popbo import MLPRate, PoissonRankModel

BATCH_SIZE = 64


def ranked(num_points: int, **tkwargs: Any) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Points of the unit square with their ranks, the exposure and no limit."""
    X, Y = toy_data(num_points, **tkwargs)
    counts = (Y.T > Y).sum(-1).to(X)
    exposure = torch.full_like(counts, num_points - 1.0)
    return X / 4.0, counts, exposure, torch.full_like(counts, torch.inf)


def fitted(num_points: int = 15, seed: int = 0, **tkwargs: Any) -> MLPRate:
    X, *targets = ranked(num_points, **tkwargs)
    rate = MLPRate(2).to(X)
    rate.fit(X, *targets, seed)
    return rate


def weights(rate: torch.nn.Module) -> Tensor:
    return torch.cat([parameter.detach().flatten() for parameter in rate.parameters()])


# With more records than fit into a batch, the mini-batches too must come from the seed.
@pytest.mark.parametrize("num_points", [15, BATCH_SIZE + 6])
@pytest.mark.usefixtures("rng_untouched")
def test_one_seed_gives_one_network(num_points: int, tkwargs: dict[str, Any]) -> None:
    first, again, other = (fitted(num_points, seed, **tkwargs) for seed in (3, 3, 4))
    assert torch.equal(weights(first), weights(again))
    assert not torch.equal(weights(first), weights(other))
    # Fitting starts from fresh weights.
    again.fit(*ranked(num_points, **tkwargs), 3)
    assert torch.equal(weights(first), weights(again))


def test_the_global_seed_is_not_read() -> None:
    found = []
    for seed in (1, 2):
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            found.append(torch.cat([weights(MLPRate(2)), weights(fitted())]))
    assert torch.equal(*found)


@pytest.mark.parametrize("num_points", [30, 2 * BATCH_SIZE])
def test_it_learns_a_ranking(num_points: int) -> None:
    X, counts, *_ = ranked(num_points)
    before, after = (
        kendalltau(rate(X).detach(), counts).statistic
        for rate in (MLPRate(2).double(), fitted(num_points))
    )
    assert after > 0.85
    assert after > before


def test_it_learns_the_share_of_better_points_from_lists_of_any_length() -> None:
    # One point lost to a tenth, the other to half of those it met, in short and long lists.
    X = torch.tensor([[0.0], [1.0]] * 2, dtype=torch.float64)
    exposure = torch.tensor([20.0, 20.0, 200.0, 200.0], dtype=torch.float64)
    share = torch.tensor([0.1, 0.5] * 2, dtype=torch.float64)
    rate = MLPRate(1).double()
    rate.fit(X, share * exposure, exposure, torch.full_like(share, torch.inf), 0)
    torch.testing.assert_close(rate(X).detach().exp(), share, rtol=0.1, atol=0)


def test_steps_and_learning_rates_are_those_of_the_settings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found: list[float] = []

    class Spy(torch.optim.Adam):
        def step(self, closure: Any = None) -> None:
            found.append(self.param_groups[0]["lr"])
            super().step(closure)

    monkeypatch.setattr(torch.optim, "Adam", Spy)
    fitted()
    # Wang et al. (2023): 100 steps of ADAM at 0.01, divided by five every 30 steps.
    assert found == pytest.approx([0.01 * 0.2 ** (step // 30) for step in range(100)])
    found.clear()
    settings = {"learning_rate": 0.1, "learning_rate_factor": 0.5, "learning_rate_period": 4}
    MLPRate(2, hidden_sizes=(3,), num_steps=11, **settings).double().fit(*ranked(3), 0)
    assert found == pytest.approx([0.1] * 4 + [0.05] * 4 + [0.025] * 3)


@pytest.mark.parametrize("untruncated_from", [12, 100])
def test_training_follows_the_gradient_of_the_mean_log_likelihood(
    untruncated_from: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    gradients: list[Tensor] = []

    class Spy(torch.optim.Adam):
        def step(self, closure: Any = None) -> None:
            gradients.append(torch.cat([p.grad.flatten() for p in self.param_groups[0]["params"]]))

    monkeypatch.setattr(torch.optim, "Adam", Spy)  # which leaves the weights as they are
    rate = partial(MLPRate, num_steps=1)
    model = PoissonRankModel(*toy_data(15), rate=rate, untruncated_from=untruncated_from).fit()
    slope = torch.autograd.grad(-model.log_likelihood() / 15, list(model.rate.parameters()))
    expected = torch.cat([gradient.flatten() for gradient in slope])
    torch.testing.assert_close(gradients[0].double(), expected, rtol=1e-4, atol=1e-6)


def test_it_learns_where_gradients_are_switched_off() -> None:
    with torch.no_grad():
        rate = fitted()
    assert torch.equal(weights(rate), weights(fitted()))


def test_weights_and_values_have_the_dtype_and_device_of_the_data(tkwargs: dict[str, Any]) -> None:
    rate = fitted(10, **tkwargs)
    for values in (*rate.parameters(), rate(ranked(10, **tkwargs)[0])):
        assert values.dtype == tkwargs["dtype"]
        assert values.device.type == tkwargs["device"].type
        assert values.isfinite().all()


def test_one_seed_is_one_network_in_both_precisions() -> None:
    torch.testing.assert_close(weights(MLPRate(2)), weights(MLPRate(2).double()).float())


def test_a_network_trained_in_single_precision_predicts_in_that_of_the_data() -> None:
    X, *targets = ranked(30)
    rate = fitted(30)
    twin = MLPRate(2)
    twin.fit(X.float(), *targets, 0)
    torch.testing.assert_close(twin(X.float()).double(), rate(X), rtol=1e-4, atol=1e-4)
    assert torch.equal(weights(rate), weights(rate).float().double())
    assert rate(X[:1] + 1e-9) != rate(X[:1])


def test_layers_have_the_sizes_of_the_settings() -> None:
    sizes = [tuple(p.shape) for p in MLPRate(5, (7, 3)).parameters() if p.ndim == 2]
    assert sizes == [(7, 5), (3, 7), (1, 3)]
    default = [tuple(p.shape) for p in MLPRate(5).parameters() if p.ndim == 2]
    assert default == [(128, 5), (128, 128), (128, 128), (1, 128)]
    assert MLPRate(5).batch_size == BATCH_SIZE


def test_initial_weights_are_as_wide_as_those_of_torch() -> None:
    for layer in MLPRate(2).network:
        if isinstance(layer, torch.nn.Linear):
            bound = layer.in_features**-0.5
            assert layer.weight.abs().max() <= bound
            if layer.weight.numel() > 1000:
                assert layer.weight.abs().max() > 0.98 * bound
                assert layer.weight.mean().abs() < 0.1 * bound


@pytest.mark.parametrize("shape", [(3,), (4, 3), (2, 4, 3)])
def test_log_rate_keeps_the_batch_shape(shape: tuple[int, ...]) -> None:
    assert MLPRate(2)(torch.zeros(*shape, 2)).shape == shape


@pytest.mark.parametrize("output", [-1e4, -700.0, -80.0, -40.0, -39.9, 0.0, 19.9, 30.0, 1e4])
def test_extreme_outputs_of_the_network_have_finite_log_rates_and_slopes(
    output: float, tkwargs: dict[str, Any]
) -> None:
    rate = MLPRate(2).to(**tkwargs)
    with torch.no_grad():
        rate.network[-1].bias.fill_(output)
        rate.network[-1].weight.zero_()
    value = rate(torch.rand(1, 2, **tkwargs))
    assert value.isfinite().all()
    value.sum().backward()
    assert rate.network[-1].bias.grad.isfinite().all()
    assert rate.network[-1].bias.grad > 0
