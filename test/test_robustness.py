"""No NaN leaves a model or an acquisition function, whatever the data look like."""

import warnings

import pytest
import torch
from botorch.acquisition import AcquisitionFunction
from botorch.optim import optimize_acqf
from botorch.utils.sampling import manual_seed
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from botorch_popbo import (
    ExpectedRankingImprovement,
    LogConstrainedExpectedUtilityImprovement,
    LogExpectedUtilityImprovement,
    PoissonRankModel,
    RankingGP,
    RankModel,
    RectifiedLowerConfidenceBound,
)

MODELS = {"ranking_gp": RankingGP, "poisson": PoissonRankModel.paper}
EACH_MODEL = pytest.mark.parametrize("name", MODELS)
OF_RANKS: list[type[AcquisitionFunction]] = [
    ExpectedRankingImprovement,
    RectifiedLowerConfidenceBound,
]
ACQUISITIONS = {"ranking_gp": [LogExpectedUtilityImprovement, *OF_RANKS], "poisson": OF_RANKS}
OUTCOMES = st.one_of(
    st.sampled_from([0.0, 1.0, -1.0, 1e300, -1e300, 1e-300, -1e-300, float("-inf")]),
    st.floats(-1e300, 1e300),
)


def fitted(name: str, X: Tensor, Y: Tensor) -> RankModel:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of equal outcomes
        return MODELS[name](X, Y).fit()


@st.composite
def data_sets(draw: st.DrawFn) -> tuple[Tensor, Tensor]:
    """Points with ties, duplicates, failures and outcomes of any magnitude; two are distinct."""
    num_points, dim = draw(st.integers(2, 16)), draw(st.integers(1, 4))
    cells = st.lists(st.sampled_from([0.0, 0.25, 1.0]), min_size=dim, max_size=dim)
    points = draw(st.lists(cells, min_size=num_points, max_size=num_points))
    points[0], points[1] = [0.0] * dim, [1.0] * dim
    outcomes = draw(st.lists(OUTCOMES, min_size=num_points, max_size=num_points))
    return (
        torch.tensor(points, dtype=torch.float64),
        torch.tensor(outcomes, dtype=torch.float64).unsqueeze(-1),
    )


@EACH_MODEL
@settings(max_examples=25)
@given(data=data_sets())
def test_nothing_is_nan(data: tuple[Tensor, Tensor], name: str) -> None:
    model, dim = fitted(name, *data), data[0].shape[-1]
    X = torch.rand(6, dim, generator=torch.Generator().manual_seed(0)).double()
    X = torch.cat([X, model.known_X, -3.0 + 7.0 * X]).unsqueeze(-2).requires_grad_()
    ranks, posterior = model.rank_posterior(X), model.posterior(X)
    variances = ranks.variance, posterior.variance
    for value in (ranks.mean, ranks.log_rate, posterior.mean, *variances):
        assert value.isfinite().all()
    assert all((variance >= 0).all() for variance in variances)
    for acquisition in ACQUISITIONS[name]:
        value = acquisition(model)(X)
        assert value.isfinite().all()
        assert torch.autograd.grad(value.sum(), X)[0].isfinite().all()


@pytest.mark.parametrize(
    ("name", "acquisition"), [(name, kind) for name in MODELS for kind in ACQUISITIONS[name]]
)
def test_outcomes_that_sort_alike_suggest_alike(
    name: str, acquisition: type[AcquisitionFunction]
) -> None:
    X = torch.rand(20, 2, generator=torch.Generator().manual_seed(3)).double()
    f = -(X - 0.4).square().sum(-1, keepdim=True)
    bounds = torch.tensor([[0.0, 0.0], [1.0, 1.0]]).double()
    suggestions = []
    for outcomes in (f, f.exp(), f**3, f.flatten().argsort().argsort().double().unsqueeze(-1)):
        function = acquisition(fitted(name, X, outcomes))
        with manual_seed(0):
            found, _ = optimize_acqf(function, bounds, q=1, num_restarts=2, raw_samples=32)
        suggestions.append(found)
    assert all(torch.equal(found, suggestions[0]) for found in suggestions)


@pytest.mark.slow
@EACH_MODEL
def test_hundred_thousand_points_fit_into_memory(name: str) -> None:
    generator = torch.Generator().manual_seed(0)
    X, Y = (torch.rand(50, dim, generator=generator).double() for dim in (3, 1))
    model = fitted(name, X, Y)
    X = torch.rand(100_000, 1, 3, generator=generator).double()
    with torch.no_grad():
        for posterior in (model.rank_posterior(X), model.posterior(X)):
            assert posterior.mean.shape == posterior.variance.shape == (100_000, 1, 1)
        assert ExpectedRankingImprovement(model)(X).shape == (100_000,)


def test_an_acquisition_function_moves_as_a_whole() -> None:
    X = torch.rand(12, 2, generator=torch.Generator().manual_seed(1)).double()
    f, slack = -(X - 0.4).square().sum(-1, keepdim=True), X[:, :1] - 0.2
    models = [fitted("ranking_gp", X, outcomes) for outcomes in (f, slack)]
    function = LogConstrainedExpectedUtilityImprovement(models[0], models[1:])
    test_X = torch.rand(5, 1, 2, generator=torch.Generator().manual_seed(2)).double()
    before = function(test_X)
    function.to(torch.float32)
    # Slack models are submodules, too.
    tensors = [*function.parameters(), *function.buffers(), *(m.known_X for m in models)]
    assert {values.dtype for values in tensors if values.is_floating_point()} == {torch.float32}
    after = function(test_X.float())
    assert after.dtype == torch.float32
    torch.testing.assert_close(after.double(), before, rtol=1e-2, atol=1e-2)
    function.set_X_pending(test_X[0].float())
    function.set_X_pending(None)
    torch.testing.assert_close(function(test_X.float()), after, rtol=1e-2, atol=1e-2)
