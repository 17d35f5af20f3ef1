import math

import numpy as np
import pytest
import torch
from scipy.optimize import minimize_scalar

from botorch_popbo.benchmarks.problems._forrester import Forrester


def value(x: float) -> float:
    return (6 * x - 2) ** 2 * math.sin(12 * x - 4)


def test_the_formula_and_its_optimum() -> None:
    function, points = Forrester(), torch.linspace(0, 1, 7, dtype=torch.float64)
    expected = [value(x) for x in points.tolist()]
    assert function(points.unsqueeze(-1)).tolist() == pytest.approx(expected, rel=1e-14)
    ((optimizer,),) = function.optimizers.tolist()
    grid = np.linspace(0, 1, 100_001)
    coarse = grid[np.argmin([value(x) for x in grid])]
    found = minimize_scalar(value, (coarse - 1e-5, coarse, coarse + 1e-5), tol=1e-12)
    # Around a minimum the function cannot tell points closer than the root of the precision.
    assert optimizer == pytest.approx(found.x, abs=1e-7)
    assert function.optimal_value == pytest.approx(found.fun, rel=1e-15)
