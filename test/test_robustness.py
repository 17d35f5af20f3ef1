"""No NaN leaves the posterior or an acquisition function, whatever the data look like."""

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
    LogExpectedRankingImprovement,
    LogExpectedUtilityImprovement,
    LowerConfidenceBound,
    PoissonRankModel,
    RectifiedLowerConfidenceBound,
)
from botorch_popbo.presets import PresetName

EACH_PRESET = pytest.mark.parametrize("preset", ["default", "paper"])
OUTCOMES = st.one_of(
    st.sampled_from([0.0, 1.0, -1.0, 1e300, -1e300, 1e-300, -1e-300, float("-inf")]),
    st.floats(-1e300, 1e300),
)


def acquisitions(preset: PresetName) -> list[type[AcquisitionFunction]]:
    by_rank = [
        ExpectedRankingImprovement,
        LogExpectedRankingImprovement,
        LowerConfidenceBound,
        RectifiedLowerConfidenceBound,
    ]
    return [LogExpectedUtilityImprovement, *by_rank] if preset == "default" else by_rank


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


@EACH_PRESET
@settings(max_examples=25)
@given(data=data_sets())
def test_nothing_is_nan(data: tuple[Tensor, Tensor], preset: PresetName) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of equal outcomes
        model = PoissonRankModel(*data, preset=preset).fit()
    dim = data[0].shape[-1]
    X = torch.rand(6, dim, generator=torch.Generator().manual_seed(0)).double()
    X = torch.cat([X, model.rank_counts.X, -3.0 + 7.0 * X]).unsqueeze(-2).requires_grad_()
    posterior = model.posterior(X)
    for value in (posterior.mean, posterior.variance, posterior.entropy(), posterior.log_rate):
        assert value.isfinite().all()
    assert (posterior.variance >= 0).all()
    for acquisition in acquisitions(preset):
        value = acquisition(model)(X)
        assert value.isfinite().all()
        assert torch.autograd.grad(value.sum(), X)[0].isfinite().all()


@pytest.mark.parametrize(
    ("preset", "acquisition"),
    [(preset, kind) for preset in ("default", "paper") for kind in acquisitions(preset)],
)
def test_outcomes_that_sort_alike_suggest_alike(
    preset: PresetName, acquisition: type[AcquisitionFunction]
) -> None:
    X = torch.rand(20, 2, generator=torch.Generator().manual_seed(3)).double()
    f = -(X - 0.4).square().sum(-1, keepdim=True)
    bounds = torch.tensor([[0.0, 0.0], [1.0, 1.0]]).double()
    suggestions = []
    for outcomes in (f, f.exp(), f**3, f.flatten().argsort().argsort().double().unsqueeze(-1)):
        model = PoissonRankModel(X, outcomes, preset=preset, seed=1).fit()
        with manual_seed(0):
            found, _ = optimize_acqf(
                acquisition(model), bounds, q=1, num_restarts=2, raw_samples=32
            )
        suggestions.append(found)
    assert all(torch.equal(found, suggestions[0]) for found in suggestions)


@EACH_PRESET
def test_hundred_thousand_points_fit_into_memory(preset: PresetName) -> None:
    data = torch.rand(50, 3).double(), torch.rand(50, 1).double()
    model = PoissonRankModel(*data, preset=preset).fit()
    X = torch.rand(100_000, 1, 3).double()
    with torch.no_grad():
        posterior = model.posterior(X)
        assert posterior.mean.shape == posterior.variance.shape == (100_000, 1, 1)
        assert ExpectedRankingImprovement(model)(X).shape == (100_000,)
