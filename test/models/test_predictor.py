"""The joint law of utilities, and of their differences to one of them."""

from collections.abc import Callable
from copy import deepcopy

import pytest
import torch
from botorch.cross_validation import loo_cv
from botorch.exceptions import BotorchTensorDimensionError, UnsupportedError
from botorch.models.transforms.input import Normalize
from botorch.posteriors import Posterior
from gpytorch.kernels import Kernel, MaternKernel, RBFKernel, ScaleKernel
from helpers.gaussian import conditional_law, dense_law, ranked, unit_points
from helpers.utility import SMOOTH, TEST_X, X, fitted, with_an_outlier
from torch import Tensor
from torch.autograd import gradcheck

from botorch_popbo import RankingGP
from botorch_popbo.data import from_comparisons, from_outcomes
from botorch_popbo.likelihoods.propagation import JITTER
from botorch_popbo.models.predictor import Differences, Predictor
from botorch_popbo.models.priors import default_kernel

TURN = torch.tensor([[0.6, -0.8], [0.8, 0.6]]).double()


@pytest.fixture(scope="module")
def model() -> RankingGP:
    """Shared: do not change it."""
    return fitted(SMOOTH)


@pytest.mark.parametrize("kernel", [None, ScaleKernel(RBFKernel())], ids=["default", "scaled"])
@pytest.mark.parametrize("outcomes", [SMOOTH, with_an_outlier()], ids=["smooth", "outlier"])
def test_the_posterior_is_the_joint_law_by_dense_matrices(
    outcomes: Tensor, kernel: Kernel | None
) -> None:
    model = fitted(outcomes, covar_module=kernel)
    mean, covariance = dense_law(model.predictor, TEST_X)
    for noise, added in ((False, 0.0), (True, model.noise.detach()), (tensor := 0.3, 0.3)):
        noise = torch.full((6, 1), noise).double() if noise is tensor else noise
        posterior = model.posterior(TEST_X, observation_noise=noise)
        torch.testing.assert_close(posterior.mean.squeeze(-1), mean, rtol=0, atol=1e-6)
        found, expected = posterior.distribution.covariance_matrix, covariance.clone()
        expected.diagonal().add_(JITTER + added)
        torch.testing.assert_close(found, expected, rtol=0, atol=1e-6)
        torch.testing.assert_close(posterior.variance.squeeze(-1), found.diagonal())
    ranks = model.rank_law(TEST_X, observation_noise=True)
    expected = model.posterior(TEST_X, observation_noise=True).variance
    torch.testing.assert_close(ranks.utility.variance, expected)


def test_what_is_asked_in_other_ways_is_the_same_or_refused(model: RankingGP) -> None:
    law, expected = model(TEST_X), model.posterior(TEST_X)
    assert law.mean.equal(expected.distribution.mean)
    assert law.covariance_matrix.equal(expected.distribution.covariance_matrix)
    posterior, given = model.posterior(TEST_X, posterior_transform=lambda *both: both)
    assert given is TEST_X
    assert posterior.mean.equal(expected.mean)
    with pytest.raises(UnsupportedError, match="has no prior of outcomes"):
        loo_cv(model)
    for shape in ((6,), (5, 1), (6, 2), (2, 6, 1)):
        with pytest.raises(BotorchTensorDimensionError, match=r"broadcasts to \(6, 1\).*but got"):
            model.posterior(TEST_X, observation_noise=torch.ones(shape))


def test_many_points_are_predicted_as_few_are(model: RankingGP) -> None:
    many = unit_points(2**13 + 1)
    for noise in (False, True):
        all_at_once, few = (model.posterior(x, observation_noise=noise) for x in (many, many[-9:]))
        torch.testing.assert_close(all_at_once.mean[-9:], few.mean)
        torch.testing.assert_close(all_at_once.variance[-9:], few.variance)
        joint = all_at_once.distribution[-9:].covariance_matrix
        torch.testing.assert_close(joint, few.distribution.covariance_matrix)
    points = many.requires_grad_()
    (gradient,) = torch.autograd.grad(model.posterior(points).variance.sum(), points)
    assert gradient.abs().amax() > 0.0


def test_gradients_of_the_posterior(model: RankingGP) -> None:
    def law(points: Tensor) -> tuple[Tensor, ...]:
        posterior = model.posterior(points)
        return posterior.mean, posterior.variance, posterior.distribution.covariance_matrix

    assert gradcheck(law, TEST_X.clone().requires_grad_(), eps=1e-6, atol=1e-6)


@pytest.fixture(scope="module", params=["closed form", "autograd"])
def predictor(request: pytest.FixtureRequest) -> Predictor:
    rough, scaled = default_kernel(2).double(), ScaleKernel(RBFKernel(ard_num_dims=2)).double()
    rough.rotation = TURN
    scaled.outputscale, scaled.base_kernel.lengthscale = 2.5, 0.6
    prior = rough if request.param == "closed form" else scaled
    return conditional_law(X[:12], ranked(SMOOTH[:12]), prior)


def test_differences_have_the_moments_of_the_joint_posterior(predictor: Predictor) -> None:
    utility, joint = dense_law(predictor, TEST_X)
    mean, variance, _ = Differences(predictor, TEST_X[2]).moments(TEST_X)
    contrast = torch.eye(6).double() - torch.eye(6).double()[2]
    expected = (contrast @ joint @ contrast.T).diagonal()
    torch.testing.assert_close(variance, expected, rtol=0, atol=1e-6)
    torch.testing.assert_close(mean, utility - utility[2], rtol=0, atol=1e-7)
    assert variance[2].item() == pytest.approx(0.0, abs=1e-12)


def test_a_pessimist_knows_utilities_of_records_up_to_noise(predictor: Predictor) -> None:
    prior = predictor.kernel(torch.cat([predictor.X, TEST_X])).to_dense()
    known = prior[:12, :12] + (predictor.noise + JITTER).diag()
    left = prior[12:, 12:] - prior[12:, :12] @ torch.linalg.solve(known, prior[:12, 12:])
    expected = predictor.mean(TEST_X) - left.diagonal().sqrt()
    torch.testing.assert_close(predictor.pessimistic(TEST_X), expected, rtol=0, atol=1e-8)


@pytest.mark.parametrize("reference", [X[0], TEST_X[1] + 1.0])
def test_gradients_of_differences(predictor: Predictor, reference: Tensor) -> None:
    differences = Differences(predictor, reference)
    points = torch.cat([TEST_X, reference.unsqueeze(0) + 0.01]).requires_grad_()
    assert gradcheck(differences.moments, points, eps=1e-6, atol=1e-6)


def test_what_is_expected_moves_no_mean_and_is_one_outcome_more(predictor: Predictor) -> None:
    noise, points = torch.tensor(0.05).double(), unit_points(3, seed=3)
    more = predictor.expecting(points, noise)
    torch.testing.assert_close(more.mean(TEST_X), predictor.mean(TEST_X))
    # A contrast to the same average as before, conditioned on noisy utilities.
    prior = predictor.kernel(torch.cat([predictor.X, points, TEST_X])).to_dense()
    root = prior[:, :12] @ predictor.root
    given = prior - root @ root.T
    noisy = given[12:15, 12:15] + (noise + JITTER) * torch.eye(3)
    gain = given[:, 12:15] @ torch.linalg.inv(noisy)
    contrast = torch.eye(21).double()[15:]
    contrast[:, :12] -= 1.0 / 12.0
    expected = contrast @ (given - gain @ given[12:15]) @ contrast.T
    found = more.covariance(TEST_X, TEST_X)
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-6)


def test_what_is_believed_leaves_nothing_to_learn_at_records(predictor: Predictor) -> None:
    believed = predictor.believing()
    torch.testing.assert_close(believed.mean(TEST_X), predictor.mean(TEST_X))
    assert bool((believed.moments(predictor.X)[1] < 1e-5).all())


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
    rougher, roughest = (MaternKernel(nu=nu, ard_num_dims=2).double() for nu in (2.5, 0.5))
    larger = Normalize(d=2, bounds=torch.tensor([[0.0, 0.0], [2.0, 4.0]]).double()).eval()
    means = [model.posterior(TEST_X).mean]
    for change in (
        lambda: model.covar_module.rotation.copy_(TURN),  # in place
        lambda: setattr(model.covar_module, "rotation", None),  # the columns again
        lambda: setattr(model, "covar_module", rougher),
        lambda: setattr(model, "covar_module", roughest),  # of the same parameters
        lambda: setattr(model, "input_transform", larger),
        lambda: larger.coefficient.mul_(1.5),
    ):
        change()
        means.append(model.posterior(TEST_X).mean)
        # Without what was known.
        fresh = RankingGP(X, SMOOTH.unsqueeze(-1), covar_module=model.covar_module)
        fresh.input_transform, fresh.likelihood = model.input_transform, model.likelihood
        fresh.warp = model.warp
        assert torch.equal(fresh.posterior(TEST_X).mean, means[-1])
        assert not torch.equal(means[-1], means[-2])


@pytest.mark.parametrize("predict", [RankingGP.posterior, RankingGP.rank_posterior])
@pytest.mark.parametrize("is_judged", [False, True])
def test_it_predicts_in_inference_mode(
    predict: Callable[[RankingGP, Tensor], Posterior], is_judged: bool
) -> None:
    pairs = torch.stack([torch.arange(8), torch.arange(8).roll(1)], dim=-1)
    tied = from_outcomes(X[:8], SMOOTH[:8].mul(2.0).round().unsqueeze(-1))
    model = RankingGP(order=from_comparisons(X[:8], pairs) if is_judged else tied).eval()
    expected = predict(deepcopy(model), TEST_X).mean
    with torch.inference_mode():
        found = predict(model, TEST_X).mean
    torch.testing.assert_close(found.clone(), expected, rtol=0.0, atol=0.0)
    x = TEST_X.unsqueeze(-2).requires_grad_()
    assert torch.autograd.grad(predict(model, x).mean.sum(), x)[0].isfinite().all()
