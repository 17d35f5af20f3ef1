from typing import Any

import pytest
import torch
from botorch.exceptions import BotorchTensorDimensionError, InputDataError
from helpers.ranking import INF, NAN, as_records, line, tensor
from scipy.integrate import quad
from scipy.stats import norm

from botorch_popbo import Order, RankCounts
from botorch_popbo.data import from_comparisons, from_groups, from_outcomes


def column(*values: float) -> torch.Tensor:
    return tensor(values).unsqueeze(-1)


@pytest.mark.parametrize(
    ("X_shape", "counts_shape", "exposure_shape"),
    [((3,), (3,), (3,)), ((3, 1), (2,), (3,)), ((3, 1), (3,), (1,)), ((3, 1), (3, 1), (3, 1))],
)
def test_constructor_checks_shapes(
    X_shape: tuple[int, ...], counts_shape: tuple[int, ...], exposure_shape: tuple[int, ...]
) -> None:
    with pytest.raises(BotorchTensorDimensionError, match="m x d with counts and exposure of sh"):
        RankCounts(torch.zeros(X_shape), torch.zeros(counts_shape), torch.ones(exposure_shape))


@pytest.mark.parametrize(("count", "exposure"), [(-1.0, 2.0), (2.5, 2.0), (NAN, 2.0), (1.0, INF)])
def test_constructor_checks_that_counts_fit_their_exposure(count: float, exposure: float) -> None:
    with pytest.raises(InputDataError, match="between 0 and its finite exposure"):
        RankCounts(torch.zeros(2, 1), torch.tensor([0.0, count]), torch.tensor([2.0, exposure]))


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
    counts = RankCounts(torch.tensor(X), zeros, zeros)
    assert counts.num_points == num_points
    assert len(counts) == len(X)


def test_gradients_end_here() -> None:
    X = line(3).requires_grad_() * 2.0
    counts = RankCounts(X, X[:, 0], X[:, 0] + 1.0)
    assert not any(t.requires_grad for t in (counts.X, counts.counts, counts.exposure))


def test_expected_counts_match_integrals_over_the_normal_errors() -> None:
    scores, deviations = [0.3, 1.0, -2.0, 1.1, 5.0], [0.5, 2.0, 1.0, 0.1, 3.0]

    laws = [norm(*law) for law in zip(scores, deviations, strict=True)]

    def is_better(one: Any, other: Any) -> float:
        """Probability that the value of the other is larger, by integration over that of one."""
        low, high = one.mean() - 12 * one.std(), one.mean() + 12 * one.std()
        kinks = [x for x in (one.mean(), other.mean()) if low < x < high]
        return quad(lambda t: one.pdf(t) * other.sf(t), low, high, points=kinks)[0]

    order = Order.from_scores(line(5), tensor(scores), tensor(deviations).square())
    found = RankCounts.from_order(order)
    expected = [sum(is_better(one, other) for other in laws if other is not one) for one in laws]
    assert found.counts.tolist() == pytest.approx(expected, abs=1e-7)
    assert found.exposure.tolist() == [4.0] * 5


def test_lists_of_one_task_are_added_up_and_tasks_kept_apart() -> None:
    pairs = as_records(from_comparisons(line(3), torch.tensor([[2, 0], [2, 1]])))
    assert pairs == [((0.0,), 1.0, 1.0), ((1.0,), 1.0, 1.0), ((2.0,), 0.0, 2.0)]
    X, groups = column(2, 0, 2, 1), torch.tensor([0, 0, 1, 1])
    tasks = as_records(from_groups(X, tensor([1.0, 0.0, 1.0, 0.0]), groups))
    assert tasks == [(x, k, 1.0) for x, k in [((0.0,), 1), ((2.0,), 0), ((1.0,), 1), ((2.0,), 0)]]


def test_pending_points_slot_in_between_the_observed_ones() -> None:
    known = RankCounts.from_order(from_outcomes(line(4), tensor([40.0, 30.0, 20.0, 10.0])))
    # Predicted to be behind two of the four, and ahead of all.
    joined = known.insert(column(8, 9), tensor([2.0, 0.0]))
    assert joined.X.squeeze(-1).tolist() == [0, 1, 2, 3, 8, 9]
    assert joined.counts.tolist() == [1, 2, 4, 5, 3, 0]
    assert joined.exposure.tolist() == [5] * 6


def test_equal_predictions_share_a_rank() -> None:
    known = RankCounts.from_order(from_outcomes(line(2), tensor([1.0, 0.0])))
    assert known.insert(column(5, 6), tensor([1.0, 1.0])).counts.tolist() == [0, 3, 1, 1]


def test_short_records_are_placed_by_their_share() -> None:
    known = RankCounts(line(3), tensor([0.0, 1.0, 1.0]), tensor([2.0, 2.0, 1.0]))
    joined = known.insert(column(9), tensor([1.0]))
    # Shares 0, 1/2 and 1 of two other points: the pending one goes between the first two.
    assert joined.counts.tolist() == [0, 2, 2, 1]
    assert joined.exposure.tolist() == [3, 3, 2, 3]
