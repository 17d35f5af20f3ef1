from collections.abc import Callable
from typing import Any

import pytest
import torch
from botorch.optim import optimize_acqf
from botorch.posteriors import GPyTorchPosterior
from botorch.utils.sampling import manual_seed
from contracts import ModelContract
from gpytorch.constraints import GreaterThan, Interval
from gpytorch.kernels import Kernel, MaternKernel, RBFKernel, ScaleKernel
from gpytorch.likelihoods import GaussianLikelihood
from gpytorch.priors import GammaPrior, LogNormalPrior
from helpers.gaussian import unit_points
from helpers.utility import SMOOTH, TEST_X, X, fitted, predicted, with_a_surprise, with_an_outlier
from torch import Tensor

from botorch_popbo import LogExpectedUtilityImprovement, PoissonRankModel, RankingGP
from botorch_popbo.data import combine, from_comparisons, from_outcomes
from botorch_popbo.models.input_transforms import OneHotCategories
from botorch_popbo.settings import ModelSettings


class TestContract(ModelContract):
    linear_memory = True

    def make_model(self, train_X: Tensor, train_Y: Tensor, **options: Any) -> RankingGP:
        return RankingGP(train_X, train_Y, **{"input_transform": None} | options)


class TestFittedContract(TestContract):
    linear_memory = False

    def make_model(self, train_X: Tensor, train_Y: Tensor, **options: Any) -> RankingGP:
        return super().make_model(train_X, train_Y, **options).fit()


@pytest.mark.parametrize("outcomes", [SMOOTH, (5.0 * X[:, 0]).sin() + X[:, 1]])
def test_records_are_predicted_in_their_order(outcomes: Tensor) -> None:
    model = fitted(outcomes, order_only=True)
    posterior = model.posterior(X)
    assert isinstance(posterior, GPyTorchPosterior)
    assert torch.equal(posterior.mean.flatten().argsort(), outcomes.argsort())
    # A rank in the middle of a threshold has as many points above it as the record itself.
    counts = (outcomes > outcomes.unsqueeze(-1)).sum(-1)
    ranks = model.rank_posterior(X.unsqueeze(-2))
    assert (ranks.mean.flatten() - counts).abs().max() < 2.0
    assert torch.equal(ranks.log_rate.flatten().argsort(), outcomes.argsort().flip(0))


def test_an_outlier_is_set_aside_and_not_recommended() -> None:
    outcomes = with_an_outlier()
    model = fitted(outcomes)
    assert torch.equal(model.known_X[model.is_outlier], X[outcomes.argmax()].unsqueeze(0))
    assert torch.equal(model.incumbent, X[SMOOTH.argmax()])
    assert torch.equal(model.recommended, model.incumbent)
    assert "1 records set aside" in repr(model)
    clean = fitted(SMOOTH)
    ranks = [m.rank_posterior(TEST_X).mean for m in (model, clean)]
    torch.testing.assert_close(*ranks, rtol=0.1, atol=1.5)
    # Without noise the best rank is recommended.
    assert torch.equal(clean.incumbent, X[SMOOTH.argmax()])
    eligible = ~(model.known_X == clean.incumbent).all(-1)
    second = X[SMOOTH.topk(2).indices[1]]
    assert torch.equal(clean.incumbent_among(eligible), second)


@pytest.mark.parametrize("seed", [0, 6])
def test_what_looks_like_noise_is_the_recommended_points_own(seed: int) -> None:
    points = unit_points(30, seed=seed)
    bowl = -(points - 0.5).square().sum(-1)
    rough = bowl + 0.05 * torch.sin(80.0 * points).sum(-1)
    luckiest = points[rough.argmax()]
    model = fitted(rough, points)
    assert torch.equal(model.recommended, luckiest)
    assert not torch.equal(model.incumbent, luckiest)
    known = fitted(rough, points, train_Yvar=torch.full_like(bowl, 0.05**2).unsqueeze(-1))
    assert torch.equal(known.recommended, known.incumbent)
    eligible = ~(model.known_X == luckiest).all(-1)
    assert not torch.equal(model.recommended_among(eligible), luckiest)
    pending = model.with_pending(torch.full((1, 2), 0.1, dtype=torch.double))
    assert torch.equal(pending.recommended, luckiest)


def test_the_best_outcome_counts_until_a_point_near_it_contradicts_it() -> None:
    model = with_a_surprise()
    corner = torch.ones(1, 2).double()
    assert torch.equal(model.surprise, corner)
    assert not model.is_outlier.any()
    utility = model.posterior(model.known_X.unsqueeze(-2)).mean.flatten()
    assert torch.equal(model.known_X[utility.argmax()], corner[0])
    assert not torch.equal(model.incumbent, corner[0])
    contradicted = with_a_surprise(-0.9)
    assert contradicted.surprise.shape == (0, 2)
    assert torch.equal(contradicted.known_X[contradicted.is_outlier], corner)
    supported = with_a_surprise(0.9, 0.8)
    assert supported.surprise.shape == (0, 2)
    assert not supported.is_outlier.any()
    assert torch.equal(supported.incumbent, corner[0])


def test_pending_points_are_evaluated_as_expected() -> None:
    orders = [from_outcomes(X, outcomes) for outcomes in (with_an_outlier(), SMOOTH)]
    pending = TEST_X[:2]
    for order in (orders[0], combine(*orders)):
        model = RankingGP(order=order, input_transform=None).fit()
        informed = model.with_pending(pending)
        before, after = (m.posterior(TEST_X) for m in (model, informed))
        torch.testing.assert_close(after.mean, before.mean)
        assert (after.variance[:2] < 0.95 * before.variance[:2]).all()
        assert (after.variance <= before.variance + 1e-9).all()
        # Hyperparameters and outliers stay as they are.
        assert torch.equal(informed.covar_module.lengthscale, model.covar_module.lengthscale)
        assert torch.equal(informed.noise, model.noise)
        assert informed.is_outlier.tolist() == [*model.is_outlier.tolist(), False, False]
        assert model.is_outlier.sum() == 1
        # They may be recommended, too.
        is_pending = torch.arange(32) >= 30
        assert any(torch.equal(informed.incumbent_among(is_pending), x) for x in pending)


def test_a_state_dict_carries_hyperparameters_and_outliers() -> None:
    model = fitted(with_an_outlier())
    fresh = RankingGP(X, with_an_outlier().unsqueeze(-1), input_transform=None)
    fresh.load_state_dict(model.state_dict())
    assert torch.equal(fresh.is_outlier, model.is_outlier)
    torch.testing.assert_close(predicted(fresh), predicted(model), rtol=1e-4, atol=1e-4)
    lone = with_a_surprise()
    again = RankingGP(order=lone.order, input_transform=None)
    again.load_state_dict(lone.state_dict())
    assert torch.equal(again.surprise, lone.surprise)
    # Of other data the hyperparameters are taken over, the outliers are not.
    fewer = RankingGP(X[:20], SMOOTH[:20].unsqueeze(-1), input_transform=None)
    fewer.load_state_dict(model.state_dict())
    assert not fewer.is_outlier.any()
    assert torch.equal(fewer.covar_module.lengthscale, model.covar_module.lengthscale)


def test_many_records_are_represented_by_some() -> None:
    many = unit_points(600)
    outcomes, settings = -(many - 0.3).square().sum(-1), ModelSettings(num_conditioned=200)
    model = fitted(outcomes, many, settings=settings)
    used = model.predictor.X
    assert len(used) == 200
    assert all((x == used).all(-1).any() for x in many[outcomes.topk(100).indices])
    posterior = model.rank_posterior(many[::50].unsqueeze(-2))
    expected = (outcomes > outcomes[::50].unsqueeze(-1)).sum(-1)
    assert posterior.exposure == 600.0
    found = posterior.mean.flatten().detach()
    torch.testing.assert_close(found, expected.double(), rtol=0.05, atol=5.0)
    assert torch.equal(model.best_points(3), many[outcomes.topk(3).indices])


def test_more_answers_than_are_conditioned_on_make_no_model_worse() -> None:
    points = torch.rand(1600, 2, generator=torch.Generator().manual_seed(0), dtype=torch.double)
    utility = -(points - 0.4).square().sum(-1)
    pairs = torch.arange(1600).view(-1, 2)
    answers = torch.where(utility[pairs].diff() > 0, pairs.flip(-1), pairs)
    model = RankingGP(order=from_comparisons(points, answers)).fit()
    found = model.posterior(points).mean.squeeze(-1)
    places = torch.stack([found, utility]).argsort().argsort().double()
    assert places.corrcoef()[0, 1] > 0.99  # as with a quarter of the answers


def test_of_points_that_none_stands_for_the_best_is_the_incumbent() -> None:
    settings = ModelSettings(num_conditioned=8)
    model = RankingGP(X, X[:, :1], input_transform=None, settings=settings).fit()
    used = model.predictor.X
    is_left = (torch.cdist(model.known_X, used) > 0.0).all(-1)
    for known in (is_left, is_left | (model.known_X == used[0]).all(-1)):
        assert model.incumbent_among(known)[0] == model.known_X[known][:, 0].max()


def test_outliers_are_also_found_among_records_that_were_not_fitted() -> None:
    many = unit_points(200)
    outcomes = -(many - 0.3).square().sum(-1)
    # Bad points with a good outcome are fitted, good points with a bad outcome mostly are not.
    bad_first = outcomes.argsort()
    lucky, unlucky = bad_first[torch.arange(20, 100, 20)], bad_first[torch.arange(120, 190, 10)]
    outcomes[lucky] = 1.0 + torch.arange(4).double()
    outcomes[unlucky] = -1.0 - torch.arange(7).double()
    model = fitted(outcomes, many, settings=ModelSettings(num_fitted=80))
    found = {tuple(x) for x in model.known_X[model.is_outlier].tolist()}
    planted = {tuple(x) for x in many[torch.cat([lucky, unlucky])].tolist()}
    assert len(planted - found) <= 2
    assert len(found - planted) <= 5


KERNELS: dict[str, Callable[[], Kernel]] = {
    "scaled_rbf": lambda: ScaleKernel(RBFKernel(ard_num_dims=2)),
    "active_dims": lambda: MaternKernel(nu=1.5, ard_num_dims=2, active_dims=(1, 0)),
    "additive": lambda: (
        ScaleKernel(RBFKernel(active_dims=(0,))) + ScaleKernel(RBFKernel(active_dims=(1,)))
    ),
}


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
def test_any_kernel_can_be_fitted_and_searched(kernel: Callable[[], Kernel]) -> None:
    points = X[:15]
    model = RankingGP(points, SMOOTH[:15].unsqueeze(-1), covar_module=kernel())
    before = model.log_likelihood()
    assert model.fit().log_likelihood() > before + 0.1
    bounds = torch.tensor([[0.0, 0.0], [1.0, 1.0]]).double()
    function = LogExpectedUtilityImprovement(model)
    with manual_seed(0):
        found, value = optimize_acqf(function, bounds, q=1, num_restarts=2, raw_samples=32)
    assert value.isfinite()
    assert (found - 0.3).abs().max() < 0.2
    other = model.with_order(from_outcomes(points[:9], points[:9, :1]))
    assert type(other.covar_module) is type(model.covar_module)


@pytest.mark.parametrize(
    ("prior", "constraint", "low", "high"),
    [
        (LogNormalPrior(-3.0, 0.01), None, 0.045, 0.055),
        (GammaPrior(9.0e4, 3.0e4), None, 2.9, 3.1),
        (LogNormalPrior(-3.0, 0.1), Interval(0.2, 0.4), 0.2, 0.21),
        (LogNormalPrior(3.0, 0.1), Interval(0.2, 0.4, None, initial_value=0.3), 0.39, 0.4),
    ],
)
def test_priors_and_constraints_of_the_user_are_used(
    prior: Any, constraint: Interval | None, low: float, high: float
) -> None:
    kernel = MaternKernel(
        ard_num_dims=2, lengthscale_prior=prior, lengthscale_constraint=constraint
    )
    noise = GaussianLikelihood(noise_constraint=GreaterThan(0.02))
    model = fitted(SMOOTH, covar_module=kernel, likelihood=noise)
    assert model.covar_module is kernel
    assert model.noise >= 0.02
    assert ((low - 1e-6 <= kernel.lengthscale) & (kernel.lengthscale <= high + 1e-6)).all()


def test_hyperparameters_without_gradients_stay(recwarn: pytest.WarningsRecorder) -> None:
    kernel = ScaleKernel(RBFKernel(ard_num_dims=2, lengthscale_prior=LogNormalPrior(0.0, 0.7)))
    kernel.base_kernel.raw_lengthscale.requires_grad_(False)
    assert predicted(fitted(SMOOTH, covar_module=kernel)).isfinite().all()
    assert kernel.base_kernel.raw_lengthscale.tolist() == [[0.0, 0.0]]
    assert kernel.raw_outputscale != 0.0
    # Nothing is left to fit.
    model = RankingGP(X, SMOOTH.unsqueeze(-1)).requires_grad_(False)
    before = [parameter.clone() for parameter in model.parameters()]
    for start, end in zip(before, model.fit().parameters(), strict=True):
        torch.testing.assert_close(end, start)
    assert not [warning for warning in recwarn if "NumPy" in str(warning.message)]


def test_known_variances_matter() -> None:
    noise = 0.3 * torch.randn(30, generator=torch.Generator().manual_seed(0)).double()
    outcomes = (SMOOTH + noise).unsqueeze(-1)
    exact, precise, vague = (
        RankingGP(X, outcomes, variance).fit()
        for variance in (None, torch.full_like(outcomes, 1e-6), torch.ones_like(outcomes))
    )
    ranks = [m.rank_law(m.encode(TEST_X)).mean for m in (exact, precise, vague)]
    torch.testing.assert_close(ranks[0], ranks[1], rtol=0.05, atol=0.3)
    assert (ranks[1] - ranks[2]).abs().max() > 1.0
    near = [m.posterior(X).variance.mean() for m in (precise, vague)]
    assert near[1] > 2.0 * near[0]


def test_several_tasks_are_learned_from_together() -> None:
    half = from_outcomes(X[:15], SMOOTH[:15].unsqueeze(-1))
    # Of another unit, and the outcomes of a point that both tasks know differ.
    other = from_outcomes(X[10:], 1e3 * SMOOTH[10:].unsqueeze(-1) + 7.0)
    model = RankingGP(order=combine(half, other), input_transform=None).fit()
    assert len(model.known_X) == 30
    assert len(model.predictor.X) == 35
    found, expected = (m.rank_law(TEST_X).mean for m in (model, fitted(SMOOTH)))
    torch.testing.assert_close(found, expected, rtol=0.3, atol=3.0)


@pytest.mark.parametrize("num_sources", [0, 1])
def test_the_default_dtype_does_not_matter(num_sources: int) -> None:
    def predictions() -> Tensor:
        sources = num_sources * [from_outcomes(X[8:20], SMOOTH[8:20])]
        model = RankingGP(X[:8], SMOOTH[:8].unsqueeze(-1), sources=sources).fit()
        ranks = model.rank_posterior(TEST_X).mean
        return torch.stack([model.posterior(TEST_X).mean, ranks.view(-1, 1)])

    expected = predictions()
    torch.set_default_dtype(torch.double)
    try:
        assert torch.equal(predictions(), expected)
    finally:
        torch.set_default_dtype(torch.float32)


def test_exact_outcomes_have_no_outliers_and_the_best_is_the_best() -> None:
    outcomes = with_an_outlier()
    best = X[outcomes.argmax()]
    exact = fitted(outcomes, train_Yvar=torch.zeros_like(outcomes).unsqueeze(-1))
    assert not exact.is_outlier.any()
    assert torch.equal(exact.incumbent, best)
    among = outcomes < outcomes.max()
    second = X[outcomes.where(among, -torch.inf).argmax()]
    eligible = among[torch.cdist(exact.known_X, X).argmin(-1)]
    assert torch.equal(exact.incumbent_among(eligible), second)


def test_of_exact_outcomes_that_tie_the_model_recommends_one() -> None:
    outcomes = (8.0 * SMOOTH).round()
    model = fitted(outcomes, train_Yvar=torch.zeros_like(outcomes).unsqueeze(-1))
    is_best = outcomes == outcomes.max()
    assert is_best.sum() > 2
    chosen = (model.incumbent == X).all(-1) & is_best
    assert chosen.any()
    # The best of the plateau is in its middle.
    assert SMOOTH[chosen] > SMOOTH[is_best].median()


@pytest.mark.parametrize("model", [RankingGP, PoissonRankModel])
def test_what_becomes_of_the_incumbent_later_changes_nothing(
    model: type[RankingGP | PoissonRankModel],
) -> None:
    known = model(X, SMOOTH.unsqueeze(-1)).eval()
    known.incumbent.fill_(7.0)
    assert known.known_X.max() < 7.0


@pytest.mark.parametrize("columns", [[0], [0, 1]])
def test_directions_need_a_numeric_column(columns: list[int]) -> None:
    X = torch.cartesian_prod(torch.arange(3), torch.arange(3)).double()
    one_hot = OneHotCategories(2, dict.fromkeys(columns, (0.0, 1.0, 2.0)))
    model = RankingGP(X, X.sum(-1, keepdim=True), input_transform=one_hot)
    assert hasattr(model.covar_module, "rotation") == (len(columns) == 1)
    assert model.fit().posterior(X).mean.squeeze(-1).argmax() == 8
