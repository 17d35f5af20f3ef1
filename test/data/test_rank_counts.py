from dataclasses import fields

import torch
from helpers.ranking import as_records, line, tensor

from botorch_popbo import Order, RankCounts
from botorch_popbo.data import combine, from_comparisons, from_groups, from_outcomes


def test_noisy_lists_of_any_length_are_counted_one_by_one() -> None:
    lists = [(torch.randn(n), torch.rand(n)) for n in (4, 2, 1500, 3)]
    expected = []
    for score, variance in lists:
        scale = (variance + variance.unsqueeze(-1)).sqrt()
        worse = torch.special.ndtr((score - score.unsqueeze(-1)) / scale)
        expected.append((worse - 0.5 * torch.eye(len(score))).sum(-1))
    order = combine(*(Order.from_scores(line(len(s)).float(), s, v) for s, v in lists))
    shuffle = torch.randperm(len(order.item))
    entries = {f.name: getattr(order, f.name)[shuffle] for f in fields(order)[1:]}
    found = RankCounts.from_order(Order(order.X, **entries)).counts
    torch.testing.assert_close(found, torch.cat(expected))


def column(*values: float) -> torch.Tensor:
    return tensor(values).unsqueeze(-1)


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
