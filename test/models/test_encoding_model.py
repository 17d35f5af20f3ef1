"""What both models do alike."""

import copy
import warnings
from collections.abc import Callable
from typing import Any

import pytest
import torch
from botorch.exceptions import BotorchTensorDimensionError, InputDataError, UnsupportedError
from botorch.exceptions.warnings import InputDataWarning
from botorch.models.transforms.input import AppendFeatures, Log10, Normalize, Warp
from botorch.settings import validate_input_scaling
from helpers.models import EACH, TEST_X, law
from helpers.toy import BOUNDS, toy_data

from botorch_popbo import RankModel
from botorch_popbo.data import (
    from_outcomes,
)
from botorch_popbo.models.input_transforms import OneHotCategories


@EACH
def test_training_data_stay_readable_under_botorchs_names(make: Callable[..., RankModel]) -> None:
    X, Y = toy_data(8)
    model = make(torch.cat([X, X]), torch.cat([Y, Y]))
    assert torch.equal(model.train_inputs[0], torch.cat([X, X]))
    assert torch.equal(model.train_targets, torch.cat([Y, Y]).squeeze(-1))
    assert (model.dim, model.num_outputs, model.batch_shape) == (2, 1, torch.Size())
    assert torch.equal(model.known_X, from_outcomes(X, Y).X)
    assert model.transform_inputs(TEST_X) is TEST_X
    assert model.subset_output([0]) is model


@EACH
def test_default_transform_is_the_bounding_box_of_the_data(make: Callable[..., RankModel]) -> None:
    X, Y = toy_data(15)
    expected = law(make(X, Y).fit())
    box = Normalize(d=2, bounds=torch.stack([X.amin(0), X.amax(0)]))
    assert torch.equal(law(make(X, Y, input_transform=box).fit()), expected)
    with pytest.warns(InputDataWarning, match="unit cube"):
        raw = make(X, Y, input_transform=None).fit()
    assert torch.equal(raw.encode(TEST_X), TEST_X)
    assert not torch.equal(law(raw), expected)


@EACH
@pytest.mark.parametrize("scale", [1e-10, 1e-300, 1e200])
def test_the_size_of_the_box_does_not_matter(scale: float, make: Callable[..., RankModel]) -> None:
    X, Y = toy_data(15)
    expected, small = make(X, Y).fit(), make(scale * X, Y).fit()
    torch.testing.assert_close(law(small, scale * TEST_X), law(expected), rtol=1e-4, atol=1e-6)


@EACH
def test_points_far_from_the_unit_cube_warn(make: Callable[..., RankModel]) -> None:
    X, Y = toy_data(15)
    with pytest.warns(InputDataWarning, match="unit cube"):
        make(1000.0 * X, Y, input_transform=None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        make(X / 10.0 + 0.3, Y, input_transform=None)
        with validate_input_scaling(False):
            make(1000.0 * X, Y, input_transform=None)


@EACH
@pytest.mark.parametrize("transform", [None, Normalize(d=2)])
def test_a_box_that_a_transform_leaves_narrow_warns(
    transform: Normalize | None, make: Callable[..., RankModel]
) -> None:
    X, Y = toy_data(15)
    with pytest.warns(InputDataWarning, match="within 3e-10 of each other.*bounds=bounds"):
        make(1e-10 * X, Y, input_transform=transform)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        make(1e-10 * X, Y, input_transform=Normalize(d=2, bounds=1e-10 * BOUNDS))
        with validate_input_scaling(False):
            make(1e-10 * X, Y, input_transform=transform)


@EACH
def test_a_transform_that_would_be_used_wrongly_is_refused(make: Callable[..., RankModel]) -> None:
    X, Y = toy_data(15)
    warp = Warp(d=2, indices=[0, 1], bounds=BOUNDS)
    with pytest.raises(UnsupportedError, match=r"Warp has parameters.*requires_grad_\(False\)"):
        make(X, Y, input_transform=warp)
    assert (
        make(X, Y, input_transform=warp.requires_grad_(False))
        .fit()
        .posterior(X)
        .mean.isfinite()
        .all()
    )
    features = AppendFeatures(torch.zeros(3, 1).double())
    with pytest.raises(UnsupportedError, match="AppendFeatures makes 3 points of one"):
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
    with pytest.raises(InputDataError, match=r"too far apart.*Rescale"):
        make(torch.cat([X, torch.full_like(X[:, :1], 1e300)], dim=-1), Y)  # a constant column
    with pytest.raises(InputDataError, match=r"train_X holds torch.int64.*double"):
        make(X.long(), Y.long())


@EACH
def test_a_transform_may_change_the_number_of_columns(make: Callable[..., RankModel]) -> None:
    X = torch.cartesian_prod(torch.arange(3.0), torch.arange(4.0))
    Y = torch.rand(12, 1, generator=torch.Generator().manual_seed(0))
    one_hot = OneHotCategories(2, {0: (0.0, 1.0, 2.0)})
    model = make(X, Y, input_transform=one_hot).fit()
    assert model.encode(X).shape == (12, 4)
    assert model.posterior(X).mean.shape == (12, 1)
    assert torch.equal(model.known_X, X)  # data stay as given


@pytest.mark.parametrize("shape", [(2,), (3,), (4, 3), (2, 4, 1)])
def test_points_of_the_wrong_shape_are_refused(model: RankModel, shape: tuple[int, ...]) -> None:
    for method in (model.posterior, model.rank_posterior):
        with pytest.raises(BotorchTensorDimensionError, match=r"shape .* x q x 2, but got"):
            method(torch.zeros(shape, dtype=torch.float64))


@pytest.mark.parametrize("points", [TEST_X.tolist(), TEST_X.numpy()], ids=["list", "array"])
def test_points_that_are_no_tensor_are_named(model: RankModel, points: Any) -> None:
    for method in (model.posterior, model.rank_posterior):
        with pytest.raises(InputDataError, match=r"no tensor. Pass torch.as_tensor\(X\)"):
            method(points)


def test_there_is_one_output(model: RankModel) -> None:
    for outputs in ([1], [0, 1]):
        with pytest.raises(UnsupportedError, match=r"one output, but \[.*1\] was asked for"):
            model.posterior(TEST_X, output_indices=outputs)
        with pytest.raises(UnsupportedError, match=r"one output, but \[.*1\] was asked for"):
            model.subset_output(outputs)


@pytest.mark.parametrize("dtype", [torch.float32, torch.half, torch.long])
def test_a_query_of_another_dtype_changes_nothing(model: RankModel, dtype: torch.dtype) -> None:
    queried = copy.deepcopy(model)
    before = law(queried)
    query = TEST_X.to(dtype)
    posterior, ranks = queried.posterior(query), queried.rank_posterior(query)
    assert posterior.mean.dtype == ranks.mean.dtype == torch.double
    assert torch.equal(law(queried, query), law(model, query.double()))
    assert torch.equal(law(queried), before)


@EACH
def test_data_of_a_graph_are_taken_without_it(make: Callable[..., RankModel]) -> None:
    X = toy_data(8)[0].requires_grad_()
    model = make(1.0 * X, X.square().sum(-1, keepdim=True)).fit()
    assert not any(buffer.requires_grad for buffer in model.buffers())
    assert model.with_pending(TEST_X[:1]).known_X.shape == (9, 2)
