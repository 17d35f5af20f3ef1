import copy
import pickle
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

from botorch_popbo import (
    ExpectedRankingImprovement,
    GaussianRankPosterior,
    PoissonRankModel,
    PoissonRankPosterior,
    RankLogLikelihood,
    UtilityModel,
)
from botorch_popbo.models.transforms import OneHotCategories
from botorch_popbo.presets import PresetName
from botorch_popbo.rank_counts import from_outcomes

TEST_X = toy_data(7, seed=1)[0]
EACH_PRESET = pytest.mark.parametrize("preset", ["default", "paper"])


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
    torch.testing.assert_close(batched, single, rtol=1e-9, atol=0)


@EACH_PRESET
@pytest.mark.parametrize("num_points", [8, 15])
def test_only_the_order_of_outcomes_matters(num_points: int, preset: PresetName) -> None:
    X, Y = toy_data(num_points)
    ranks = Y.squeeze(-1).argsort().argsort().to(Y).unsqueeze(-1)
    expected = mean(PoissonRankModel(X, Y, preset=preset).fit())
    for transformed in (Y.exp(), Y**3, ranks, 1e200 * Y, Y - 7.0):
        assert torch.equal(mean(PoissonRankModel(X, transformed, preset=preset).fit()), expected)


@EACH_PRESET
@pytest.mark.parametrize("num_points", [8, 15])
def test_order_of_evaluations_does_not_matter(num_points: int, preset: PresetName) -> None:
    X, Y = toy_data(num_points)
    forward = PoissonRankModel(X, Y, preset=preset).fit()
    backward = PoissonRankModel(X.flip(0), Y.flip(0), preset=preset).fit()
    assert torch.equal(mean(forward), mean(backward))


@EACH_PRESET
def test_unit_and_sign_of_an_input_do_not_matter(preset: PresetName) -> None:
    X, Y = toy_data(15)
    scale = torch.tensor([1024.0, 0.25], dtype=torch.float64)  # exact in binary
    expected = mean(PoissonRankModel(X, Y, preset=preset).fit())
    scaled = PoissonRankModel(scale * X, Y, preset=preset).fit()
    assert torch.equal(mean(scaled, scale * TEST_X), expected)


def test_it_learns_the_ranking(model: PoissonRankModel) -> None:
    data = model.rank_counts
    assert kendalltau(mean(model, data.X).squeeze(-1), data.counts).statistic > 0.8


@pytest.mark.usefixtures("rng_untouched")
def test_one_seed_is_one_network() -> None:
    first, again, other = (
        PoissonRankModel(*toy_data(15), preset="paper", seed=seed).fit() for seed in (0, 0, 1)
    )
    assert torch.equal(mean(first), mean(again))
    assert not torch.equal(mean(first), mean(other))
    assert torch.equal(mean(first.fit()), mean(again))


@pytest.mark.usefixtures("rng_untouched")
def test_a_gaussian_process_needs_no_seed() -> None:
    first, other = (PoissonRankModel(*toy_data(15), seed=seed).fit() for seed in (0, 1))
    assert torch.equal(mean(first), mean(other))
    # Fitting again starts where it ended.
    torch.testing.assert_close(mean(first.fit()), mean(other), rtol=0.05, atol=0.05)


def test_the_number_of_observations_decides_between_the_laws() -> None:
    short, long = (PoissonRankModel(*toy_data(n), preset="paper") for n in (11, 12))
    for model in (short, long):
        with torch.no_grad():
            model.rate.network[-1].bias.fill_(100.0)
    assert (mean(short) <= 11.0).all()
    assert (mean(long) > 12.0).all()


def test_the_exact_preset_never_drops_the_truncation() -> None:
    model = PoissonRankModel(*toy_data(30), preset="exact")
    with torch.no_grad():
        model.rate.network[-1].bias.fill_(100.0)
    assert (mean(model) <= 30.0).all()


@EACH_PRESET
def test_rank_counts_take_the_place_of_outcomes(preset: PresetName) -> None:
    X, Y = toy_data(15)
    by_outcomes = PoissonRankModel(X, Y, preset=preset, seed=2).fit()
    by_counts = PoissonRankModel(rank_counts=from_outcomes(X, Y), preset=preset, seed=2).fit()
    assert torch.equal(mean(by_counts), mean(by_outcomes))


def test_data_are_given_once() -> None:
    X, Y = toy_data(5)
    with pytest.raises(InputDataError, match="combine"):
        PoissonRankModel(X, Y, rank_counts=from_outcomes(X, Y))
    with pytest.raises(InputDataError, match="train_X and train_Y, or rank_counts"):
        PoissonRankModel(X)


@EACH_PRESET
def test_pending_points_enter_at_their_predicted_ranks(preset: PresetName) -> None:
    model = PoissonRankModel(*toy_data(15), preset=preset, seed=1).fit()
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
    model = PoissonRankModel(*toy_data(15), input_transform=None, preset="paper").fit()
    expected = 15.0 * model.rate.log_rate(TEST_X).exp().unsqueeze(-1)
    torch.testing.assert_close(model.posterior(TEST_X).log_rate.exp(), expected)


@EACH_PRESET
def test_state_dict_restores_a_model(preset: PresetName) -> None:
    fitted = PoissonRankModel(*toy_data(15), preset=preset, seed=0).fit()
    fresh = PoissonRankModel(*toy_data(15), preset=preset, seed=1).eval()
    assert not torch.equal(mean(fresh), mean(fitted))
    fresh.load_state_dict(fitted.state_dict())
    assert torch.equal(mean(fresh), mean(fitted))


def test_state_dict_of_another_number_of_points_loads() -> None:
    fitted = PoissonRankModel(*toy_data(15), preset="paper", seed=0).fit()
    larger = PoissonRankModel(*toy_data(40, seed=5), preset="paper", seed=1).eval()
    larger.load_state_dict(fitted.state_dict())
    # The same scale-free rate, bounding box included, at another exposure.
    rates = [m.posterior(TEST_X).log_rate.exp() / len(m.rank_counts) for m in (fitted, larger)]
    torch.testing.assert_close(rates[0], rates[1])


def test_a_loaded_state_brings_its_bounding_box() -> None:
    X, Y = toy_data(15)
    fitted = PoissonRankModel(X, Y).fit()
    larger = PoissonRankModel(torch.cat([X, 4.0 * X[:1]]), torch.cat([Y, Y[:1] - 1.0])).train()
    larger.load_state_dict(fitted.state_dict())
    assert larger.training
    assert torch.equal(larger.encode(TEST_X), fitted.encode(TEST_X))
    assert torch.equal(larger.rate.X, larger.encode(larger.rank_counts.X))
    # Fitting takes the bounding box of the data.
    larger.fit()
    assert larger.rate.X.amin() == 0.0
    assert larger.rate.X.amax() == 1.0
    assert torch.equal(larger.rate.X, larger.encode(larger.rank_counts.X))


@EACH_PRESET
def test_fitting_forgets_a_loaded_state(preset: PresetName) -> None:
    expected = mean(PoissonRankModel(*toy_data(15), preset=preset).fit())
    model = PoissonRankModel(*toy_data(15), preset=preset).eval()
    other = PoissonRankModel(*toy_data(40, seed=5), preset=preset).fit()
    model.load_state_dict(other.state_dict())
    # But for where the search for a Gaussian process's hyperparameters starts.
    tolerance = 0.05 if preset == "default" else 0.0
    torch.testing.assert_close(mean(model.fit()), expected, rtol=tolerance, atol=tolerance)


def test_a_deep_copy_is_equal_and_independent(model: PoissonRankModel) -> None:
    before = mean(model)
    duplicate = copy.deepcopy(model)
    assert torch.equal(mean(duplicate), before)
    with torch.no_grad():
        for parameter in duplicate.parameters():
            parameter.add_(0.1)
    assert not torch.equal(mean(duplicate), before)
    assert torch.equal(mean(model), before)


def test_a_model_can_be_pickled(model: PoissonRankModel) -> None:
    assert torch.equal(mean(pickle.loads(pickle.dumps(model))), mean(model))


@EACH_PRESET
def test_everything_has_the_dtype_and_device_of_the_data(
    preset: PresetName, tkwargs: dict[str, Any]
) -> None:
    model = PoissonRankModel(*toy_data(15, **tkwargs), preset=preset).fit()
    posterior = model.posterior(TEST_X.to(**tkwargs))
    for values in (posterior.mean, posterior.variance, model.rank_counts.counts):
        assert values.dtype == tkwargs["dtype"]
        assert values.device.type == tkwargs["device"].type


@EACH_PRESET
@pytest.mark.parametrize("num_points", [8, 15])
def test_a_model_converts_to_single_precision(num_points: int, preset: PresetName) -> None:
    model = PoissonRankModel(*toy_data(num_points), preset=preset).fit()
    double = mean(model)
    model.to(torch.float32)
    posterior = model.posterior(TEST_X.float())
    assert posterior.mean.dtype == posterior.dtype == torch.float32
    assert model.rank_counts.X.dtype == torch.float32
    torch.testing.assert_close(posterior.mean.detach().double(), double, rtol=1e-4, atol=1e-4)
    assert model.fit().posterior(TEST_X.float()).mean.dtype == torch.float32


@EACH_PRESET
def test_fit_returns_the_model_in_evaluation_mode(preset: PresetName) -> None:
    model = PoissonRankModel(*toy_data(8), preset=preset)
    assert model.training
    assert model.fit() is model
    assert not model.training
    assert not model.rate.training


def test_switching_modes_changes_neither_data_nor_predictions(model: PoissonRankModel) -> None:
    model = copy.deepcopy(model)
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


@EACH_PRESET
def test_default_transform_is_the_bounding_box_of_the_data(preset: PresetName) -> None:
    X, Y = toy_data(15)
    bounds = torch.stack([X.amin(0), X.amax(0)])
    default, explicit = (
        PoissonRankModel(X, Y, preset=preset, **kwargs).fit()
        for kwargs in ({}, {"input_transform": Normalize(d=2, bounds=bounds)})
    )
    assert torch.equal(mean(default), mean(explicit))


@EACH_PRESET
def test_other_transforms_are_applied_before_the_rate(preset: PresetName) -> None:
    X, Y = toy_data(15)
    normalize = Normalize(d=2, bounds=BOUNDS)
    inside = PoissonRankModel(X, Y, input_transform=normalize, preset=preset).fit()
    outside = PoissonRankModel(normalize(X), Y, input_transform=None, preset=preset).fit()
    raw = PoissonRankModel(X, Y, input_transform=None, preset=preset).fit()
    assert torch.equal(mean(inside), mean(outside, normalize(TEST_X)))
    assert not torch.equal(mean(inside), mean(raw))


@EACH_PRESET
def test_a_transform_may_change_the_number_of_columns(preset: PresetName) -> None:
    X = torch.cartesian_prod(torch.arange(3.0), torch.arange(4.0))
    Y = torch.rand(12, 1, generator=torch.Generator().manual_seed(0))
    one_hot = OneHotCategories(2, {0: (0.0, 1.0, 2.0)})
    model = PoissonRankModel(X, Y, input_transform=one_hot, preset=preset)
    assert model.rate.X.shape == (12, 4)
    assert model.fit().posterior(X).mean.shape == (12, 1)
    assert torch.equal(model.rank_counts.X, X)  # data stay as given


@EACH_PRESET
def test_equal_outcomes_warn_and_are_survived(preset: PresetName) -> None:
    X, Y = toy_data(15)
    with pytest.warns(InputDataWarning, match="All outcomes are equal.*Check the metric"):
        model = PoissonRankModel(X, torch.full_like(Y, 3.0), preset=preset)
    assert mean(model.fit()).isfinite().all()


@EACH_PRESET
def test_unequal_outcomes_do_not_warn(preset: PresetName) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        PoissonRankModel(*toy_data(15), preset=preset).fit()


@EACH_PRESET
def test_failures_are_the_worst_outcomes(preset: PresetName) -> None:
    X, Y = toy_data(15)
    failed = Y.lt(Y.median())
    finite = torch.where(failed, Y.min() - 1.0, Y)
    infinite = torch.where(failed, -torch.inf, Y)
    models = [PoissonRankModel(X, Y, preset=preset).fit() for Y in (infinite, finite)]
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


def test_a_count_of_a_network_has_no_further_noise(long_model: PoissonRankModel) -> None:
    noisy = long_model.posterior(TEST_X, observation_noise=True)
    assert torch.equal(noisy.mean, mean(long_model))


def test_observation_noise_widens_the_law_of_a_gaussian_process(
    gaussian_model: PoissonRankModel,
) -> None:
    for noise in (True, torch.ones(7, 1)):
        posterior = gaussian_model.posterior(TEST_X, observation_noise=noise)
        assert isinstance(posterior, GaussianRankPosterior)
        plain = gaussian_model.posterior(TEST_X).utility.variance
        added = posterior.utility.variance - plain
        torch.testing.assert_close(added, gaussian_model.rate.noise.detach().expand(7, 1))


def test_unknown_presets_are_refused() -> None:
    with pytest.raises(ValueError, match="Unknown preset 'none'; known presets: default"):
        PoissonRankModel(*toy_data(8), preset="none")  # type: ignore[arg-type]


def test_bad_data_are_refused() -> None:
    X, Y = toy_data(8)
    with pytest.raises(InputDataError, match="train_Y holds NaN"):
        PoissonRankModel(X, Y * torch.nan)
    with pytest.raises(BotorchTensorDimensionError, match="N x 1"):
        PoissonRankModel(X, Y.expand(8, 2))


@EACH_PRESET
@pytest.mark.parametrize("num_points", [8, 15])
@pytest.mark.usefixtures("rng_untouched")
def test_botorchs_fitting_does_what_fit_does(num_points: int, preset: PresetName) -> None:
    ours, botorchs = (PoissonRankModel(*toy_data(num_points), preset=preset) for _ in range(2))
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
    expected = PoissonRankModel(X, Y, preset="paper", seed=5).fit()
    assert torch.equal(mean(PoissonRankModel(**inputs).fit()), mean(expected))
    by_default = PoissonRankModel(**PoissonRankModel.construct_inputs(data)).fit()
    assert torch.equal(mean(by_default), mean(PoissonRankModel(X, Y).fit()))


class SumRate:
    """The log-rate falls with the sum of the encoded coordinates."""

    known_radius = 0.02

    def __init__(self, X: Tensor, counts: Tensor, exposure: Tensor, num_points: int) -> None:
        self.X, self.counts, self.exposure, self.num_points = X, counts, exposure, num_points
        self.is_fitted = False

    def move(self, X: Tensor) -> None:
        self.X = X

    def fit(self) -> None:
        self.is_fitted = True

    def log_likelihood(self) -> Tensor:
        return self.counts.sum()

    def rank_posterior(self, X: Tensor, observation_noise: bool = False) -> PoissonRankPosterior:
        exposure = X.new_tensor(float(self.num_points))
        return PoissonRankPosterior(-X.sum(-1, keepdim=True), exposure, exposure)


def test_a_rate_of_ones_own_takes_the_place_of_the_presets() -> None:
    X, Y = toy_data(15)
    model = PoissonRankModel(X, Y, rate=SumRate).fit()
    assert isinstance(model.rate, SumRate)
    assert model.rate.is_fitted
    assert torch.equal(model.rate.counts, from_outcomes(X, Y).counts)
    assert torch.equal(model.rank_posterior(X).log_rate, -model.encode(X).sum(-1, keepdim=True))
    assert RankLogLikelihood(model)() == 105.0
    pending = toy_data(3, seed=7)[0]
    acquisition = ExpectedRankingImprovement(model, X_pending=pending)
    assert acquisition.q is None
    assert torch.equal(acquisition(pending.unsqueeze(-2)), torch.zeros(3).double())
    informed = model.with_pending(pending)
    assert isinstance(informed.rate, SumRate)
    assert informed.rate.num_points == 18


def test_a_rate_without_uncertainty_has_no_utility() -> None:
    with pytest.raises(UnsupportedError, match="SumRate has no uncertainty"):
        UtilityModel(PoissonRankModel(*toy_data(15), rate=SumRate))
