import math

import numpy as np
import pytest
import torch
from botorch.test_functions.base import BaseTestProblem
from botorch.utils.testing import (
    BaseTestProblemTestCaseMixIn,
    BotorchTestCase,
    SyntheticTestFunctionTestCaseMixin,
)
from scipy.optimize import minimize_scalar

from botorch_popbo.test_functions import Forrester


class TestContract(
    BotorchTestCase, BaseTestProblemTestCaseMixIn, SyntheticTestFunctionTestCaseMixin
):
    @property
    def functions(self) -> list[BaseTestProblem]:
        return [
            Forrester(),
            Forrester(negate=True),
            Forrester(noise_std=0.1),
            Forrester(bounds=[(0.5, 0.8)]),
        ]


def value(x: float) -> float:
    return (6 * x - 2) ** 2 * math.sin(12 * x - 4)


def test_the_formula() -> None:
    points = torch.linspace(0, 1, 7, dtype=torch.float64)
    expected = [value(x) for x in points.tolist()]
    assert Forrester()(points.unsqueeze(-1)).tolist() == pytest.approx(expected, rel=1e-14)


def test_the_optimum_is_known_to_double_precision() -> None:
    function = Forrester()
    ((optimizer,),) = function.optimizers.tolist()
    grid = np.linspace(0, 1, 100_001)
    coarse = grid[np.argmin([value(x) for x in grid])]
    found = minimize_scalar(value, (coarse - 1e-5, coarse, coarse + 1e-5), tol=1e-12)
    # Around a minimum the function cannot tell points closer than the root of the precision.
    assert optimizer == pytest.approx(found.x, abs=1e-7)
    assert function.optimal_value == pytest.approx(found.fun, rel=1e-15)
    u = 6 * optimizer - 2
    slope = 12 * u * math.sin(2 * u) + 12 * u**2 * math.cos(2 * u)
    curvature = 72 * math.sin(2 * u) + 288 * u * math.cos(2 * u) - 144 * u**2 * math.sin(2 * u)
    assert abs(slope / curvature) < 1e-15, "a Newton step moves it by less than its precision"


def test_bounds_without_the_optimum_are_refused() -> None:
    with pytest.raises(ValueError, match="No global optimum"):
        Forrester(bounds=[(0.0, 0.5)])
