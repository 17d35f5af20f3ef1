from dataclasses import fields

import pytest
import torch
from botorch.exceptions import BotorchTensorDimensionError, InputDataError
from botorch_popbo.data.rank_counts import count_better
from helpers.ranking import INF, NAN, as_records, line, tensor

from botorch_popbo import Order, RankCounts
from botorch_popbo.data import combine, from_comparisons, from_groups, from_outcomes, rank_counts


@pytest.mark.parametrize("pairs", [1, 21, 28, 700])
def test_noisy_lists_of_any_length_are_counted_one_by_one(
    pairs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rank_counts, "MAX_PAIRS", pairs)  # the longest list has seven
    lists = [torch.arange(n) for n in (4, 2, 7, 3)]
    orders = [
        Order.from_scores(line(len(own)), torch.randn(len(own)), torch.rand(len(own)))
        for own in lists
    ]
    alone = torch.cat([count_better(order)[0] for order in orders])
    together = combine(*orders)
    shuffle = torch.randperm(len(together.item))
    entries = {f.name: getattr(together, f.name)[shuffle] for f in fields(together)[1:]}
    torch.testing.assert_close(count_better(Order(together.X, **entries))[0], alone)


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
