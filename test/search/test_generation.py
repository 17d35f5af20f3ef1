import pytest
import torch
from botorch.acquisition import AcquisitionFunction
from botorch.exceptions.errors import OptimizationGradientError
from botorch.generation import gen_candidates_scipy
from helpers.gaussian import unit_points
from torch import Tensor

from botorch_popbo import LogExpectedUtilityImprovement, RankingGP
from botorch_popbo.search.generation import climb

BOUNDS = torch.tensor([[0.0, 0.2, 0.0], [1.0, 0.9, 1.0]], dtype=torch.float64)
OPTIONS = {"maxiter": 30, "factr": 1e12, "maxls": 10}
FREE = torch.ones(3, dtype=torch.bool)


@pytest.mark.parametrize("fixed", [{}, {1: 0.5}])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_it_finds_what_botorch_finds(dtype: torch.dtype, fixed: dict[int, float]) -> None:
    X = unit_points(15, 3).to(dtype)
    Y = -(X - 0.4).square().sum(-1, keepdim=True)
    function = LogExpectedUtilityImprovement(RankingGP(X, Y, input_transform=None).fit())
    bounds, is_free = BOUNDS.to(X), FREE.clone()
    starts = unit_points(4, 3, seed=1).to(X).unsqueeze(-2).clamp(*bounds)
    for column, value in fixed.items():
        starts[..., column], is_free[column] = value, False
    expected = gen_candidates_scipy(
        starts, function, *bounds, options=OPTIONS, fixed_features=fixed
    )
    found = climb(function, starts, bounds, is_free, OPTIONS)
    assert found[0].dtype == dtype
    digits = 1e-9 if dtype == torch.float64 else 1e-5
    torch.testing.assert_close(found, expected, rtol=digits, atol=digits)
    assert (found[1] > function(starts)).all()


class Function(AcquisitionFunction):
    """Rises towards a corner, or has no gradient."""

    def __init__(self, is_broken: bool) -> None:
        super().__init__(RankingGP(unit_points(5, 3), unit_points(5, 1)))
        self.is_broken = is_broken

    def forward(self, X: Tensor) -> Tensor:
        return (X - X).sqrt().sum((-1, -2)) if self.is_broken else X.sum((-1, -2))


def test_starts_beyond_the_box_are_moved_into_it() -> None:
    starts = 3.0 * unit_points(4, 3).reshape(2, 2, 3) - 1.0
    X, values = climb(Function(False), starts, BOUNDS, FREE, {})
    assert X.equal(BOUNDS[1].expand(2, 2, -1))
    assert values.equal(X.sum((-1, -2)))


def test_a_gradient_that_is_no_number_is_an_error() -> None:
    with pytest.raises(OptimizationGradientError, match="holds NaN"):
        climb(Function(True), unit_points(2, 3).unsqueeze(-2), BOUNDS, FREE, {})
