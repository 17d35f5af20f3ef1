"""Ranks among all points of the space, by a model with uncertainty."""

import math
from copy import deepcopy

import pytest
import torch
from helpers.toy import toy_data
from helpers.utility import with_a_surprise
from torch import Tensor
from torch.autograd import gradcheck

from botorch_popbo import (
    ExpectedRankingImprovement,
    LogExpectedRankImprovement,
    LogRankConfidenceBound,
    PoissonRankModel,
    RankingGP,
    RectifiedLowerConfidenceBound,
)
from botorch_popbo.paper.space_rank import SpaceRankFunction, SpaceShare
from botorch_popbo.settings import AcquisitionSettings

X_TEST = toy_data(50, seed=3)[0].unsqueeze(-2)
EACH = pytest.mark.parametrize("kind", [LogExpectedRankImprovement, LogRankConfidenceBound])


def share_above(utility: Tensor, model: RankingGP) -> Tensor:
    """Share of many points of the box whose utility is higher, the tail of a normal law."""
    box = torch.stack([model.known_X.amin(0), model.known_X.amax(0)])
    unit = torch.rand(20_000, 2, generator=torch.Generator().manual_seed(0)).double()
    with torch.no_grad():
        law = model.posterior((box[0] + unit * (box[1] - box[0])).unsqueeze(-2))
    deviation = (law.mean.var() + law.variance.mean()).sqrt()
    return torch.special.ndtr((law.mean.mean() - utility) / deviation)


@pytest.mark.parametrize("deviation", [0.4, 1.0])
@pytest.mark.parametrize("place", [1.0, 2.0, 3.0])
def test_the_improvement_is_one_of_log_shares(place: float, deviation: float) -> None:
    share = SpaceShare(mean=0.2, deviation=0.7)
    mean = torch.tensor([-3.0, -1.0, 0.0, 0.5], dtype=torch.double) * deviation
    variance = torch.full_like(mean, deviation**2)
    utility = torch.tensor(place, dtype=torch.double)
    # By the trapezoidal rule over the law of the difference.
    score = torch.linspace(-9.0, 9.0, 20_001, dtype=torch.double).unsqueeze(-1)
    gain = (mean + deviation * score).clamp_min(0.0)
    rise = share.log(utility) - share.log(utility + gain)
    density = torch.exp(-0.5 * score.square()) / math.sqrt(2.0 * math.pi)
    expected = torch.trapezoid(rise * density, score.squeeze(-1), dim=0)
    found = share.log_improvement(utility, mean, variance).exp()
    torch.testing.assert_close(found, expected, rtol=0.05, atol=0)


def test_the_bound_is_the_rank_of_an_upper_utility(gaussian_model: RankingGP) -> None:
    best = gaussian_model.incumbent.expand(len(X_TEST), 1, -1)
    law = gaussian_model.posterior(torch.cat([X_TEST, best], dim=-2)).distribution
    apart = torch.tensor([1.0, -1.0], dtype=torch.double)
    deviation = (law.covariance_matrix @ apart @ apart).sqrt()
    upper = law.mean[:, 0] + 1.5 * deviation
    value = LogRankConfidenceBound(gaussian_model, beta=1.5)(X_TEST)
    assert torch.equal(value.argsort(), upper.argsort())
    expected = share_above(upper, gaussian_model)
    torch.testing.assert_close((-value).exp(), expected.detach(), rtol=0.1, atol=1e-3)


def test_gains_are_counted_from_the_incumbent_or_another_place(gaussian_model: RankingGP) -> None:
    first, third, last = (
        LogExpectedRankImprovement(gaussian_model, K_m=K_m)(X_TEST) for K_m in (1, 3, 99)
    )
    assert torch.equal(LogExpectedRankImprovement(gaussian_model)(X_TEST), first)
    assert (first < third).all()
    assert (third < last).all()


@EACH
def test_gradients(kind: type[SpaceRankFunction], gaussian_model: RankingGP) -> None:
    X = X_TEST[:5].clone().requires_grad_()
    assert gradcheck(kind(gaussian_model), X, eps=1e-6, atol=1e-5, rtol=1e-4)
    (gradient,) = torch.autograd.grad(kind(gaussian_model)(X).sum(), X)
    assert (gradient.norm(dim=-1) > 0.0).all()


@EACH
def test_values_are_logarithms_and_a_surprise_is_followed(kind: type[SpaceRankFunction]) -> None:
    model = with_a_surprise()
    function, elsewhere = kind(model), torch.tensor([[[0.5, 0.5]]]).double()
    assert function._log  # Ax compares exponentials of what says so
    assert function(elsewhere) < function(model.surprise.unsqueeze(-2) - 0.05) - 50.0


def test_the_papers_names_make_the_function_that_suits_the_model(
    gaussian_model: RankingGP, short_model: PoissonRankModel
) -> None:
    pending, options = X_TEST[0], {"share": 0.1, "seed": 1}
    settings = AcquisitionSettings(exploration=1.0)
    improvement = ExpectedRankingImprovement(gaussian_model, pending, K_m=4, **options)
    expected = LogExpectedRankImprovement(gaussian_model, pending, K_m=4)
    assert torch.equal(improvement(X_TEST), expected(X_TEST))
    for kind in (ExpectedRankingImprovement, LogExpectedRankImprovement):
        whole = kind(gaussian_model, pending, settings=settings, K_m=4)(X_TEST)
        assert not torch.equal(whole, expected(X_TEST))
    bound = RectifiedLowerConfidenceBound.paper(gaussian_model, beta=2.0, **options)
    assert torch.equal(bound(X_TEST), LogRankConfidenceBound(gaussian_model, beta=2.0)(X_TEST))
    of_counts = ExpectedRankingImprovement(short_model)
    assert torch.equal(deepcopy(of_counts)(X_TEST), of_counts(X_TEST))
    assert not of_counts._log


def test_settings_out_of_range_are_refused(gaussian_model: RankingGP) -> None:
    with pytest.raises(ValueError, match="K_m must be at least 1, but got 0"):
        LogExpectedRankImprovement(gaussian_model, K_m=0)
    with pytest.raises(ValueError, match="must not be negative, but got -1"):
        LogRankConfidenceBound(gaussian_model, beta=-1.0)
