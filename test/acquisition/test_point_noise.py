import math
from typing import Any

import pytest
import torch
from torch import Tensor

from botorch_popbo.acquisition._point_noise import uniform_from_points

SIDE = 100


def grid(**tkwargs: Any) -> Tensor:
    """A regular ``100 x 100`` grid of the unit square: as unlike random numbers as can be."""
    tkwargs = {"dtype": torch.float64} | tkwargs
    ticks = torch.linspace(0.0, 1.0, SIDE, **tkwargs)
    return torch.stack(torch.meshgrid(ticks, ticks, indexing="ij"), -1)


def correlation(first: Tensor, second: Tensor) -> float:
    return torch.corrcoef(torch.stack([first.flatten(), second.flatten()]))[0, 1].item()


@pytest.mark.parametrize("seed", [0, 1, 12_345, -7])
@pytest.mark.parametrize("scale", [1.0, 1e-12, 1e9])
def test_numbers_are_uniform(seed: int, scale: float) -> None:
    ordered = uniform_from_points(scale * grid(), seed).flatten().sort().values
    steps = torch.arange(len(ordered) + 1.0, dtype=torch.float64) / len(ordered)
    kolmogorov = torch.maximum((ordered - steps[:-1]).max(), (steps[1:] - ordered).max())
    # The critical value at a level of 1e-4; points and seeds are fixed.
    assert kolmogorov < 2.23 / math.sqrt(len(ordered))
    assert ordered[0] >= 0.0
    assert ordered[-1] < 1.0


@pytest.mark.parametrize("spacing", [1e-2, 1e-15])
def test_neighbours_are_unrelated(spacing: float) -> None:
    numbers = uniform_from_points(0.5 + spacing * SIDE * grid(), 0)
    assert len(numbers.unique()) == SIDE**2
    bound = 4.0 / SIDE  # four standard deviations, of the inverse root of the number of pairs
    assert abs(correlation(numbers[1:], numbers[:-1])) < bound
    assert abs(correlation(numbers[:, 1:], numbers[:, :-1])) < bound
    assert abs(correlation(numbers, numbers.T)) < bound


def test_every_coordinate_counts_but_not_the_sign_of_zero() -> None:
    X = torch.tensor([[1.0, 2.0, 3.0], [2.0, 1.0, 3.0], [1.0, 2.0, 4.0], [9.0, 2.0, 3.0]])
    assert len(uniform_from_points(X.double(), 0).unique()) == 4
    zeros = torch.tensor([[0.0, 1.0], [-0.0, 1.0]], dtype=torch.float64)
    assert torch.equal(*uniform_from_points(zeros, 0))
