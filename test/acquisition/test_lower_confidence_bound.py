import math
from typing import Any

import pytest
import torch
from helpers.acquisition import FixedRate, Kind
from helpers.toy import split_points, toy_data
from torch.autograd import gradcheck

from botorch_popbo import (
    LowerConfidenceBound,
    PoissonRankModel,
    RankingGP,
    RankModel,
    RectifiedLowerConfidenceBound,
)

pytestmark = pytest.mark.usefixtures("only_known_points_are_near")

KINDS = pytest.mark.parametrize("kind", [RectifiedLowerConfidenceBound, LowerConfidenceBound])
SUPPORT = torch.arange(500.0, dtype=torch.float64)  # no untruncated law here reaches its end


@KINDS
@pytest.mark.parametrize("beta", [0.0, 0.5, 2.0])
@pytest.mark.parametrize("is_paper", [False, True])
def test_it_is_the_mean_less_deviations_of_the_law(
    kind: Kind, beta: float, is_paper: bool, model: RankModel
) -> None:
    promising, unpromising = split_points(model, share=0.6)
    X = promising if kind is RectifiedLowerConfidenceBound else torch.cat([promising, unpromising])
    probability = model.rank_law(model.encode(X)).log_prob(SUPPORT).exp()
    mean = (probability * SUPPORT).sum(-1)
    variance = (probability * (SUPPORT - mean.unsqueeze(-1)).square()).sum(-1)
    deviation = (mean if is_paper else variance).sqrt()
    make = kind.paper if is_paper else kind
    value = make(model, beta=beta)(X.unsqueeze(-2))
    torch.testing.assert_close(value, beta * deviation - mean, rtol=1e-8, atol=1e-8)


def test_the_deviation_of_a_gaussian_process_is_not_that_of_a_poisson_law(
    gaussian_model: RankModel,
) -> None:
    X = toy_data(50, seed=3)[0].unsqueeze(-2)
    own = LowerConfidenceBound(gaussian_model)(X)
    poisson = LowerConfidenceBound(gaussian_model, poisson_deviation=True)(X)
    assert (own - poisson).abs().max() > 1.0


@KINDS
@pytest.mark.parametrize("make", [RankingGP, PoissonRankModel])
def test_a_bad_new_point_is_better_than_a_good_known_one(kind: Kind, make: Any) -> None:
    grid = torch.linspace(0.0, 1.0, 40, dtype=torch.double).unsqueeze(-1)
    known = torch.ones(40, dtype=torch.bool)
    known[[30, 34, 37]] = False  # among the worst, without doubt
    model = make(grid[known], -grid[known]).fit()
    options = {"share": None} if kind is RectifiedLowerConfidenceBound else {}
    function = kind(model, **options)
    value = function(grid.unsqueeze(-2))
    assert value[~known].max() < -2.0
    assert value[~known].min() > value[known].max()


def test_the_papers_settings(long_model: PoissonRankModel) -> None:
    function = RectifiedLowerConfidenceBound.paper(long_model, beta=2.0, seed=3)
    assert (function.beta, function.share, function.poisson_deviation) == (2.0, 0.6, True)
    assert function.seed == RectifiedLowerConfidenceBound(long_model, seed=3).seed
    assert not RectifiedLowerConfidenceBound(long_model).poisson_deviation


@KINDS
@pytest.mark.parametrize("poisson_deviation", [False, True])
def test_gradient(kind: Kind, poisson_deviation: bool, model: RankModel) -> None:
    X = split_points(model, share=0.6)[0][:5].unsqueeze(-2).requires_grad_()
    function = kind(model, poisson_deviation=poisson_deviation)
    assert gradcheck(function, X, eps=1e-6, atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize("options", [{"poisson_deviation": True}, {}])
def test_a_vanishing_rate_has_a_finite_gradient(options: dict[str, Any]) -> None:
    rate = FixedRate(lambda X: X.sum(-1) - 900.0)
    model = PoissonRankModel.paper(*toy_data(20), rate=lambda _: rate).fit()
    X = (toy_data(4)[0].unsqueeze(-2) + 0.1).requires_grad_()
    value = RectifiedLowerConfidenceBound(model, **options)(X)
    assert value.isfinite().all()
    assert torch.autograd.grad(value.sum(), X)[0].isfinite().all()


@KINDS
@pytest.mark.parametrize("beta", [-0.1, -1.0, math.nan])
def test_a_negative_weight_is_refused(kind: Kind, model: RankModel, beta: float) -> None:
    with pytest.raises(ValueError, match=f"is not negative, but got {beta}"):
        kind(model, beta=beta)
