from collections.abc import Callable
from copy import deepcopy

import pytest
import torch
from botorch.acquisition.objective import PosteriorTransform, ScalarizedPosteriorTransform
from botorch.cross_validation import loo_cv
from botorch.exceptions import BotorchTensorDimensionError, UnsupportedError
from botorch.models.transforms.input import Normalize
from botorch.posteriors import Posterior, TransformedPosterior
from contracts import LargestTensor
from gpytorch.kernels import MaternKernel
from helpers.gaussian import dense_law, unit_points
from helpers.utility import SMOOTH, TEST_X, X, fitted, predicted, with_an_outlier
from torch import Tensor
from torch.autograd import gradcheck

from botorch_popbo import RankingGP
from botorch_popbo.data import from_comparisons, from_outcomes
from botorch_popbo.models._fit.evidence import JITTER
from botorch_popbo.models._predict.predictor import Predictor


@pytest.mark.parametrize("outcomes", [SMOOTH, with_an_outlier()], ids=["smooth", "outlier"])
def test_the_posterior_is_the_joint_law_by_dense_matrices(outcomes: Tensor) -> None:
    model = fitted(outcomes)
    mean, covariance = dense_law(model.predictor, TEST_X)
    jitter = JITTER * torch.eye(6).double()
    for noise, added in (
        (False, jitter),
        (True, jitter + model.noise.detach() * torch.eye(6).double()),
        (torch.full((6, 1), 0.3).double(), jitter + 0.3 * torch.eye(6).double()),
    ):
        posterior = model.posterior(TEST_X, observation_noise=noise)
        torch.testing.assert_close(posterior.mean.squeeze(-1), mean, rtol=0, atol=1e-6)
        found = posterior.distribution.covariance_matrix
        torch.testing.assert_close(found, covariance + added, rtol=0, atol=1e-6)
        torch.testing.assert_close(posterior.variance.squeeze(-1), found.diagonal())
    ranks = model.rank_posterior(TEST_X, observation_noise=True)
    expected = model.posterior(TEST_X, observation_noise=True).variance
    torch.testing.assert_close(ranks.utility.variance, expected)


def test_a_call_is_the_posterior_and_no_prior_of_outcomes() -> None:
    model = fitted(SMOOTH)
    law, expected = model(TEST_X), model.posterior(TEST_X).distribution
    assert law.mean.equal(expected.mean)
    assert law.covariance_matrix.equal(expected.covariance_matrix)
    with pytest.raises(UnsupportedError, match="has no prior of outcomes"):
        loo_cv(model)


@pytest.mark.parametrize("shape", [(6,), (5, 1), (6, 2), (2, 6, 1)])
def test_noise_of_a_wrong_shape_is_named(shape: tuple[int, ...]) -> None:
    with pytest.raises(BotorchTensorDimensionError, match=r"broadcasts to \(6, 1\).*but got"):
        fitted(SMOOTH).posterior(TEST_X, observation_noise=torch.ones(shape))


def test_many_points_are_predicted_as_few_are(monkeypatch: pytest.MonkeyPatch) -> None:
    model = fitted(SMOOTH)
    many = torch.rand(2**13 + 1, X.shape[-1], generator=torch.Generator().manual_seed(0)).double()
    for noise in (False, True):
        all_at_once, few = (model.posterior(x, observation_noise=noise) for x in (many, many[-9:]))
        torch.testing.assert_close(all_at_once.mean[-9:], few.mean)
        torch.testing.assert_close(all_at_once.variance[-9:], few.variance)
        joint = all_at_once.distribution[-9:].covariance_matrix
        torch.testing.assert_close(joint, few.distribution.covariance_matrix)
    sizes, cross = [], Predictor.cross
    monkeypatch.setattr(Predictor, "cross", lambda law, x: sizes.append(len(x)) or cross(law, x))
    posterior = model.posterior(many)
    assert posterior.mean.shape == posterior.variance.shape == (len(many), 1)
    assert sum(sizes) == len(many)  # once for both
    points = many.requires_grad_()
    (gradient,) = torch.autograd.grad(model.posterior(points).variance.sum(), points)
    assert gradient.abs().amax() > 0.0


def test_gradients_of_the_posterior() -> None:
    model = fitted(SMOOTH)

    def law(points: Tensor) -> tuple[Tensor, ...]:
        posterior = model.posterior(points)
        return posterior.mean, posterior.variance, posterior.distribution.covariance_matrix

    assert gradcheck(law, TEST_X.clone().requires_grad_(), eps=1e-6, atol=1e-6)


@pytest.mark.parametrize("moment", ["mean", "variance"])
def test_moments_of_many_points_need_no_covariance_matrix(moment: str) -> None:
    model = fitted(SMOOTH)
    many = unit_points(5000)
    with LargestTensor() as watch:
        values = getattr(model.posterior(many), moment)
    assert values.shape == (5000, 1)
    assert watch.num_bytes < 5000 * 5000 * 8 / 50


def test_posterior_transforms_act_on_utilities() -> None:
    model = fitted(SMOOTH)
    negate = ScalarizedPosteriorTransform(torch.tensor([-1.0]).double())
    negated = model.posterior(TEST_X, posterior_transform=negate)
    torch.testing.assert_close(negated.mean, -model.posterior(TEST_X).mean)


class FirstColumn(PosteriorTransform):
    """A transform that depends on the points."""

    scalarize = True

    def evaluate(self, Y: Tensor, X: Tensor | None = None) -> Tensor:
        raise NotImplementedError

    def forward(self, posterior: Posterior, X: Tensor | None = None) -> Posterior:
        assert X is not None
        column = X[..., :1]
        return TransformedPosterior(
            posterior,
            sample_transform=lambda samples: samples + column,
            mean_transform=lambda mean, variance: mean + column,
        )


def test_posterior_transforms_know_the_points_as_they_were_given() -> None:
    model, points = fitted(SMOOTH), 3.0 * TEST_X
    moved = model.posterior(points, posterior_transform=FirstColumn())
    torch.testing.assert_close(moved.mean, model.posterior(points).mean + points[..., :1])


def test_uncertainty_grows_away_from_the_records() -> None:
    model = fitted(SMOOTH)
    near, far = (model.posterior(points.unsqueeze(-2)).variance for points in (X, X + 5.0))
    assert near.max() < 0.1 * far.min()
    _, at_itself = model.improvement(X[:1], X[0])
    assert at_itself.item() == pytest.approx(0.0, abs=1e-9)


def test_improvement_is_the_law_of_a_difference() -> None:
    model = fitted(SMOOTH)
    mean, variance = model.improvement(TEST_X[1:], TEST_X[0])
    posterior = model.posterior(TEST_X)
    matrix = posterior.distribution.covariance_matrix - JITTER * torch.eye(6).double()
    utility = posterior.mean.squeeze(-1)
    torch.testing.assert_close(mean, utility[1:] - utility[0], rtol=0, atol=1e-7)
    expected = matrix.diagonal()[1:] + matrix[0, 0] - 2.0 * matrix[0, 1:]
    torch.testing.assert_close(variance, expected, rtol=0, atol=1e-6)


def test_a_loaded_state_brings_its_bounding_box() -> None:
    model = fitted(SMOOTH, input_transform=RankingGP(X, X[:, :1]).input_transform)
    larger = RankingGP(torch.cat([X, 4.0 * X[:1]]), torch.cat([SMOOTH, SMOOTH[:1]]).unsqueeze(-1))
    before = larger.encode(TEST_X)
    larger.train().load_state_dict(model.state_dict())
    assert larger.training
    assert torch.equal(larger.encode(TEST_X), model.encode(TEST_X))
    # Fitting takes the bounding box of the data.
    assert torch.equal(larger.fit().encode(TEST_X), before)


@pytest.mark.parametrize("name", ["log_likelihood", "incumbent"])
def test_what_is_asked_in_training_leaves_a_loaded_box_alone(name: str) -> None:
    model = fitted(SMOOTH, input_transform=RankingGP(X, X[:, :1]).input_transform)
    larger = RankingGP(torch.cat([X, 4.0 * X[:1]]), torch.cat([SMOOTH, SMOOTH[:1]]).unsqueeze(-1))
    larger.load_state_dict(model.state_dict())
    asked = getattr(larger.train(), name)
    if callable(asked):
        asked()
    assert torch.equal(larger.encode(TEST_X), model.encode(TEST_X))


def test_another_part_conditions_anew() -> None:
    model = fitted(SMOOTH)
    angle = torch.tensor(0.5).double()
    turn = torch.stack([angle.cos(), angle.sin(), -angle.sin(), angle.cos()]).reshape(2, 2)
    rougher = MaternKernel(nu=2.5, ard_num_dims=2).to(turn)
    rougher.lengthscale = 0.3
    larger = Normalize(d=2, bounds=torch.tensor([[0.0, 0.0], [2.0, 4.0]]).to(turn)).eval()

    def assert_new(known: Tensor) -> Tensor:
        found = model.posterior(TEST_X).mean
        assert not torch.equal(found, known)
        model._known = None
        assert torch.equal(model.posterior(TEST_X).mean, found)
        return found

    mean = model.posterior(TEST_X).mean
    model.covar_module.rotation.copy_(turn)  # in place
    mean = assert_new(mean)
    model.covar_module.rotation = None  # the columns again
    mean = assert_new(mean)
    model.covar_module = rougher
    mean = assert_new(mean)
    model.input_transform = larger
    assert_new(mean)


def test_other_hyperparameters_condition_anew() -> None:
    model = fitted(SMOOTH)
    first = predicted(model)
    lengthscale = model.covar_module.lengthscale.detach().clone()
    model.covar_module.lengthscale = 2.0 * lengthscale
    assert not torch.equal(predicted(model), first)
    model.covar_module.lengthscale = lengthscale
    torch.testing.assert_close(predicted(model), first)
    # Fitting again starts where it ended.
    torch.testing.assert_close(predicted(model.fit()), first, rtol=0.05, atol=0.05)


@pytest.mark.parametrize("predict", [RankingGP.posterior, RankingGP.rank_posterior])
@pytest.mark.parametrize("is_judged", [False, True])
def test_it_predicts_in_inference_mode(
    predict: Callable[[RankingGP, Tensor], Posterior], is_judged: bool
) -> None:
    pairs = torch.stack([torch.arange(12), torch.arange(12).roll(1)], dim=-1)
    tied = from_outcomes(X[:12], SMOOTH[:12].mul(2.0).round().unsqueeze(-1))
    model = RankingGP(order=from_comparisons(X[:12], pairs) if is_judged else tied).fit()
    expected = predict(deepcopy(model), TEST_X).mean
    with torch.inference_mode():
        found = predict(model, TEST_X).mean
    torch.testing.assert_close(found.clone(), expected, rtol=0.0, atol=0.0)
    x = TEST_X.unsqueeze(-2).requires_grad_()
    assert torch.autograd.grad(predict(model, x).mean.sum(), x)[0].isfinite().all()
