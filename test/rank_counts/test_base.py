import dataclasses

import pytest
import torch
from botorch.exceptions import BotorchTensorDimensionError, InputDataError
from helpers.ranking import NAN

from botorch_popbo import RankCounts


@pytest.mark.parametrize(
    ("X_shape", "counts_shape", "exposure_shape"),
    [((3,), (3,), (3,)), ((3, 1), (2,), (3,)), ((3, 1), (3,), (1,)), ((3, 1), (3, 1), (3, 1))],
)
def test_constructor_checks_shapes(
    X_shape: tuple[int, ...], counts_shape: tuple[int, ...], exposure_shape: tuple[int, ...]
) -> None:
    with pytest.raises(BotorchTensorDimensionError, match="m x d with counts and exposure of sh"):
        RankCounts(torch.zeros(X_shape), torch.zeros(counts_shape), torch.ones(exposure_shape))


@pytest.mark.parametrize("count", [-1.0, 2.5, NAN])
def test_constructor_checks_that_counts_fit_their_exposure(count: float) -> None:
    with pytest.raises(InputDataError, match="between 0 and its exposure"):
        RankCounts(torch.zeros(2, 1), torch.tensor([0.0, count]), torch.tensor([2.0, 2.0]))


def test_constructor_accepts_lists_of_different_length_and_expected_counts() -> None:
    data = RankCounts(torch.zeros(3, 2), torch.tensor([0.0, 1.5, 7.0]), torch.tensor([1.0, 2, 7]))
    assert len(data) == 3


@pytest.mark.parametrize(
    ("X", "num_points"),
    [
        ([[0.0], [1.0], [2.0]], 3),
        ([[1.0], [0.0], [1.0], [1.0]], 2),
        ([[0.0], [-0.0]], 1),
        ([[0.0, 1.0], [1.0, 0.0], [0.0, 0.0], [1.0, 0.0]], 3),
    ],
)
def test_num_points_counts_distinct_rows(X: list[list[float]], num_points: int) -> None:
    zeros = torch.zeros(len(X))
    data = RankCounts(torch.tensor(X), zeros, zeros)
    assert data.num_points == num_points
    assert data.num_points == num_points  # kept, not recomputed


@pytest.mark.parametrize("shape", [(0, 2), (0, 0)])
def test_no_records_have_no_points(shape: tuple[int, int]) -> None:
    data = RankCounts(torch.zeros(shape), torch.zeros(0), torch.zeros(0))
    assert len(data) == data.num_points == 0


def test_records_cannot_be_replaced() -> None:
    data = RankCounts(torch.zeros(1, 1), torch.zeros(1), torch.ones(1))
    with pytest.raises(dataclasses.FrozenInstanceError):
        data.X = torch.ones(1, 1)  # type: ignore[misc]
