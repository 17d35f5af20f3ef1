import math

import pytest
import torch
from torch import Tensor

from botorch_popbo.paper._point_noise import uniform_from_points

SIDE = 100


def grid() -> Tensor:
    """A regular ``100 x 100`` grid of the unit square: as unlike random numbers as can be."""
    ticks = torch.linspace(0.0, 1.0, SIDE, dtype=torch.float64)
    return torch.stack(torch.meshgrid(ticks, ticks, indexing="ij"), dim=-1)


@pytest.mark.parametrize(("seed", "scale"), [(0, 1.0), (1, 1e-12), (12_345, 1e9), (-7, 1.0)])
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
    neighbours = ((numbers[1:], numbers[:-1]), (numbers[:, 1:], numbers[:, :-1]))
    for one, other in (*neighbours, (numbers, numbers.T)):
        correlation = torch.corrcoef(torch.stack([one.flatten(), other.flatten()]))[0, 1]
        # Four standard deviations, of the inverse root of the number of pairs.
        assert correlation.abs() < 4.0 / SIDE


def test_every_coordinate_counts_but_not_the_sign_of_zero() -> None:
    X = torch.tensor([[1.0, 2.0, 3.0], [2.0, 1.0, 3.0], [1.0, 2.0, 4.0], [9.0, 2.0, 3.0]])
    assert len(uniform_from_points(X.double(), 0).unique()) == 4
    zeros = torch.tensor([[0.0, 1.0], [-0.0, 1.0]], dtype=torch.float64)
    assert torch.equal(*uniform_from_points(zeros, 0))
