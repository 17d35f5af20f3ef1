from collections.abc import Callable
from copy import deepcopy

import pytest
import torch
from botorch.cross_validation import loo_cv
from botorch.exceptions import BotorchTensorDimensionError, UnsupportedError
from botorch.models.transforms.input import Normalize
from botorch.posteriors import Posterior
from gpytorch.kernels import Kernel, MaternKernel, RBFKernel, ScaleKernel
from helpers.gaussian import dense_law
from helpers.utility import SMOOTH, TEST_X, X, fitted, with_an_outlier
from torch import Tensor
from torch.autograd import gradcheck

from botorch_popbo import RankingGP
from botorch_popbo.data import from_comparisons, from_outcomes
from botorch_popbo.likelihoods.propagation import JITTER
from botorch_popbo.models._predict.predictor import Predictor


@pytest.mark.parametrize("kernel", [None, ScaleKernel(RBFKernel())], ids=["default", "scaled"])
@pytest.mark.parametrize("outcomes", [SMOOTH, with_an_outlier()], ids=["smooth", "outlier"])
def test_the_posterior_is_the_joint_law_by_dense_matrices(
    outcomes: Tensor, kernel: Kernel | None
) -> None:
    model = fitted(outcomes, covar_module=kernel)
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


def test_a_posterior_transform_knows_the_points_as_they_were_given() -> None:
    points = 3.0 * TEST_X
    posterior, given = fitted(SMOOTH).posterior(points, posterior_transform=lambda *both: both)
    assert given is points
    assert posterior.mean.equal(fitted(SMOOTH).posterior(points).mean)


def test_a_loaded_state_brings_its_bounding_box() -> None:
    model = fitted(SMOOTH, input_transform=RankingGP(X, X[:, :1]).input_transform)
    larger = RankingGP(torch.cat([X, 4.0 * X[:1]]), torch.cat([SMOOTH, SMOOTH[:1]]).unsqueeze(-1))
    before = larger.encode(TEST_X)
    larger.train().load_state_dict(model.state_dict())
    assert larger.training
    # What is asked in training leaves the box alone; fitting takes that of the data.
    for ask in (lambda: None, larger.log_likelihood, lambda: larger.train().incumbent):
        ask()
        assert torch.equal(larger.encode(TEST_X), model.encode(TEST_X))
    assert torch.equal(larger.fit().encode(TEST_X), before)


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
