import pytest
import torch
from helpers.gaussian import unit_points
from torch.autograd.functional import hessian

from botorch_popbo import LogExpectedUtilityImprovement, RankingGP


def test_an_acquisition_function_has_no_hessian_of_zeros() -> None:
    X = unit_points(8)
    acquisition = LogExpectedUtilityImprovement(RankingGP(X, X.sum(-1, keepdim=True)).fit())
    with pytest.raises(NotImplementedError, match="second derivative"):
        hessian(lambda point: acquisition(point).sum(), unit_points(1, seed=1))
    with torch.no_grad():
        assert acquisition(unit_points(1, seed=1)).isfinite()
