import math
import warnings
from collections.abc import Callable

import pytest
import torch
from botorch.generation.gen import gen_candidates_scipy
from helpers.acquisition import RECTIFIED, Case, FixedRate, Kind, optimized
from helpers.toy import BOUNDS, split_points, toy_data
from torch import Tensor

from botorch_popbo import (
    ExpectedRankingImprovement,
    LogExpectedRankingImprovement,
    PoissonRankModel,
    RankingGP,
    RankModel,
    RectifiedLowerConfidenceBound,
)

SHARE = 0.4
FAR = pytest.mark.usefixtures("only_known_points_are_near")
X_TEST = toy_data(50, seed=3)[0].unsqueeze(-2)

# From a value of an unpromising point back to its uniform number.
UNIFORM: dict[Kind, Callable[[Tensor], Tensor]] = {
    ExpectedRankingImprovement: lambda value: value,
    LogExpectedRankingImprovement: torch.exp,
    RectifiedLowerConfidenceBound: torch.neg,
}


@pytest.fixture(params=RECTIFIED)
def kind(request: pytest.FixtureRequest) -> Kind:
    return request.param


def fixed(log_rate: Callable[[Tensor], Tensor], num_points: int = 20) -> PoissonRankModel:
    return PoissonRankModel(*toy_data(num_points), rate=lambda _: FixedRate(log_rate)).fit()


def flat(level: float, num_points: int = 20) -> PoissonRankModel:
    return fixed(lambda X: X.new_full(X.shape[:-1], level), num_points)


@FAR
def test_unpromising_points_have_numbers_of_the_unit_interval(kind: Kind, model: RankModel) -> None:
    _, X = split_points(model, SHARE)
    uniform = UNIFORM[kind](kind(model, share=SHARE)(X.unsqueeze(-2)))
    assert (uniform >= 0.0).all()
    assert (uniform < 1.0).all()
    assert len(uniform.unique()) == len(X)
    assert uniform.min() < 0.2
    assert uniform.max() > 0.8


@FAR
def test_only_promising_points_have_a_gradient(kind: Kind, model: RankModel) -> None:
    promising, unpromising = split_points(model, SHARE)
    X = torch.cat([promising[:8], unpromising[:8]]).unsqueeze(-2).requires_grad_()
    (gradient,) = torch.autograd.grad(kind(model, share=SHARE)(X).sum(), X)
    # The kernel of a Gaussian process leaves rounding errors of the other rows of the batch.
    assert gradient[8:].abs().max() <= (1e-14 if model.has_uncertainty else 0.0)
    assert (gradient[:8].norm(dim=-1) > 0.0).all()


def test_near_known_points_unpromising_points_have_no_gradient_either(kind: Kind) -> None:
    model = fixed(lambda X: X.sum(-1) + 5.0)
    X = (model.known_X + 0.01).unsqueeze(-2).requires_grad_()
    (gradient,) = torch.autograd.grad(kind(model)(X).sum(), X)
    assert torch.equal(gradient, torch.zeros_like(gradient))


@FAR
def test_the_number_of_a_point_stays_the_same(kind: Kind, model: RankModel) -> None:
    X = split_points(model, SHARE)[1][:24]
    function = kind(model, share=SHARE)
    value = function(X.unsqueeze(-2))
    assert torch.equal(function(X.unsqueeze(-2)), value)
    assert torch.equal(function(X.reshape(2, 3, 4, 1, 2)).flatten(), value)
    assert torch.equal(torch.cat([function(x.reshape(1, 1, 2)) for x in X]), value)
    assert torch.equal(kind(model, share=SHARE)(X.unsqueeze(-2)), value)


@pytest.mark.parametrize(("num_points", "seed"), [(20, 1), (21, 0), (20, 2**40), (20, -1)])
def test_another_seed_or_number_of_points_draws_other_numbers(
    kind: Kind, num_points: int, seed: int
) -> None:
    nothing_is_promising = 1.0
    value = kind(flat(nothing_is_promising), seed=0)(X_TEST)
    other = kind(flat(nothing_is_promising, num_points), seed=seed)(X_TEST)
    assert other.isfinite().all()
    assert (other != value).all()


@FAR
@pytest.mark.parametrize("share", [0.1, 0.4, 1.0])
def test_the_share_decides_what_is_promising(kind: Kind, share: float) -> None:
    for offset, num_values in ((-1e-6, 1), (1e-6, 10)):
        value = kind(flat(math.log(share) + offset), share=share)(X_TEST[:10])
        # One predicted rank has one value; rectified points have a number each.
        assert len(value.round(decimals=9).unique()) == num_values


@pytest.mark.parametrize(("kind", "paper"), [(k, k.paper_share) for k in RECTIFIED])
def test_the_share_defaults_to_the_papers_without_uncertainty(
    kind: Kind, paper: float, long_model: PoissonRankModel, gaussian_model: RankingGP
) -> None:
    assert paper == (0.6 if kind is RectifiedLowerConfidenceBound else 0.4)
    assert kind(long_model).share == paper
    assert kind(long_model, share=None).share is None
    assert kind(gaussian_model).share is None
    assert kind(gaussian_model, share=0.5).share == 0.5


def test_a_gaussian_process_is_not_rectified(kind: Kind, gaussian_model: RankingGP) -> None:
    X = X_TEST.clone().requires_grad_()
    value = kind(gaussian_model)(X)
    assert torch.equal(kind(gaussian_model, seed=1)(X), value)
    (gradient,) = torch.autograd.grad(value.sum(), X)
    assert (gradient.norm(dim=-1) > 0.0).all()


@pytest.mark.parametrize("share", [0.0, -0.1, 1.01, math.nan])
def test_the_share_is_checked(kind: Kind, share: float, model: RankModel) -> None:
    message = rf"share is one of the evaluated points, in \(0, 1\], but got {share}"
    with pytest.raises(ValueError, match=message):
        kind(model, share=share)


def test_unpromising_points_beat_known_ones(kind: Kind, model: RankModel) -> None:
    function = kind(model, share=SHARE)
    _, unpromising = split_points(model, SHARE)
    assert (function(unpromising.unsqueeze(-2)) > Case(kind, model).ceiling).all()


def test_the_value_rises_smoothly_with_the_distance_from_a_known_point(
    kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    corners = torch.tensor([[0.0, 0.0], [1.0, 1.0]], dtype=torch.float64)
    rate = FixedRate(lambda X: X.new_full(X.shape[:-1], -3.0))
    function = kind(PoissonRankModel(corners, corners[:, :1], rate=lambda _: rate))
    away = torch.linspace(0.0, 0.5, 101, dtype=torch.float64).unsqueeze(-1)
    X = (away * torch.tensor([0.6, 0.8], dtype=torch.float64)).unsqueeze(-2)
    value = function(X)
    assert (value.diff() >= -1e-15).all()
    assert (value[:3].diff() > 0).all()
    # The neighbourhood is small: halfway across the domain nothing of it is left.
    monkeypatch.setattr(FixedRate, "known_radius", 1e-6)
    torch.testing.assert_close(value[-1:], function(X[-1:]), rtol=1e-12, atol=0)


@FAR
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
    before = function(starts)
    assert (values[4:] >= before[4:] - 1e-9).all()
    assert values[4:].sum() > before[4:].sum()


@FAR
def test_an_unpromising_start_is_a_suggestion(kind: Kind, long_model: PoissonRankModel) -> None:
    starts = split_points(long_model, SHARE)[1][:5].unsqueeze(-2)
    function = kind(long_model, share=SHARE)
    best = starts[function(starts).argmax()]
    found = optimized(function, q=1, num_restarts=5, batch_initial_conditions=starts)
    assert torch.equal(found, best)
