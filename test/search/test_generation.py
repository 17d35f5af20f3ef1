import pytest
import torch
from botorch.acquisition import AcquisitionFunction
from botorch.exceptions.errors import OptimizationGradientError
from botorch.generation import gen_candidates_scipy
from torch import Tensor

from botorch_popbo import LogExpectedUtilityImprovement, RankingGP
from botorch_popbo.models import PoissonRankModel
from botorch_popbo.search.generation import gen_candidates

LOWER = torch.tensor([0.0, 0.2, 0.0], dtype=torch.float64)
UPPER = torch.tensor([1.0, 0.9, 1.0], dtype=torch.float64)
OPTIONS = {"maxiter": 30, "factr": 1e12, "maxls": 10}


def make_points(*shape: int, seed: int = 0, dtype: torch.dtype = torch.float64) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.rand(*shape, 3, generator=generator, dtype=torch.float64).to(dtype)


@pytest.fixture(params=[torch.float64, torch.float32])
def acquisition(request: pytest.FixtureRequest) -> LogExpectedUtilityImprovement:
    X = make_points(15, dtype=request.param)
    Y = -(X - 0.4).square().sum(-1, keepdim=True)
    return LogExpectedUtilityImprovement(RankingGP(X, Y, input_transform=None).fit())


def test_it_finds_what_botorch_finds(acquisition: LogExpectedUtilityImprovement) -> None:
    starts = make_points(4, 1, seed=1).clamp(LOWER, UPPER).to(acquisition.model.known_X)
    bounds = LOWER.to(starts), UPPER.to(starts)
    expected = gen_candidates_scipy(starts, acquisition, *bounds, options=OPTIONS)
    found = gen_candidates(starts, acquisition, *bounds, options=OPTIONS, fixed_features={})
    assert found[0].dtype == starts.dtype
    digits = 1e-9 if starts.dtype == torch.float64 else 1e-5
    torch.testing.assert_close(found, expected, rtol=digits, atol=digits)
    assert (found[1] > acquisition(starts)).all()


def test_starts_beyond_the_box_are_moved_into_it() -> None:
    class Distance(AcquisitionFunction):
        def forward(self, X: Tensor) -> Tensor:
            return -(X - 2.0).square().sum((-1, -2))

    model = PoissonRankModel(make_points(5), make_points(5)[:, :1])
    starts = 3.0 * make_points(2, 2) - 1.0
    X, values = gen_candidates(starts, Distance(model), LOWER, UPPER)
    assert X.equal(UPPER.expand(2, 2, -1))
    assert values.equal(Distance(model)(X))


def test_fixed_features_and_open_bounds_are_left_to_botorch(
    acquisition: LogExpectedUtilityImprovement,
) -> None:
    starts = make_points(2, 1, seed=1).clamp(LOWER, UPPER).to(acquisition.model.known_X)
    bounds = LOWER.to(starts), UPPER.to(starts)
    X, _ = gen_candidates(starts, acquisition, *bounds, fixed_features={1: 0.5})
    assert (X[..., 1] == 0.5).all()
    for options in ({"maxiter": 3}, {"method": "SLSQP", "maxiter": 3}):
        lower = None if "method" not in options else bounds[0]
        X, _ = gen_candidates(starts, acquisition, lower, bounds[1], options=options)
        assert X.isfinite().all()


def test_a_gradient_that_is_no_number_is_an_error() -> None:
    class Broken(AcquisitionFunction):
        def forward(self, X: Tensor) -> Tensor:
            return (X - X).sqrt().sum((-1, -2))

    model = PoissonRankModel(make_points(5), make_points(5)[:, :1])
    with pytest.raises(OptimizationGradientError, match="holds NaN"):
        gen_candidates(make_points(2, 1), Broken(model), 0.0 * LOWER, UPPER)
