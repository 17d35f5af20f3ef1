"""What both models do alike."""

import copy
import pickle
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import torch
from botorch.exceptions import BotorchTensorDimensionError, InputDataError, UnsupportedError
from botorch.exceptions.warnings import InputDataWarning
from botorch.models.transforms.input import AppendFeatures, Log10, Normalize, Warp
from botorch.settings import validate_input_scaling
from botorch.utils.datasets import MultiTaskDataset, SupervisedDataset
from helpers.models import EACH, TEST_X, law
from helpers.ranking import ranking_dataset, unmeasured
from helpers.toy import BOUNDS, toy_data
from torch import Tensor

from botorch_popbo import PoissonRankModel, RankingGP, RankModel
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

#: A default model that hears nothing of distances.
ORDER_ALONE = partial(RankingGP, order_only=True)


def weights(model: RankModel) -> Tensor:
    return torch.cat([parameter.detach().flatten() for parameter in model.parameters()])


@EACH
@pytest.mark.parametrize("num_points", [8, 15])
def test_nothing_but_the_order_matters(num_points: int, make: Callable[..., RankModel]) -> None:
    X, Y = toy_data(num_points)
    make = ORDER_ALONE if make is RankingGP else make
    ranks = Y.squeeze(-1).argsort().argsort().to(Y).unsqueeze(-1)
    expected = law(make(X, Y).fit())
    # Neither the scale, nor the order of the evaluations, nor exact copies.
    copied = torch.cat([X.flip(0), X[:3]]), torch.cat([Y.flip(0), Y[:3]])
    for data in ((X, Y.exp()), (X, ranks), (X, 1e200 * Y), copied):
        assert torch.equal(law(make(*data).fit()), expected)
    assert torch.equal(law(make(order=from_outcomes(X, Y)).fit()), expected)


@EACH
def test_a_model_of_other_data_has_the_same_settings(make: Callable[..., RankModel]) -> None:
    X, Y = toy_data(15)
    settings: dict[str, Any] = {"input_transform": Normalize(d=2, bounds=BOUNDS)}
    if make is not RankingGP:
        settings["seed"] = 3
    other = make(X, Y, **settings).fit().with_order(from_outcomes(X[:9], Y[:9]))
    assert torch.equal(law(other.fit()), law(make(X[:9], Y[:9], **settings).fit()))


@EACH
def test_a_model_of_other_data_learns_the_bounding_box_of_these(
    make: Callable[..., RankModel],
) -> None:
    X, Y = toy_data(8)
    expected = make(100.0 * X, Y).encode(100.0 * X)
    for model in (make(X, Y), make(X, Y).fit()):
        other = model.with_order(from_outcomes(100.0 * X, Y))
        assert torch.equal(other.encode(100.0 * X), expected)


@EACH
def test_pending_points_are_known(make: Callable[..., RankModel]) -> None:
    model = make(*toy_data(15)).fit()
    before = law(model)
    informed = model.with_pending(TEST_X[:2])
    assert torch.equal(informed.known_X, torch.cat([model.known_X, TEST_X[:2]]))
    # A network counts them, too; a rank of a Gaussian process is one among evaluated points.
    exposure = informed.rank_law(informed.encode(TEST_X)).exposure
    assert exposure == (15.0 if make is RankingGP else 17.0)
    assert not informed.training
    assert torch.equal(law(model), before)
    twice = model.with_pending(TEST_X[:1]).with_pending(TEST_X[1:2])
    assert torch.equal(twice.known_X, informed.known_X)


@EACH
def test_failures_are_the_worst_outcomes(make: Callable[..., RankModel]) -> None:
    X, Y = toy_data(15)
    make = ORDER_ALONE if make is RankingGP else make  # how far off a failure is, is not known
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
    "ordering": lambda: from_ordering(X30[:6], [4, 2, 0, 1, 5, 3]),
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


def test_a_pickled_model_predicts_the_same(model: RankModel) -> None:
    assert torch.equal(law(pickle.loads(pickle.dumps(model))), law(model))


@EACH
def test_training_data_stay_readable_under_botorchs_names(make: Callable[..., RankModel]) -> None:
    X, Y = toy_data(8)
    model = make(torch.cat([X, X]), torch.cat([Y, Y]))
    assert torch.equal(model.train_inputs[0], torch.cat([X, X]))
    assert torch.equal(model.train_targets, torch.cat([Y, Y]).squeeze(-1))
    assert torch.equal(model.known_X, from_outcomes(X, Y).X)
    assert model.transform_inputs(TEST_X) is TEST_X
    for outputs in ([1], [0, 1]):
        with pytest.raises(UnsupportedError, match=r"one output, but \[.*1\] was asked for"):
            model.posterior(TEST_X, output_indices=outputs)
        with pytest.raises(UnsupportedError, match=r"one output, but \[.*1\] was asked for"):
            model.subset_output(outputs)


@EACH
def test_the_default_transform_is_the_bounding_box_of_the_data(
    make: Callable[..., RankModel],
) -> None:
    X, Y = toy_data(15)
    expected = law(make(X, Y).fit())
    box = Normalize(d=2, bounds=torch.stack([X.amin(0), X.amax(0)]))
    assert torch.equal(law(make(X, Y, input_transform=box).fit()), expected)
    with pytest.warns(InputDataWarning, match="unit cube"):
        raw = make(X, Y, input_transform=None).fit()
    assert torch.equal(raw.encode(TEST_X), TEST_X)
    assert not torch.equal(law(raw), expected)


@EACH
@pytest.mark.parametrize("scale", [1e-300, 1e200])
def test_the_size_of_the_box_does_not_matter(scale: float, make: Callable[..., RankModel]) -> None:
    X, Y = toy_data(8)
    expected, small = make(X, Y).fit(), make(scale * X, Y).fit()
    torch.testing.assert_close(law(small, scale * TEST_X), law(expected), rtol=1e-4, atol=1e-6)


@EACH
def test_points_that_fill_no_unit_cube_warn(make: Callable[..., RankModel]) -> None:
    X, Y = toy_data(15)
    with pytest.warns(InputDataWarning, match="unit cube"):
        make(1000.0 * X, Y, input_transform=None)
    for transform in (None, Normalize(d=2)):
        with pytest.warns(InputDataWarning, match="within 3e-10 of each other.*bounds=bounds"):
            make(1e-10 * X, Y, input_transform=transform)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        make(X / 10.0 + 0.3, Y, input_transform=None)
        make(1e-10 * X, Y, input_transform=Normalize(d=2, bounds=1e-10 * BOUNDS))
        with validate_input_scaling(False):
            make(1000.0 * X, Y, input_transform=None)
            make(1e-10 * X, Y, input_transform=None)


@EACH
def test_a_transform_that_would_be_used_wrongly_is_refused(make: Callable[..., RankModel]) -> None:
    X, Y = toy_data(15)
    warp = Warp(d=2, indices=[0, 1], bounds=BOUNDS)
    if make is not RankingGP:
        with pytest.raises(UnsupportedError, match=r"Warp has parameters.*requires_grad_\(False\)"):
            make(X, Y, input_transform=warp)
    fixed = make(X, Y, input_transform=warp.requires_grad_(False)).fit()
    assert fixed.posterior(X).mean.isfinite().all()
    features = AppendFeatures(torch.zeros(3, 1).double())
    with pytest.raises(UnsupportedError, match=r"AppendFeatures makes (3 points|2 columns)"):
        make(X, Y, input_transform=features)
    feature = torch.zeros(1, 1).double()
    with pytest.raises(UnsupportedError, match="2 columns of a training point and 3 of any other"):
        make(X, Y, input_transform=AppendFeatures(feature))
    always = AppendFeatures(feature, transform_on_train=True)
    assert make(X, Y, input_transform=always).fit().rank_posterior(X).mean.isfinite().all()


@EACH
def test_a_transform_that_training_leaves_out_is_applied(make: Callable[..., RankModel]) -> None:
    X, Y = toy_data(15)
    X = (X - X.amin(0)).exp()
    logs = (Log10([0, 1], transform_on_train=on_train) for on_train in (False, True))
    models = (make(X, Y, input_transform=log).fit() for log in logs)
    found, expected = (model.rank_posterior(X).mean for model in models)
    torch.testing.assert_close(found, expected)


@EACH
def test_points_that_cannot_be_encoded_are_named(make: Callable[..., RankModel]) -> None:
    X, Y = toy_data(15)
    with pytest.raises(InputDataError, match=r"too far apart.*Rescale"):
        make((X - X.mean(0)).sign() * 1.7e308, Y)
    with pytest.raises(InputDataError, match=r"train_X holds torch.int64.*double"):
        make(X.long(), Y.long())


def test_points_of_the_wrong_shape_or_kind_are_refused(model: RankModel) -> None:
    for method in (model.posterior, model.rank_posterior):
        for shape in [(2,), (3,), (4, 3), (2, 4, 1)]:
            with pytest.raises(BotorchTensorDimensionError, match=r"shape .* x q x 2, but got"):
                method(torch.zeros(shape, dtype=torch.float64))
        with pytest.raises(InputDataError, match=r"must be a tensor.*torch.as_tensor\(X\)"):
            method(TEST_X.tolist())


@pytest.mark.parametrize("dtype", [torch.float32, torch.half, torch.long])
def test_a_query_of_another_dtype_changes_nothing(model: RankModel, dtype: torch.dtype) -> None:
    queried = copy.deepcopy(model)
    before = law(queried)
    query = TEST_X.to(dtype)
    assert queried.posterior(query).mean.dtype == torch.double
    assert torch.equal(law(queried, query), law(model, query.double()))
    assert torch.equal(law(queried), before)


@EACH
def test_data_are_given_once_and_without_their_graph(make: Callable[..., RankModel]) -> None:
    X, Y = toy_data(8)
    for data in ({"order": from_outcomes(X, Y)}, {"train_Y": None}):
        with pytest.raises(InputDataError, match=r"Pass train_X and train_Y, or .*order.*combine"):
            make(**{"train_X": X, "train_Y": Y} | data)
    with pytest.raises(InputDataError, match="Pass train_X and train_Y"):
        make(order=from_outcomes(X, Y), train_Yvar=Y)
    X.requires_grad_()
    model = make(1.0 * X, X.square().sum(-1, keepdim=True)).fit()
    assert not any(buffer.requires_grad for buffer in model.buffers())
    assert model.with_pending(TEST_X[:1]).known_X.shape == (9, 2)


@EACH
def test_equal_outcomes_warn_and_are_survived(make: Callable[..., RankModel]) -> None:
    X, Y = toy_data(15)
    none, tie = torch.zeros(0, 2, dtype=torch.long), torch.tensor([[0, 1]])
    with pytest.warns(InputDataWarning, match="no answer prefers anything"):
        make(order=from_comparisons(toy_data(2)[0], none, tie))
    with pytest.warns(InputDataWarning, match="All outcomes are equal.*Check the metric"):
        model = make(X, torch.full_like(Y, 3.0))
    assert law(model.fit()).isfinite().all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        make(X, Y).fit()


def dataset(points: Tensor, name: str) -> SupervisedDataset:
    outcomes = points.sum(-1, keepdim=True)
    return SupervisedDataset(points, outcomes, feature_names=["a", "b"], outcome_names=[name])


def test_a_multi_task_dataset_names_target_and_sources() -> None:
    X, old_X = X30[:6], X30[6:15]
    tasks = MultiTaskDataset([dataset(old_X, "old"), dataset(X, "new")], "new")
    inputs = RankingGP.construct_inputs(tasks)
    [source] = inputs.pop("sources")
    assert source.agrees_with(from_outcomes(old_X, old_X.sum(-1, keepdim=True)))
    assert torch.equal(inputs["train_X"], X)
    assert torch.equal(inputs["train_Y"], X.sum(-1, keepdim=True))
    assert inputs["train_Yvar"] is None
    with pytest.raises(UnsupportedError, match="the target alone, or use RankingGP"):
        PoissonRankModel.construct_inputs(tasks)
    with_column = MultiTaskDataset([dataset(X, "new")], "new", task_feature_index=1)
    with pytest.raises(UnsupportedError, match="task_feature_index"):
        RankingGP.construct_inputs(with_column)


@pytest.mark.parametrize("kind", [RankingGP, PoissonRankModel])
def test_rankings_are_an_order(kind: type[RankModel]) -> None:
    order = unmeasured(from_outcomes(X30[:6], X30[:6].sum(-1)))
    ranks = (order.score.unsqueeze(-1) < order.score).sum(-1).tolist()
    model = kind(**kind.construct_inputs(ranking_dataset(order.X, [[*range(6)]], [ranks])))
    assert model.order is not None
    assert model.order.agrees_with(order)
