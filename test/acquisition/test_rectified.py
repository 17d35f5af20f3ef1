import math
import warnings
from typing import Any

import pytest
import torch
from botorch.generation.gen import gen_candidates_scipy
from botorch.optim import optimize_acqf, optimize_acqf_discrete, optimize_acqf_mixed
from helpers.toy import BOUNDS, split_points, toy_data
from torch import Tensor

from botorch_popbo import (
    ExpectedRankingImprovement,
    MLPRate,
    PoissonRankModel,
    RectifiedAcquisitionFunction,
    RectifiedLowerConfidenceBound,
)

Kind = type[RectifiedAcquisitionFunction]
SHARE = 0.4
FAR = pytest.mark.usefixtures("only_known_points_are_near")


@pytest.fixture(params=[ExpectedRankingImprovement, RectifiedLowerConfidenceBound])
def kind(request: pytest.FixtureRequest) -> Kind:
    return request.param


def ceiling(function: RectifiedAcquisitionFunction) -> float:
    """No known point has a higher value, and no unpromising one a number as low."""
    return 0.0 if isinstance(function, ExpectedRankingImprovement) else -2.0


def unit(X: Tensor, model: PoissonRankModel) -> Tensor:
    """Encoded inputs, in which distances to known points are measured."""
    known = model.rank_counts.X
    return (X - known.amin(0)) / (known.amax(0) - known.amin(0))


def optimized(function: RectifiedAcquisitionFunction, **options: Any) -> Tensor:
    with torch.random.fork_rng():
        torch.manual_seed(0)
        options = {"num_restarts": 4, "raw_samples": 32, "options": {"maxiter": 20}} | options
        return optimize_acqf(function, bounds=BOUNDS, **options)[0]


def assert_within_bounds(X: Tensor) -> None:
    assert torch.equal(X, X.clamp(BOUNDS[0], BOUNDS[1]))


def assert_new_and_distinct(X: Tensor, model: PoissonRankModel) -> None:
    everything = unit(torch.cat([model.rank_counts.X, X]), model)
    distance = torch.cdist(everything, everything) + torch.eye(len(everything))
    assert distance[-len(X) :].min() > 0.01


# --- rectified points


@FAR
def test_unpromising_points_have_numbers_of_the_unit_interval(
    kind: Kind, model: PoissonRankModel
) -> None:
    _, X = split_points(model, SHARE)
    value = kind(model, q=SHARE)(X.unsqueeze(-2))
    uniform = value if kind is ExpectedRankingImprovement else -value
    assert (uniform >= 0.0).all()
    assert (uniform < 1.0).all()
    assert len(uniform.unique()) == len(X)
    assert uniform.min() < 0.2
    assert uniform.max() > 0.8


@FAR
def test_unpromising_points_have_no_gradient(kind: Kind, model: PoissonRankModel) -> None:
    promising, unpromising = split_points(model, SHARE)
    X = torch.cat([promising[:8], unpromising[:8]]).unsqueeze(-2).requires_grad_()
    (gradient,) = torch.autograd.grad(kind(model, q=SHARE)(X).sum(), X)
    assert torch.equal(gradient[8:], torch.zeros_like(gradient[8:]))
    assert (gradient[:8].norm(dim=-1) > 0.0).all()


def test_near_known_points_unpromising_points_have_no_gradient_either(
    kind: Kind, long_model: PoissonRankModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(long_model.rate, "log_rate", lambda X: X.sum(-1) + 5.0)
    X = (long_model.rank_counts.X + 0.01).unsqueeze(-2).requires_grad_()
    (gradient,) = torch.autograd.grad(kind(long_model)(X).sum(), X)
    assert torch.equal(gradient, torch.zeros_like(gradient))


@FAR
def test_the_number_of_a_point_stays_the_same(kind: Kind, model: PoissonRankModel) -> None:
    X = split_points(model, SHARE)[1][:24]
    function = kind(model, q=SHARE)
    value = function(X.unsqueeze(-2))
    assert torch.equal(function(X.unsqueeze(-2)), value)
    assert torch.equal(function(X.reshape(2, 3, 4, 1, 2)).flatten(), value)
    assert torch.equal(torch.cat([function(x.reshape(1, 1, 2)) for x in X]), value)
    assert torch.equal(kind(model, q=SHARE)(X.unsqueeze(-2)), value)


@FAR
def test_another_seed_or_another_number_of_points_draws_other_numbers(kind: Kind) -> None:
    models = [PoissonRankModel(*toy_data(n), preset="paper") for n in (20, 21)]
    for model in models:
        model.rate.log_rate = lambda X: X.new_full(X.shape[:-1], 1.0)  # nothing is promising
    X = toy_data(50, seed=3)[0].unsqueeze(-2)
    value = kind(models[0], seed=0)(X)
    for other in (kind(models[0], seed=1), kind(models[1], seed=0)):
        assert (other(X) != value).all()


@FAR
@pytest.mark.parametrize("q", [0.1, 0.4, 1.0])
def test_the_share_decides_what_is_promising(
    kind: Kind, q: float, long_model: PoissonRankModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    X = split_points(long_model, SHARE)[0][:10].unsqueeze(-2)
    for offset, num_values in ((-1e-6, 1), (1e-6, 10)):
        level = math.log(q) + offset
        monkeypatch.setattr(
            long_model.rate, "log_rate", lambda X, g=level: X.new_full(X.shape[:-1], g)
        )
        # One predicted rank has one value; rectified points have a number each.
        assert len(kind(long_model, q=q)(X).round(decimals=12).unique()) == num_values


# --- known points


def test_known_points_stay_below_the_ceiling(kind: Kind, model: PoissonRankModel) -> None:
    pending = toy_data(3, seed=9)[0]
    function = kind(model, X_pending=pending)
    for X in (model.rank_counts.X, pending):
        assert (function(X.unsqueeze(-2)) <= ceiling(function)).all()


def test_unpromising_points_beat_known_ones(kind: Kind, model: PoissonRankModel) -> None:
    function = kind(model)
    _, unpromising = split_points(model, function.q)
    assert (function(unpromising.unsqueeze(-2)) > ceiling(function)).all()


def test_a_point_loses_when_it_becomes_known(kind: Kind, model: PoissonRankModel) -> None:
    function = kind(model)
    X = torch.cat(split_points(model, SHARE)).unsqueeze(-2)
    before = function(X)
    function.set_X_pending(X.squeeze(-2))
    assert (function(X) < before).all()


def test_the_value_rises_smoothly_with_the_distance_from_a_known_point(
    kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    corners = torch.tensor([[0.0, 0.0], [1.0, 1.0]], dtype=torch.float64)
    model = PoissonRankModel(corners, corners[:, :1], preset="paper")
    monkeypatch.setattr(model.rate, "log_rate", lambda X: X.new_full(X.shape[:-1], -3.0))
    away = torch.linspace(0.0, 0.5, 101, dtype=torch.float64)
    X = (away.unsqueeze(-1) * torch.tensor([0.6, 0.8], dtype=torch.float64)).unsqueeze(-2)
    function = kind(model)
    value = function(X)
    assert (value.diff() >= -1e-15).all()
    assert (value[:3].diff() > 0).all()
    # The neighbourhood is small: halfway across the domain nothing of it is left.
    monkeypatch.setattr(MLPRate, "known_radius", 1e-6)
    torch.testing.assert_close(value[-1:], function(X[-1:]), rtol=1e-12, atol=0)


def test_set_x_pending_replaces_the_pending_points(kind: Kind, model: PoissonRankModel) -> None:
    function, plain = kind(model), kind(model)
    X = split_points(model, SHARE)[0][:2]
    before = function(X.unsqueeze(-2))
    function.set_X_pending(X[:1])
    pending = function(X.unsqueeze(-2))
    assert pending[0] <= ceiling(function)
    function.set_X_pending(X[1:])
    assert function(X[1:].unsqueeze(-2)).item() <= ceiling(function)
    function.set_X_pending(None)
    assert torch.equal(function(X.unsqueeze(-2)), before)
    assert torch.equal(plain(X.unsqueeze(-2)), before)


def test_pending_points_are_measured_in_encoded_inputs(kind: Kind) -> None:
    # 0.5 apart is far in the unit cube, but a ten-thousandth of this domain.
    X, Y = toy_data(15)
    model = PoissonRankModel(5_000.0 * X, Y, preset="paper").fit()
    point = 5_000.0 * split_points(PoissonRankModel(X, Y, preset="paper").fit(), SHARE)[0][:1]
    function = kind(model, X_pending=point + 0.5)
    assert function(point.unsqueeze(-2)).item() < ceiling(function) + 0.01


# --- contract


def test_dtype_and_device(kind: Kind, tkwargs: dict[str, Any]) -> None:
    model = PoissonRankModel(*toy_data(15, **tkwargs)).fit()
    X = toy_data(40, seed=3, **tkwargs)[0].unsqueeze(-2)
    value = kind(model, X_pending=X[0])(X)
    assert value.shape == (40,)
    assert value.dtype == tkwargs["dtype"]
    assert value.device.type == tkwargs["device"].type
    assert value.isfinite().all()


def test_several_points_at_once_are_refused(kind: Kind, model: PoissonRankModel) -> None:
    with pytest.raises(AssertionError, match="q=1"):
        kind(model)(torch.zeros(4, 2, 2, dtype=torch.float64))


@pytest.mark.parametrize("q", [0.0, -0.1, 1.01, math.nan])
def test_the_share_is_checked(kind: Kind, q: float, model: PoissonRankModel) -> None:
    with pytest.raises(
        ValueError, match=rf"share of the evaluated points, in \(0, 1\], but got {q}"
    ):
        kind(model, q=q)


@pytest.mark.parametrize("seed", [2**40, -1])
def test_large_and_negative_seeds_work(kind: Kind, seed: int, long_model: PoissonRankModel) -> None:
    X = split_points(long_model, SHARE)[1].unsqueeze(-2)
    assert kind(long_model, q=SHARE, seed=seed)(X).isfinite().all()


# --- optimisation by BoTorch
#
# A line search that meets the jump at the edge of the promising region ends early, with a warning.

EDGE = pytest.mark.filterwarnings("ignore:.*Optimization failed")


@FAR
def test_multi_start_leaves_rectified_points_where_they_are(
    kind: Kind, long_model: PoissonRankModel
) -> None:
    promising, unpromising = split_points(long_model, SHARE)
    starts = torch.cat([unpromising[:4], promising[:4]]).unsqueeze(-2)
    function = kind(long_model, q=SHARE)
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
@EDGE
def test_a_rectified_start_is_a_suggestion(kind: Kind, long_model: PoissonRankModel) -> None:
    starts = split_points(long_model, SHARE)[1][:5].unsqueeze(-2)
    function = kind(long_model, q=SHARE)
    best = starts[function(starts).argmax()]
    found = optimized(function, q=1, num_restarts=5, batch_initial_conditions=starts)
    assert torch.equal(found, best)


@EDGE
def test_optimize_acqf_suggests_a_new_point(kind: Kind, model: PoissonRankModel) -> None:
    function = kind(model)
    X = optimized(function, q=1)
    assert X.shape == (1, 2)
    assert_within_bounds(X)
    assert_new_and_distinct(X, model)
    anywhere = toy_data(50, seed=4)[0].unsqueeze(-2)
    assert function(X.unsqueeze(-2)).item() >= function(anywhere).quantile(0.9).item()


@EDGE
def test_optimize_acqf_suggests_several_distinct_points(
    kind: Kind, model: PoissonRankModel
) -> None:
    X = optimized(kind(model), q=3, sequential=True)
    assert X.shape == (3, 2)
    assert_within_bounds(X)
    assert_new_and_distinct(X, model)


@pytest.mark.parametrize("q", [1, 3])
def test_optimize_acqf_discrete_takes_the_best_choice(
    kind: Kind, q: int, model: PoissonRankModel
) -> None:
    choices = torch.cat([model.rank_counts.X, split_points(model, SHARE)[0][:15]])
    function = kind(model)
    X, values = optimize_acqf_discrete(function, q=q, choices=choices)
    assert X.shape == (q, 2)
    assert len({tuple(x) for x in X.tolist()}) == q
    assert values.flatten()[0] == kind(model)(choices.unsqueeze(-2)).max()
    for x in X:
        assert (x == choices[len(model.rank_counts) :]).all(-1).any()


@EDGE
@pytest.mark.parametrize("q", [1, 2])
def test_optimize_acqf_mixed_keeps_fixed_features(
    kind: Kind, q: int, model: PoissonRankModel
) -> None:
    with torch.random.fork_rng():
        torch.manual_seed(0)
        X, _ = optimize_acqf_mixed(
            kind(model),
            bounds=BOUNDS,
            q=q,
            num_restarts=2,
            raw_samples=16,
            fixed_features_list=[{0: 1.0}, {0: 3.0}],
            options={"maxiter": 20},
            return_acq_values=False,  # the joint value of q points, which one-point functions lack
        )
    assert X.shape == (q, 2)
    assert set(X[:, 0].tolist()) <= {1.0, 3.0}
    assert_within_bounds(X)
    assert_new_and_distinct(X, model)


# --- over a Gaussian process


def test_the_share_defaults_to_the_papers_for_a_network(
    long_model: PoissonRankModel, gaussian_model: PoissonRankModel
) -> None:
    assert ExpectedRankingImprovement(long_model).q == 0.4
    assert RectifiedLowerConfidenceBound(long_model).q == 0.6
    for kind in (ExpectedRankingImprovement, RectifiedLowerConfidenceBound):
        assert kind(long_model, q=None).q is None
        assert kind(gaussian_model).q is None
        assert kind(gaussian_model, q=0.5).q == 0.5


def test_a_gaussian_process_is_not_rectified(kind: Kind, gaussian_model: PoissonRankModel) -> None:
    X = toy_data(100, seed=3)[0].unsqueeze(-2).requires_grad_()
    value = kind(gaussian_model)(X)
    assert torch.equal(kind(gaussian_model, seed=1)(X), value)
    (gradient,) = torch.autograd.grad(value.sum(), X)
    assert (gradient.norm(dim=-1) > 0.0).all()


def test_known_points_of_a_gaussian_process_are_never_best(
    kind: Kind, gaussian_model: PoissonRankModel
) -> None:
    pending = toy_data(3, seed=9)[0]
    function = kind(gaussian_model, X_pending=pending)
    known = function(torch.cat([gaussian_model.rank_counts.X, pending]).unsqueeze(-2))
    anywhere = function(toy_data(100, seed=3)[0].unsqueeze(-2))
    assert (known <= ceiling(function)).all()
    assert anywhere.max() > ceiling(function)


@EDGE
def test_several_suggestions_of_a_gaussian_process_are_distinct(
    kind: Kind, gaussian_model: PoissonRankModel
) -> None:
    X = optimized(kind(gaussian_model), q=3, sequential=True)
    assert_within_bounds(X)
    assert_new_and_distinct(X, gaussian_model)
