"""What both models do alike."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest
import torch
from botorch.exceptions import UnsupportedError
from botorch.fit import fit_gpytorch_mll
from botorch.models.transforms.input import Normalize
from helpers.models import EACH, TEST_X, law
from helpers.toy import BOUNDS, toy_data
from scipy.stats import kendalltau
from torch import Tensor

from botorch_popbo import RankingGP, RankLogLikelihood, RankModel
from botorch_popbo.data import (
    Order,
    combine,
    from_comparisons,
    from_groups,
    from_ordering,
    from_outcomes,
    from_replicates,
    from_top_k,
)


def weights(model: RankModel) -> Tensor:
    return torch.cat([parameter.detach().flatten() for parameter in model.parameters()])


@EACH
@pytest.mark.parametrize("num_points", [8, 15])
def test_nothing_but_the_order_matters(num_points: int, make: Callable[..., RankModel]) -> None:
    X, Y = toy_data(num_points)
    ranks = Y.squeeze(-1).argsort().argsort().to(Y).unsqueeze(-1)
    expected = law(make(X, Y).fit())
    for transformed in (Y.exp(), Y**3, ranks, 1e200 * Y, Y - 7.0):
        assert torch.equal(law(make(X, transformed).fit()), expected)
    # Neither the order of the evaluations nor exact copies.
    copied = torch.cat([X.flip(0), X[:3]]), torch.cat([Y.flip(0), Y[:3]])
    assert torch.equal(law(make(*copied).fit()), expected)
    assert torch.equal(law(make(order=from_outcomes(X, Y)).fit()), expected)


@EACH
def test_unit_and_sign_of_an_input_do_not_matter(make: Callable[..., RankModel]) -> None:
    X, Y = toy_data(15)
    scale = torch.tensor([1024.0, 0.25], dtype=torch.float64)  # exact in binary
    scaled = make(scale * X, Y).fit()
    assert torch.equal(law(scaled, scale * TEST_X), law(make(X, Y).fit()))


def test_it_learns_the_ranking(model: RankModel) -> None:
    data = model.rank_counts
    mean = model.rank_posterior(data.X).mean.detach().squeeze(-1)
    assert kendalltau(mean, data.counts).statistic > 0.8
    assert torch.equal(model.best_points(3), data.X[data.counts.argsort()[:3]])


@EACH
@pytest.mark.usefixtures("rng_untouched")
def test_botorchs_fitting_does_what_fit_does(make: Callable[..., RankModel]) -> None:
    ours, botorchs = (make(*toy_data(9)) for _ in range(2))
    assert ours.training
    mll = RankLogLikelihood(botorchs)
    assert fit_gpytorch_mll(mll) is mll
    assert ours.fit() is ours
    assert not any(m.training for m in (mll, *ours.modules(), *botorchs.modules()))
    assert torch.equal(weights(ours), weights(botorchs))


@EACH
@pytest.mark.parametrize("option", ["closure", "closure_kwargs", "optimizer_kwargs", "optimizer"])
def test_botorchs_fitting_options_are_refused(option: str, make: Callable[..., RankModel]) -> None:
    model = make(*toy_data(8))
    before = weights(model)
    value = {} if option.endswith("kwargs") else lambda: None
    with pytest.raises(UnsupportedError, match="has a training of its own"):
        fit_gpytorch_mll(RankLogLikelihood(model), **{option: value})
    assert torch.equal(weights(model), before)


@EACH
def test_a_model_of_other_data_has_the_same_settings(make: Callable[..., RankModel]) -> None:
    X, Y = toy_data(15)
    settings: dict[str, Any] = {"input_transform": Normalize(d=2, bounds=BOUNDS)}
    if make is not RankingGP:
        settings["seed"] = 3
    other = make(X, Y, **settings).fit().with_order(from_outcomes(X[:9], Y[:9]))
    assert torch.equal(law(other.fit()), law(make(X[:9], Y[:9], **settings).fit()))


@EACH
@pytest.mark.parametrize("is_fitted", [False, True])
def test_a_model_of_other_data_learns_the_bounding_box_of_these(
    make: Callable[..., RankModel], is_fitted: bool
) -> None:
    X, Y = toy_data(8)
    model = make(X, Y)
    other = (model.fit() if is_fitted else model).with_order(from_outcomes(100.0 * X, Y))
    assert torch.equal(other.encode(100.0 * X), make(100.0 * X, Y).encode(100.0 * X))


@EACH
def test_pending_points_are_known(make: Callable[..., RankModel]) -> None:
    model = make(*toy_data(15)).fit()
    before = law(model)
    informed = model.with_pending(TEST_X[:2])
    assert torch.equal(informed.known_X, torch.cat([model.known_X, TEST_X[:2]]))
    assert informed.rank_posterior(TEST_X).exposure == 17.0
    assert not informed.training
    assert torch.equal(law(model), before)
    twice = model.with_pending(TEST_X[:1]).with_pending(TEST_X[1:2])
    assert torch.equal(twice.known_X, informed.known_X)


@EACH
def test_the_entropy_of_a_rank_has_a_gradient(make: Callable[..., RankModel]) -> None:
    X, Y = toy_data(30)
    query = torch.cat([TEST_X, X]).requires_grad_()
    entropy = make(X, Y).fit().rank_posterior(query).entropy()
    assert torch.autograd.grad(entropy.sum(), query)[0].isfinite().all()


@EACH
def test_failures_are_the_worst_outcomes(make: Callable[..., RankModel]) -> None:
    X, Y = toy_data(15)
    failed = Y.lt(Y.median())
    finite, infinite = (
        make(X, torch.where(failed, worst, Y)).fit() for worst in (Y.min() - 1.0, -torch.inf)
    )
    assert torch.equal(law(finite), law(infinite))


COMPARISONS = torch.tensor([[0, 1], [0, 2], [3, 1], [4, 5], [5, 0], [2, 1]])
X30 = toy_data(30)[0]
SMOOTH = -(X30 - 1.0).square().sum(-1, keepdim=True)
SOURCES: dict[str, Callable[[], Order]] = {
    "comparisons": lambda: from_comparisons(X30[:8], COMPARISONS),
    "top_k": lambda: from_top_k(X30[:10], top=[3, 1, 4], rest=[0, 2, 6, 7]),
    "ordering": lambda: from_ordering(X30[:6], torch.tensor([4, 2, 0, 1, 5, 3])),
    "replicates": lambda: from_replicates(
        torch.cat([X30, X30[:4]]), torch.cat([SMOOTH, SMOOTH[:4] + 0.1])
    ),
    "groups": lambda: from_groups(X30, SMOOTH, torch.arange(30) % 4),
    "tasks": lambda: combine(
        from_outcomes(X30[:9], SMOOTH[:9]), from_comparisons(X30[6:14], COMPARISONS)
    ),
}


@EACH
@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_every_source_can_be_fitted(
    source: Callable[[], Order], make: Callable[..., RankModel]
) -> None:
    order = source()
    model = make(order=order).fit()
    assert law(model).isfinite().all()
    posterior = model.rank_posterior(model.best_points(order.num_points))
    assert posterior.exposure == order.num_points
    mean = posterior.mean.detach().flatten()
    assert mean[: len(mean) // 3].mean() < mean[-(len(mean) // 3) :].mean()
    assert model.order is order
    assert len(model.train_inputs[0]) == len(model.train_targets)


def test_ranks_of_a_batch_are_many_single_ones(model: RankModel) -> None:
    X = toy_data(24, seed=2)[0]
    batched = model.rank_posterior(X.reshape(2, 3, 4, 2)).mean.reshape(24, 1)
    single = torch.cat([model.rank_posterior(x.unsqueeze(0)).mean for x in X])
    torch.testing.assert_close(batched, single, rtol=1e-9, atol=0)


def test_ranks_are_differentiable_in_the_point(model: RankModel) -> None:
    X = TEST_X.clone().requires_grad_()
    (gradient,) = torch.autograd.grad(model.rank_posterior(X).mean.sum(), X)
    assert gradient.isfinite().all()
    assert gradient.abs().sum() > 0


def test_a_copy_is_equal_and_independent(model: RankModel) -> None:
    before = law(model)
    assert torch.equal(law(pickle.loads(pickle.dumps(model))), before)
    duplicate = copy.deepcopy(model)
    assert torch.equal(law(duplicate), before)
    with torch.no_grad():
        for parameter in duplicate.parameters():
            parameter.mul_(1.1)
    assert not torch.equal(law(duplicate), before)
    assert torch.equal(law(model), before)


@EACH
def test_a_state_dict_restores_a_model(make: Callable[..., RankModel]) -> None:
    fitted, fresh = make(*toy_data(15)).fit(), make(*toy_data(15)).eval()
    assert not torch.equal(law(fresh), law(fitted))
    fresh.load_state_dict(fitted.state_dict())
    assert torch.equal(law(fresh), law(fitted))


@EACH
def test_dtype_and_device_are_those_of_the_data(
    make: Callable[..., RankModel], tkwargs: dict[str, Any]
) -> None:
    model = make(*toy_data(15, **tkwargs)).fit()
    moved = make(*toy_data(15)).fit().to(**tkwargs)
    X = TEST_X.to(**tkwargs)
    for each in (model, moved, moved.fit()):
        posterior = each.rank_posterior(X)
        drawn = posterior.rsample(torch.Size([3]))
        for values in (law(each, X), drawn, posterior.log_rate, each.known_X, *each.parameters()):
            assert values.dtype == tkwargs["dtype"]
            assert values.device.type == tkwargs["device"].type
            assert values.isfinite().all()
    torch.testing.assert_close(law(moved, X), law(model, X), rtol=2e-2, atol=2e-2)
