"""The conditional law as the prior of BoTorch's models, and in single precision."""

from typing import Any

import pytest
import torch
from botorch.acquisition import qLogExpectedImprovement, qLogNoisyExpectedImprovement
from botorch.acquisition.joint_entropy_search import qJointEntropySearch
from botorch.exceptions import BotorchTensorDimensionError, InputDataError
from botorch.models import ModelListGP
from botorch.sampling import SobolQMCNormalSampler
from botorch.utils.sampling import manual_seed
from helpers.gaussian import dense_law, unit_points
from torch import Tensor

from botorch_popbo import RankingGP
from botorch_popbo.models.conditional import ConditionalKernel

X = unit_points(12)
Y = -(X - 0.3).square().sum(-1, keepdim=True)
NEW, TEST_X = unit_points(4, seed=1), unit_points(5, seed=2)
OBSERVED = torch.tensor([[0.5], [-1.0], [2.0], [0.0]], dtype=torch.float64)


@pytest.fixture(scope="module")
def fitted() -> RankingGP:
    return RankingGP(X, Y).fit()


def by_algebra(model: RankingGP, noise: Tensor) -> tuple[Tensor, Tensor]:
    """Condition the joint law of old and new points on the observations, by dense matrices."""
    mean, covariance = dense_law(model.predictor, model.encode(torch.cat([NEW, TEST_X])))
    gain = covariance[4:, :4] @ torch.linalg.inv(covariance[:4, :4] + noise.diag())
    return (
        mean[4:] + gain @ (OBSERVED.squeeze(-1) - mean[:4]),
        covariance[4:, 4:] - gain @ covariance[:4, 4:],
    )


GIVEN = torch.tensor([[0.1], [1.0], [0.01], [0.5]]).double()


@pytest.mark.parametrize("noise", [None, GIVEN])
@pytest.mark.parametrize("cuts", [[4], [2, 1, 1]])
def test_observations_condition_the_joint_law(
    fitted: RankingGP, cuts: list[int], noise: Tensor | None
) -> None:
    variances = fitted.noise.detach().expand(4, 1) if noise is None else noise
    model: Any = fitted
    for index in torch.arange(4).split(cuts):
        options = {} if noise is None else {"noise": noise[index]}
        model = model.condition_on_observations(NEW[index], OBSERVED[index], **options)
    posterior = model.posterior(TEST_X)
    mean, covariance = by_algebra(fitted, variances.squeeze(-1))
    torch.testing.assert_close(posterior.mean.squeeze(-1), mean, rtol=0, atol=1e-5)
    found = posterior.distribution.covariance_matrix
    torch.testing.assert_close(found, covariance, rtol=0, atol=1e-5)


@pytest.mark.parametrize("shape", [(4, 2), (3, 1), (4,)])
def test_other_than_a_utility_of_each_point_is_refused(fitted: RankingGP, shape: Any) -> None:
    with pytest.raises(BotorchTensorDimensionError, match=r"batch_shape x 4 x 1"):
        fitted.condition_on_observations(NEW, torch.zeros(shape).double())


def test_a_prior_is_conditioned_as_any_gaussian_process() -> None:
    prior = RankingGP()
    covariance = prior.covar_module(torch.cat([NEW, TEST_X]), NEW).to_dense()
    noise = prior.noise.expand(4).diag()
    expected = covariance[4:] @ torch.linalg.solve(covariance[:4] + noise, OBSERVED)
    found = prior.condition_on_observations(NEW, OBSERVED).posterior(TEST_X).mean
    torch.testing.assert_close(found, expected)
    with pytest.raises(InputDataError, match="no evaluated point to choose from"):
        prior.recommended_among(None)


def test_a_part_of_the_covariance_is_that_of_the_whole(fitted: RankingGP) -> None:
    joint = fitted.posterior(TEST_X).distribution
    operator, matrix = joint.lazy_covariance_matrix, joint.covariance_matrix
    # Both of its sides begin with the same number in memory.
    torch.testing.assert_close(operator[:3, ::2].to_dense(), matrix[:3, ::2], rtol=0, atol=1e-10)
    beside = operator[:3, 1:4].diagonal()
    torch.testing.assert_close(beside, matrix[:3, 1:4].diagonal(), rtol=0, atol=1e-10)
    torch.testing.assert_close(operator.expand(2, 5, 5)[1].to_dense(), matrix)
    kernel, point = ConditionalKernel(fitted.predictor, torch.double), TEST_X[:1]
    found = kernel(point.expand(5, -1), TEST_X).to_dense()
    expected = kernel(point, TEST_X).to_dense().expand(5, -1)
    torch.testing.assert_close(found, expected)


@pytest.mark.filterwarnings("ignore:The model inputs are of type torch.float32")
@pytest.mark.parametrize("batch_shape", [(), (2, 3)])
def test_fantasies_are_batches_of_conditioned_models(
    fitted: RankingGP, batch_shape: tuple[int, ...], tkwargs: dict[str, Any]
) -> None:
    model = RankingGP(X.to(**tkwargs), Y.to(**tkwargs)).fit()
    points = unit_points(2 * torch.Size(batch_shape).numel(), seed=3)
    points = points.reshape(*batch_shape, 2, 2).to(**tkwargs)
    sampler = SobolQMCNormalSampler(torch.Size([6]), seed=0)
    fantasies = model.fantasize(points, sampler)
    assert fantasies.batch_shape == (6, *batch_shape)
    together = fantasies.posterior(TEST_X.to(**tkwargs))
    assert together.mean.shape == together.variance.shape == (6, *batch_shape, 5, 1)
    assert together.mean.dtype == tkwargs["dtype"]
    each = unit_points(6 * torch.Size(batch_shape).numel(), seed=4).to(**tkwargs)
    each = each.reshape(6, *batch_shape, 1, 2)
    assert fantasies.posterior(each).rsample(torch.Size([2])).shape == (2, 6, *batch_shape, 1, 1)
    # Whatever is fantasised, the variance is the same, and smaller than before.
    torch.testing.assert_close(together.variance[0], together.variance[1])
    assert (together.variance <= model.posterior(TEST_X.to(**tkwargs)).variance + 1e-5).all()


def test_training_the_conditioned_model_moves_no_bounding_box() -> None:
    model = RankingGP(X, Y).fit()
    conditioned = model.condition_on_observations(0.1 * NEW, OBSERVED)
    before = [each.posterior(TEST_X).mean for each in (model, conditioned)]
    conditioned.train()
    conditioned(*conditioned.train_inputs)
    model.posterior(10.0 * TEST_X)
    for each, expected in zip((model, conditioned), before, strict=True):
        assert torch.equal(each.posterior(TEST_X).mean, expected)


@pytest.mark.parametrize("given", [1e-4, 3.0])
def test_the_next_outcome_is_as_noisy_whatever_the_noise_of_what_is_given(
    fitted: RankingGP, given: float
) -> None:
    noise = torch.full_like(OBSERVED, given)
    model = fitted.condition_on_observations(NEW, OBSERVED, noise)
    outcome, value = (
        model.posterior(TEST_X, observation_noise=on).variance for on in (True, False)
    )
    torch.testing.assert_close(outcome - value, fitted.noise.detach().expand(5, 1))
    # So it is once more observed.
    sampler = SobolQMCNormalSampler(torch.Size([3]), seed=0)
    shrunk = value[0] - value[0].square() / (value[0] + fitted.noise.detach())
    for further in (
        model.condition_on_observations(TEST_X[:1], OBSERVED[:1]),
        model.fantasize(TEST_X[:1], sampler),
    ):
        left = further.posterior(TEST_X[:1]).variance
        torch.testing.assert_close(left, shrunk.expand_as(left), rtol=1e-3, atol=1e-7)


def test_an_optimum_to_condition_on_tells_nothing_of_known_points() -> None:
    noisy = RankingGP(X, Y)
    noisy.likelihood.noise = 0.03
    optimum, value = torch.full((4, 2), 0.3).double(), torch.full((4, 1), 2.0).double()
    gain = qJointEntropySearch(noisy, optimum, value)(X.unsqueeze(1))
    assert gain.min() < 0.05


def test_the_models_of_a_list_are_conditioned_one_by_one(fitted: RankingGP) -> None:
    outcomes, models = torch.cat([OBSERVED, -OBSERVED], dim=-1), ModelListGP(fitted, fitted)
    conditioned = models.condition_on_observations([NEW, NEW], outcomes, noise=GIVEN.expand(4, 2))
    found = conditioned.posterior(TEST_X)
    for column, own in enumerate((OBSERVED, -OBSERVED)):
        alone = fitted.condition_on_observations(NEW, own, GIVEN).posterior(TEST_X)
        torch.testing.assert_close(found.mean[:, [column]], alone.mean)
        torch.testing.assert_close(found.variance[:, [column]], alone.variance)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("distance", [0.0, 1e-6, 1e-3])
def test_single_precision_survives_points_that_are_close(seed: int, distance: float) -> None:
    dim = 1 + seed % 4
    points, generator = unit_points(12, dim, seed).float(), torch.Generator().manual_seed(seed)
    if seed % 2:  # replicates, and what are almost replicates
        points = torch.cat([points, points[:4] + 1e-7, points[:2]])
    noise = 0.01 * torch.randn(len(points), 1, generator=generator)
    outcomes = -(points - 0.3).square().sum(-1, keepdim=True) + noise
    queries = unit_points(15, dim, seed + 50).float().reshape(5, 3, dim)
    near = torch.cat([queries, points[:3].expand(5, 3, dim)], dim=-2)
    queries = torch.cat([near, near + distance * torch.rand(1, dim, generator=generator)], dim=-2)
    found: list[tuple[Tensor, Tensor]] = []
    for dtype in (torch.float32, torch.float64):
        model = RankingGP(points.to(dtype), outcomes.to(dtype)).fit()
        X, best_f = queries.to(dtype), float(model.posterior(points.to(dtype)).mean.max())
        posterior, samplers = (
            model.posterior(X),
            [SobolQMCNormalSampler(torch.Size([64]), seed=1) for _ in range(2)],
        )
        with manual_seed(0):
            assert posterior.rsample(torch.Size([8])).isfinite().all()
        improvement = qLogExpectedImprovement(model, best_f, sampler=samplers[0])(X).exp()
        noisy = qLogNoisyExpectedImprovement(model, points.to(dtype), sampler=samplers[1])(X).exp()
        known = torch.cat([posterior.mean.flatten(), posterior.variance.flatten(), improvement])
        found.append((known.detach().double(), noisy.detach().double()))
    torch.testing.assert_close(found[0][0], found[1][0], rtol=1e-2, atol=1e-3)
    # This one factorizes in single precision what is left of a point beside its replicates.
    torch.testing.assert_close(found[0][1], found[1][1], rtol=1e-2, atol=5e-2)
