import copy
import warnings
from typing import Any

import pytest
import torch
from botorch.acquisition.objective import ScalarizedPosteriorTransform
from botorch.exceptions import BotorchTensorDimensionError, InputDataError, UnsupportedError
from botorch.exceptions.warnings import InputDataWarning
from botorch.fit import fit_gpytorch_mll
from botorch.models.transforms.input import Normalize
from botorch.utils.datasets import SupervisedDataset
from helpers.toy import BOUNDS, toy_data
from scipy.stats import kendalltau
from torch import Tensor

from botorch_popbo import PoissonRankModel, RankLogLikelihood
from botorch_popbo.models.transforms import OneHotCategories
from botorch_popbo.rank_counts import from_outcomes

TEST_X = toy_data(7, seed=1)[0]


def weights(model: PoissonRankModel) -> Tensor:
    return torch.cat([parameter.detach().flatten() for parameter in model.parameters()])


def mean(model: PoissonRankModel, X: Tensor = TEST_X) -> Tensor:
    return model.posterior(X).mean.detach()


@pytest.mark.parametrize("batch_shape", [(1,), (4,), (3, 4), (2, 3, 4)])
def test_posterior_has_the_shape_of_the_points(
    model: PoissonRankModel, batch_shape: tuple[int, ...]
) -> None:
    posterior = model.posterior(torch.rand(*batch_shape, 2, dtype=torch.float64))
    for values in (posterior.mean, posterior.variance, posterior.log_rate):
        assert values.shape == (*batch_shape, 1)


def test_a_batch_is_many_single_evaluations(model: PoissonRankModel) -> None:
    X = toy_data(24, seed=2)[0]
    batched = mean(model, X.reshape(2, 3, 4, 2)).reshape(24, 1)
    single = torch.cat([mean(model, x.unsqueeze(0)) for x in X])
    torch.testing.assert_close(batched, single, rtol=1e-12, atol=0)


@pytest.mark.parametrize("num_points", [8, 15])
def test_only_the_order_of_outcomes_matters(num_points: int) -> None:
    X, Y = toy_data(num_points)
    ranks = Y.squeeze(-1).argsort().argsort().to(Y).unsqueeze(-1)
    expected = mean(PoissonRankModel(X, Y).fit())
    for transformed in (Y.exp(), Y**3, ranks, 1e200 * Y, Y - 7.0):
        assert torch.equal(mean(PoissonRankModel(X, transformed).fit()), expected)


@pytest.mark.parametrize("num_points", [8, 15])
def test_order_of_evaluations_does_not_matter(num_points: int) -> None:
    X, Y = toy_data(num_points)
    forward, backward = (PoissonRankModel(*d).fit() for d in ((X, Y), (X.flip(0), Y.flip(0))))
    assert torch.equal(mean(forward), mean(backward))


def test_unit_and_sign_of_an_input_do_not_matter() -> None:
    X, Y = toy_data(15)
    scale = torch.tensor([1024.0, 0.25], dtype=torch.float64)  # exact in binary
    expected = mean(PoissonRankModel(X, Y).fit())
    scaled = PoissonRankModel(scale * X, Y).fit()
    assert torch.equal(mean(scaled, scale * TEST_X), expected)


def test_it_learns_the_ranking(model: PoissonRankModel) -> None:
    data = model.rank_counts
    assert kendalltau(mean(model, data.X).squeeze(-1), data.counts).statistic > 0.8


@pytest.mark.usefixtures("rng_untouched")
def test_one_seed_is_one_model() -> None:
    first, again, other = (PoissonRankModel(*toy_data(15), seed=seed).fit() for seed in (0, 0, 1))
    assert torch.equal(mean(first), mean(again))
    assert not torch.equal(mean(first), mean(other))
    assert torch.equal(mean(first.fit()), mean(again))


def test_the_number_of_observations_decides_between_the_laws() -> None:
    short, long = (PoissonRankModel(*toy_data(n)) for n in (11, 12))
    for model in (short, long):
        with torch.no_grad():
            model.rate.network[-1].bias.fill_(100.0)
    assert (mean(short) <= 11.0).all()
    assert (mean(long) > 12.0).all()
    # A point of a list of eleven met ten others, one of a list of twelve met eleven.
    ten, eleven = (torch.tensor(n, dtype=torch.float64) for n in (10.0, 11.0))
    for model in (short, long):
        assert model.limit_of_support(ten) == ten
        assert model.limit_of_support(eleven) == torch.inf


def test_the_exact_preset_never_drops_the_truncation() -> None:
    model = PoissonRankModel(*toy_data(30), preset="exact")
    with torch.no_grad():
        model.rate.network[-1].bias.fill_(100.0)
    assert (mean(model) <= 30.0).all()


def test_rank_counts_take_the_place_of_outcomes() -> None:
    X, Y = toy_data(15)
    by_outcomes = PoissonRankModel(X, Y, seed=2).fit()
    by_counts = PoissonRankModel(rank_counts=from_outcomes(X, Y), seed=2).fit()
    assert torch.equal(mean(by_counts), mean(by_outcomes))


def test_data_are_given_once() -> None:
    X, Y = toy_data(5)
    with pytest.raises(InputDataError, match="combine"):
        PoissonRankModel(X, Y, rank_counts=from_outcomes(X, Y))
    with pytest.raises(InputDataError, match="train_X and train_Y, or rank_counts"):
        PoissonRankModel(X)


def test_pending_points_enter_at_their_predicted_ranks() -> None:
    model = PoissonRankModel(*toy_data(15), seed=1).fit()
    pending = toy_data(3, seed=7)[0]
    informed = model.with_pending(pending)
    data = informed.rank_counts
    assert data.num_points == 18
    assert torch.equal(data.X[15:], pending)
    assert kendalltau(data.counts[15:], mean(model, pending).squeeze(-1)).statistic == 1.0
    assert kendalltau(data.counts[:15], model.rank_counts.counts).statistic == 1.0
    assert torch.equal(mean(informed), mean(model.with_pending(pending)))


def test_exposure_is_the_number_of_distinct_points() -> None:
    # A new point meets all points, each of those met the others.
    X, Y = toy_data(5)
    model = PoissonRankModel(torch.cat([X, X]), torch.cat([Y, Y]))
    assert model.posterior(TEST_X).exposure == 5.0
    assert (model.rank_counts.exposure == 4.0).all()
    assert len(model.rank_counts) == 5


def test_predicted_rate_is_the_exposure_times_the_scale_free_rate() -> None:
    model = PoissonRankModel(*toy_data(15), input_transform=None).fit()
    expected = 15.0 * model.rate.log_rate(TEST_X).exp().unsqueeze(-1)
    torch.testing.assert_close(model.posterior(TEST_X).log_rate.exp(), expected)


def test_state_dict_restores_a_model() -> None:
    fitted = PoissonRankModel(*toy_data(15), seed=0).fit()
    fresh = PoissonRankModel(*toy_data(15), seed=1).eval()
    assert not torch.equal(mean(fresh), mean(fitted))
    fresh.load_state_dict(fitted.state_dict())
    assert torch.equal(mean(fresh), mean(fitted))


def test_state_dict_of_another_number_of_points_loads() -> None:
    fitted = PoissonRankModel(*toy_data(15), seed=0).fit()
    larger = PoissonRankModel(*toy_data(40, seed=5), seed=1).eval()
    larger.load_state_dict(fitted.state_dict())
    # The same scale-free rate, bounding box included, at another exposure.
    rates = [m.posterior(TEST_X).log_rate.exp() / len(m.rank_counts) for m in (fitted, larger)]
    torch.testing.assert_close(rates[0], rates[1])


def test_fitting_forgets_a_loaded_state() -> None:
    expected = mean(PoissonRankModel(*toy_data(15)).fit())
    model = PoissonRankModel(*toy_data(15)).eval()
    model.load_state_dict(PoissonRankModel(*toy_data(40, seed=5)).fit().state_dict())
    assert torch.equal(mean(model.fit()), expected)


def test_a_deep_copy_is_equal_and_independent(long_model: PoissonRankModel) -> None:
    before = mean(long_model)
    duplicate = copy.deepcopy(long_model)
    assert torch.equal(mean(duplicate), before)
    with torch.no_grad():
        duplicate.rate.network[-1].bias.add_(1.0)
    assert not torch.equal(mean(duplicate), before)
    assert torch.equal(mean(long_model), before)


def test_everything_has_the_dtype_and_device_of_the_data(tkwargs: dict[str, Any]) -> None:
    model = PoissonRankModel(*toy_data(15, **tkwargs)).fit()
    posterior = model.posterior(TEST_X.to(**tkwargs))
    for values in (posterior.mean, posterior.variance, model.rank_counts.counts):
        assert values.dtype == tkwargs["dtype"]
        assert values.device.type == tkwargs["device"].type


@pytest.mark.parametrize("num_points", [8, 15])
def test_a_model_converts_to_single_precision(num_points: int) -> None:
    model = PoissonRankModel(*toy_data(num_points)).fit()
    double = mean(model)
    model.to(torch.float32)
    posterior = model.posterior(TEST_X.float())
    assert posterior.mean.dtype == posterior.dtype == torch.float32
    assert model.rank_counts.X.dtype == torch.float32
    torch.testing.assert_close(posterior.mean.detach().double(), double, rtol=1e-4, atol=1e-4)
    assert model.fit().posterior(TEST_X.float()).mean.dtype == torch.float32


def test_fit_returns_the_model_in_evaluation_mode() -> None:
    model = PoissonRankModel(*toy_data(8))
    assert model.training
    assert model.fit() is model
    assert not model.training
    assert not model.rate.training


def test_switching_modes_changes_neither_data_nor_predictions(
    long_model: PoissonRankModel,
) -> None:
    model = copy.deepcopy(long_model)
    before, points = mean(model), model.rank_counts.X.clone()
    model.train().eval()
    assert torch.equal(model.rank_counts.X, points)
    assert torch.equal(mean(model), before)
    model.train()
    assert torch.equal(mean(model), before)  # the bounding box is not taken of the test points


def test_training_data_stay_readable_under_botorchs_names() -> None:
    X, Y = toy_data(8)
    model = PoissonRankModel(X, Y)
    assert torch.equal(model.train_inputs[0], X)
    assert torch.equal(model.train_targets, Y.squeeze(-1))
    assert model.num_outputs == 1
    assert model.batch_shape == torch.Size()


def test_default_transform_is_the_bounding_box_of_the_data() -> None:
    X, Y = toy_data(15)
    bounds = torch.stack([X.amin(0), X.amax(0)])
    default, explicit = (
        PoissonRankModel(X, Y, **kwargs).fit()
        for kwargs in ({}, {"input_transform": Normalize(d=2, bounds=bounds)})
    )
    assert torch.equal(mean(default), mean(explicit))


def test_other_transforms_are_applied_before_the_network() -> None:
    X, Y = toy_data(15)
    normalize = Normalize(d=2, bounds=BOUNDS)
    inside = PoissonRankModel(X, Y, input_transform=normalize).fit()
    outside = PoissonRankModel(normalize(X), Y, input_transform=None).fit()
    assert torch.equal(mean(inside), mean(outside, normalize(TEST_X)))
    assert not torch.equal(mean(inside), mean(PoissonRankModel(X, Y, input_transform=None).fit()))


def test_a_transform_may_change_the_number_of_columns() -> None:
    X, Y = torch.cartesian_prod(torch.arange(3.0), torch.arange(4.0)), torch.rand(12, 1)
    model = PoissonRankModel(X, Y, input_transform=OneHotCategories(2, {0: (0.0, 1.0, 2.0)}))
    assert model.rate.network[0].in_features == 4
    assert model.fit().posterior(X).mean.shape == (12, 1)
    assert torch.equal(model.rank_counts.X, X)  # data stay as given


def test_equal_outcomes_warn_and_are_survived() -> None:
    X, _ = toy_data(15)
    with pytest.warns(InputDataWarning, match="All outcomes are equal.*Check the metric"):
        model = PoissonRankModel(X, torch.full((15, 1), 3.0, dtype=torch.float64))
    assert mean(model.fit()).isfinite().all()


def test_unequal_outcomes_do_not_warn() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        PoissonRankModel(*toy_data(15)).fit()


def test_failures_are_the_worst_outcomes() -> None:
    X, Y = toy_data(15)
    failed = Y.lt(Y.median())
    finite = torch.where(failed, Y.min() - 1.0, Y)
    infinite = torch.where(failed, -torch.inf, Y)
    models = [PoissonRankModel(X, outcomes).fit() for outcomes in (infinite, finite)]
    assert torch.equal(mean(models[0]), mean(models[1]))


def test_the_mean_is_differentiable_in_the_point(model: PoissonRankModel) -> None:
    X = TEST_X.clone().requires_grad_()
    (gradient,) = torch.autograd.grad(model.posterior(X).mean.sum(), X)
    assert gradient.isfinite().all()
    assert gradient.abs().sum() > 0


@pytest.mark.parametrize("shape", [(2,), (3,), (4, 3), (2, 4, 1)])
def test_points_of_the_wrong_shape_are_refused(
    model: PoissonRankModel, shape: tuple[int, ...]
) -> None:
    with pytest.raises(BotorchTensorDimensionError, match=r"shape .* x q x 2, but got"):
        model.posterior(torch.zeros(shape, dtype=torch.float64))


def test_posterior_transforms_are_refused(model: PoissonRankModel) -> None:
    transform = ScalarizedPosteriorTransform(torch.ones(1, dtype=torch.float64))
    with pytest.raises(UnsupportedError, match="Rank the transformed outcomes instead"):
        model.posterior(TEST_X, posterior_transform=transform)


def test_there_is_one_output(model: PoissonRankModel) -> None:
    assert model.subset_output([0]) is model
    assert torch.equal(model.posterior(TEST_X, output_indices=[0]).mean, mean(model))
    with pytest.raises(UnsupportedError, match=r"one output, but \[1\] was asked for"):
        model.posterior(TEST_X, output_indices=[1])
    with pytest.raises(UnsupportedError, match=r"one output, but \[0, 1\] was asked for"):
        model.subset_output([0, 1])


def test_observation_noise_changes_nothing(model: PoissonRankModel) -> None:
    assert torch.equal(model.posterior(TEST_X, observation_noise=True).mean, mean(model))


def test_unknown_presets_are_refused() -> None:
    with pytest.raises(ValueError, match="Unknown preset 'none'; known presets: paper"):
        PoissonRankModel(*toy_data(8), preset="none")  # type: ignore[arg-type]


def test_bad_data_are_refused() -> None:
    X, Y = toy_data(8)
    with pytest.raises(InputDataError, match="train_Y holds NaN"):
        PoissonRankModel(X, Y * torch.nan)
    with pytest.raises(BotorchTensorDimensionError, match="N x 1"):
        PoissonRankModel(X, Y.expand(8, 2))


@pytest.mark.parametrize("num_points", [8, 15])
@pytest.mark.usefixtures("rng_untouched")
def test_botorchs_fitting_does_what_fit_does(num_points: int) -> None:
    ours, botorchs = (PoissonRankModel(*toy_data(num_points)) for _ in range(2))
    mll = RankLogLikelihood(botorchs)
    assert fit_gpytorch_mll(mll) is mll
    assert not mll.training
    assert not botorchs.training
    assert torch.equal(weights(ours.fit()), weights(botorchs))


@pytest.mark.parametrize("option", ["closure", "closure_kwargs", "optimizer_kwargs", "optimizer"])
def test_botorchs_fitting_options_are_refused(option: str) -> None:
    model = PoissonRankModel(*toy_data(8))
    before = weights(model)
    value = {} if option.endswith("kwargs") else lambda: None
    with pytest.raises(UnsupportedError, match="choose another preset instead"):
        fit_gpytorch_mll(RankLogLikelihood(model), **{option: value})
    assert torch.equal(weights(model), before)


def test_construct_inputs_from_a_data_set() -> None:
    X, Y = toy_data(15)
    data = SupervisedDataset(X, Y, feature_names=["a", "b"], outcome_names=["y"])
    inputs = PoissonRankModel.construct_inputs(data, preset="paper", seed=5)
    expected = PoissonRankModel(X, Y, seed=5).fit()
    assert torch.equal(mean(PoissonRankModel(**inputs).fit()), mean(expected))
    by_default = PoissonRankModel(**PoissonRankModel.construct_inputs(data)).fit()
    assert torch.equal(mean(by_default), mean(PoissonRankModel(X, Y, seed=0).fit()))
