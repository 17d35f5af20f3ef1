import pytest
import torch
from botorch.acquisition import LogExpectedImprovement, qLogNoisyExpectedImprovement
from botorch.acquisition.objective import ScalarizedPosteriorTransform
from botorch.exceptions import UnsupportedError
from botorch.generation import MaxPosteriorSampling
from botorch.optim import optimize_acqf
from botorch.posteriors import GPyTorchPosterior
from botorch.utils.sampling import manual_seed
from helpers.toy import BOUNDS, toy_data

from botorch_popbo import PoissonRankModel, UtilityModel

TEST_X = toy_data(5, seed=1)[0]


@pytest.fixture
def utility(gaussian_model: PoissonRankModel) -> UtilityModel:
    return UtilityModel(gaussian_model)


def test_larger_utilities_have_fewer_better_points(
    utility: UtilityModel, gaussian_model: PoissonRankModel
) -> None:
    X = toy_data(50, seed=3)[0].unsqueeze(-2)
    posterior = utility.posterior(X)
    assert isinstance(posterior, GPyTorchPosterior)
    log_rate = gaussian_model.posterior(X).log_rate
    assert torch.equal(posterior.mean.flatten().argsort(), log_rate.flatten().argsort().flip(0))


def test_points_are_jointly_distributed(utility: UtilityModel) -> None:
    near = TEST_X[:1] + torch.tensor([[0.0, 0.0], [0.05, 0.0], [1.5, 1.0]]).to(TEST_X)
    matrix = utility.posterior(near).distribution.covariance_matrix
    scale = matrix.diagonal().sqrt()
    correlation = matrix / scale / scale.unsqueeze(-1)
    assert correlation[0, 1] > 0.95
    assert correlation[0, 2].abs() < 0.9


def test_observation_noise_is_added(utility: UtilityModel) -> None:
    plain, noisy = (utility.posterior(TEST_X, observation_noise=noise) for noise in (False, True))
    added = noisy.variance - plain.variance
    torch.testing.assert_close(added, utility.rate.noise.detach().expand(5, 1))


def test_posterior_transforms_act_on_utilities(utility: UtilityModel) -> None:
    negate = ScalarizedPosteriorTransform(torch.tensor([-1.0]).double())
    plain, negated = (utility.posterior(TEST_X, posterior_transform=t) for t in (None, negate))
    torch.testing.assert_close(negated.mean, -plain.mean)


def test_the_incumbent_is_an_evaluated_point(utility: UtilityModel) -> None:
    X, Y = toy_data(15)
    assert torch.equal(utility.incumbent, X[Y.argmax()])
    assert torch.equal(utility.train_inputs[0], X)
    assert utility.num_outputs == 1


def test_a_lucky_outcome_is_not_the_incumbent() -> None:
    X, Y = toy_data(40)
    Y[Y.flatten().argsort()[8]] = 1.0
    utility = UtilityModel(PoissonRankModel(X, Y).fit())
    assert not torch.equal(utility.incumbent, X[Y.argmax()])
    assert torch.equal(utility.incumbent, X[Y.flatten().topk(2).indices[1]])


def test_a_network_is_refused_with_advice(short_model: PoissonRankModel) -> None:
    with pytest.raises(
        UnsupportedError, match=r"MLPRate has no uncertainty .*; use preset=\"default\""
    ):
        UtilityModel(short_model)


def test_log_expected_improvement_works_on_it(utility: UtilityModel) -> None:
    best_f = utility.posterior(utility.incumbent.unsqueeze(0)).mean.max().detach()
    with manual_seed(0):
        X, value = optimize_acqf(
            LogExpectedImprovement(utility, best_f), BOUNDS, q=1, num_restarts=4, raw_samples=64
        )
    assert value.isfinite()
    # The optimum of the toy problem is at 0.3 of the box.
    assert torch.equal(X.clamp(BOUNDS[0], BOUNDS[1]), X)
    assert (((X - BOUNDS[0]) / (BOUNDS[1] - BOUNDS[0]) - 0.3).abs() < 0.25).all()


def test_batches_of_noisy_expected_improvement_work_on_it(utility: UtilityModel) -> None:
    acquisition = qLogNoisyExpectedImprovement(
        utility, X_baseline=utility.train_inputs[0], prune_baseline=True
    )
    with manual_seed(0):
        X, value = optimize_acqf(
            acquisition, BOUNDS, q=2, num_restarts=2, raw_samples=32, options={"maxiter": 20}
        )
    assert X.shape == (2, 2)
    assert value.isfinite()
    assert torch.equal(X.clamp(BOUNDS[0], BOUNDS[1]), X)
    assert (X[0] - X[1]).norm() > 1e-3


def test_thompson_sampling_works_on_it(utility: UtilityModel) -> None:
    choices = toy_data(100, seed=2)[0]
    with manual_seed(0):
        chosen = MaxPosteriorSampling(utility, replacement=False)(choices, num_samples=10)
    assert chosen.shape == (10, 2)
    assert len(chosen.unique(dim=0)) == 10
    mean = utility.posterior(choices).mean
    assert utility.posterior(chosen).mean.mean() > mean.mean() + mean.std()
