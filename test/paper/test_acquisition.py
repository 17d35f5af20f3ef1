import math
import warnings
from collections.abc import Callable
from typing import Any

import pytest
import torch
from botorch.generation.gen import gen_candidates_scipy
from helpers.acquisition import RECTIFIED, Case, Kind, fixed
from helpers.exact_poisson import ExactLaw
from helpers.toy import BOUNDS, split_points, toy_data
from torch import Tensor
from torch.autograd import gradcheck

from botorch_popbo import (
    ExpectedRankingImprovement,
    PoissonRankModel,
    PoissonRankPosterior,
    RankModel,
    RectifiedLowerConfidenceBound,
)

SHARE = 0.4
FAR = pytest.mark.usefixtures("only_known_points_are_near")
X_TEST = toy_data(50, seed=3)[0].unsqueeze(-2)
EACH = pytest.mark.parametrize("kind", RECTIFIED)


@pytest.fixture(params=["short_model", "long_model"])
def model(request: pytest.FixtureRequest) -> RankModel:
    """A network; do not change it."""
    return request.getfixturevalue(request.param)


@pytest.fixture
def only_known_points_are_near(
    short_model: RankModel, long_model: RankModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Shrink the neighbourhood of known points, to see the plain value everywhere else."""
    for each in (short_model, long_model):
        monkeypatch.setattr(each, "known_radius", 0.001)


def flat(level: float, num_points: int = 20) -> PoissonRankModel:
    """All points have one rate."""

    def rate(X: Tensor) -> Tensor:
        return X.new_full(X.shape[:-1], level)

    return fixed(rate, *toy_data(num_points), known_radius=0.001)


@FAR
@EACH
def test_unpromising_points_have_numbers_of_the_unit_interval(kind: Kind, model: RankModel) -> None:
    X = split_points(model, SHARE)[1].unsqueeze(-2)
    sign = -1.0 if kind is RectifiedLowerConfidenceBound else 1.0
    uniform = sign * kind(model, share=SHARE)(X)
    assert (uniform >= 0.0).all()
    assert (uniform < 1.0).all()
    assert len(uniform.unique()) == len(X)
    assert uniform.min() < 0.2
    assert uniform.max() > 0.8
    # The number of a point stays the same, in any batch and for another instance.
    one_by_one = torch.cat([kind(model, share=SHARE)(x.unsqueeze(0)) for x in X[:8]])
    assert torch.equal(sign * one_by_one, uniform[:8])


@FAR
@EACH
def test_promising_points_alone_have_a_gradient_and_their_value_is_smooth(
    kind: Kind, model: RankModel
) -> None:
    promising, unpromising = split_points(model, SHARE)
    X = torch.cat([promising[:8], unpromising[:8]]).unsqueeze(-2).requires_grad_()
    (gradient,) = torch.autograd.grad(kind(model, share=SHARE)(X).sum(), X)
    assert (gradient[8:] == 0.0).all()
    assert (gradient[:8].norm(dim=-1) > 0.0).all()
    smooth = X[:5].detach().requires_grad_()
    assert gradcheck(kind(model, share=SHARE), smooth, eps=1e-6, atol=1e-6, rtol=1e-5)


@EACH
def test_near_known_points_unpromising_points_have_no_gradient_either(kind: Kind) -> None:
    model = fixed(lambda X: X.sum(-1) + 5.0, *toy_data(20))
    X = (model.known_X + 0.01).unsqueeze(-2).requires_grad_()
    (gradient,) = torch.autograd.grad(kind(model)(X).sum(), X)
    assert torch.equal(gradient, torch.zeros_like(gradient))


@pytest.mark.parametrize(("num_points", "seed"), [(20, 1), (21, 0), (20, 2**40), (20, -1)])
def test_another_seed_or_number_of_points_draws_other_numbers(num_points: int, seed: int) -> None:
    nothing_is_promising = 1.0
    value = ExpectedRankingImprovement(flat(nothing_is_promising), seed=0)(X_TEST)
    other = ExpectedRankingImprovement(flat(nothing_is_promising, num_points), seed=seed)(X_TEST)
    assert other.isfinite().all()
    assert (other != value).all()


@EACH
@pytest.mark.parametrize("share", [0.1, 0.4, 1.0])
def test_the_share_decides_what_is_promising(kind: Kind, share: float) -> None:
    for offset, num_values in ((-1e-6, 1), (1e-6, 10)):
        value = kind(flat(math.log(share) + offset), share=share)(X_TEST[:10])
        # One predicted rank has one value; rectified points have a number each.
        assert len(value.round(decimals=9).unique()) == num_values


def test_the_defaults_are_the_papers(short_model: PoissonRankModel) -> None:
    eri, bound = ExpectedRankingImprovement(short_model), RectifiedLowerConfidenceBound(short_model)
    assert (eri.K_m, eri.share, bound.beta, bound.share) == (5, 0.4, 3.0, 0.6)
    assert not bound.poisson_deviation


@EACH
def test_settings_out_of_range_are_refused(kind: Kind, short_model: RankModel) -> None:
    for share in (0.0, -0.1, 1.01, math.nan):
        with pytest.raises(ValueError, match=rf"share must be in \(0, 1\], but got {share}"):
            kind(short_model, share=share)
    with pytest.raises(ValueError, match="K_m must be at least 1, but got 0"):
        ExpectedRankingImprovement(short_model, K_m=0)
    for beta in (-0.1, math.nan):
        with pytest.raises(ValueError, match=f"must not be negative, but got {beta}"):
            RectifiedLowerConfidenceBound(short_model, beta=beta)


@EACH
def test_unpromising_points_beat_known_ones(kind: Kind, model: RankModel) -> None:
    function = kind(model, share=SHARE)
    _, unpromising = split_points(model, SHARE)
    assert (function(unpromising.unsqueeze(-2)) > Case(kind, model).ceiling).all()


@FAR
@EACH
def test_multi_start_leaves_unpromising_points_where_they_are(
    kind: Kind, long_model: PoissonRankModel
) -> None:
    promising, unpromising = split_points(long_model, SHARE)
    starts = torch.cat([unpromising[:4], promising[:4]]).unsqueeze(-2)
    function = kind(long_model, share=SHARE)
    with warnings.catch_warnings(record=True):  # BoTorch overrides the filter
        ends, values = gen_candidates_scipy(
            starts, function, BOUNDS[0], BOUNDS[1], options={"maxiter": 30}
        )
    assert torch.equal(ends[:4], starts[:4])
    torch.testing.assert_close(values, function(ends))
    assert values[4:].sum() > function(starts)[4:].sum()


@FAR
@pytest.mark.parametrize("K_m", [1, 5, 12])
def test_improvement_is_summed_over_the_ranks_of_a_network(K_m: int, model: RankModel) -> None:
    X = split_points(model, share=0.4)[0][:20].unsqueeze(-2)
    value = ExpectedRankingImprovement(model, K_m=K_m)(X)
    # The law of twenty points is not truncated; 500 is far beyond all that is likely.
    limit = 9 if len(model.known_X) == 9 else 500
    for improvement, log_rate in zip(value, model.posterior(X).log_rate.flatten(), strict=True):
        law = ExactLaw(log_rate.item(), limit)
        expected = sum((K_m - k) * law.prob(k) for k in range(K_m + 1))
        assert improvement.item() == pytest.approx(expected, rel=1e-10)


def test_the_logarithm_keeps_its_gradient_where_the_improvement_underflows() -> None:
    eta = torch.tensor([[7.0], [8.0], [12.0]], dtype=torch.float64, requires_grad=True)
    infinite = torch.tensor(torch.inf, dtype=torch.float64)
    value = PoissonRankPosterior(eta, infinite, infinite).log_improvement(5)
    assert (value[1:].exp() < 1e-300).all()
    (slope,) = torch.autograd.grad(value.sum(), eta)
    # The largest term, k = 4, decides: d/d eta (4 eta - exp(eta)).
    torch.testing.assert_close(slope, 4.0 - eta.detach().exp(), rtol=0.01, atol=0)


@FAR
@pytest.mark.parametrize("beta", [0.0, 2.0])
@pytest.mark.parametrize("is_paper", [False, True])
@pytest.mark.parametrize("share", [0.6, None])
def test_the_bound_is_the_mean_less_deviations_of_the_law(
    share: float | None, beta: float, is_paper: bool, model: RankModel
) -> None:
    promising, unpromising = split_points(model, share=0.6)
    X = torch.cat([promising, unpromising]) if share is None else promising
    support = torch.arange(500.0).double()  # no untruncated law here reaches its end
    probability = model.rank_posterior(X).log_prob(support).exp()
    mean = (probability * support).sum(-1)
    variance = (probability * (support - mean.unsqueeze(-1)).square()).sum(-1)
    deviation = (mean if is_paper else variance).sqrt()
    make = RectifiedLowerConfidenceBound.paper if is_paper else RectifiedLowerConfidenceBound
    value = make(model, beta=beta, share=share)(X.unsqueeze(-2))
    torch.testing.assert_close(value, beta * deviation - mean, rtol=1e-8, atol=1e-8)


def test_a_bad_new_point_has_a_better_bound_than_a_good_known_one() -> None:
    grid = torch.linspace(0.0, 1.0, 40, dtype=torch.double).unsqueeze(-1)
    known = torch.ones(40, dtype=torch.bool)
    known[[30, 34, 37]] = False  # among the worst, without doubt
    function = RectifiedLowerConfidenceBound(
        PoissonRankModel(grid[known], -grid[known]).fit(), share=None
    )
    value = function(grid.unsqueeze(-2))
    assert value[~known].max() < -2.0
    assert value[~known].min() > value[known].max()


@pytest.mark.parametrize(
    "make", [RectifiedLowerConfidenceBound, RectifiedLowerConfidenceBound.paper]
)
def test_the_bound_of_a_vanishing_rate_has_a_finite_gradient(make: Callable[..., Any]) -> None:
    function = make(fixed(lambda X: X.sum(-1) - 900.0, *toy_data(20)))
    X = (toy_data(4)[0].unsqueeze(-2) + 0.1).requires_grad_()
    value = function(X)
    assert value.isfinite().all()
    assert torch.autograd.grad(value.sum(), X)[0].isfinite().all()
