from dataclasses import fields

import pytest
import torch
from helpers.ranking import line, tensor

from botorch_popbo import Order
from botorch_popbo.data import _counts, combine
from botorch_popbo.data._counts import count_better

#: Two lists of one task, of which the second is noisy, and a third of another task.
ORDER = Order(
    X=line(4),
    item=torch.tensor([0, 1, 2, 0, 1, 3, 2]),
    score=tensor([3.0, 2.0, 2.0, 1.0, 1.0, 0.0, 9.0]),
    variance=tensor([0.0, 0.0, 0.0, 0.5, 0.5, 0.0, 0.0]),
    list_index=torch.tensor([0, 0, 0, 1, 1, 2, 2]),
    task_index=torch.tensor([0, 0, 0, 0, 0, 1, 1]),
    is_censored=torch.tensor([False] * 7),
)


@pytest.mark.parametrize(
    ("noisy", "better"), [(None, [0.5, 1.5, 1, 0, 1]), ([False, True], [0, 1, 1, 0, 1])]
)
def test_one_record_for_each_point_of_each_task(
    noisy: list[bool] | None, better: list[float]
) -> None:
    found, met = count_better(ORDER, None if noisy is None else torch.tensor(noisy))
    assert ORDER.item[ORDER.ranked.rows].tolist() == [0, 1, 2, 2, 3]
    assert found.tolist() == better
    assert met.tolist() == [3, 3, 2, 1, 1]


def test_censored_entries_met_their_betters_only() -> None:
    order = Order(
        X=line(4),
        item=torch.arange(4),
        score=tensor([0.0, 1.0, 0.0, 2.0]),
        variance=torch.zeros(4, dtype=torch.float64),
        list_index=torch.zeros(4, dtype=torch.long),
        task_index=torch.zeros(4, dtype=torch.long),
        is_censored=torch.tensor([True, False, True, False]),
    )
    better, met = count_better(order)
    assert better.tolist() == [2.0, 1.0, 2.0, 0.0]
    assert met.tolist() == [2.0, 3.0, 2.0, 3.0]


def test_the_order_of_entries_does_not_matter() -> None:
    shuffle = torch.tensor([6, 2, 4, 0, 5, 3, 1])
    names = ("item", "score", "variance", "list_index", "task_index", "is_censored")
    shuffled = Order(ORDER.X, *(getattr(ORDER, name)[shuffle] for name in names))
    for found, expected in zip(count_better(shuffled), count_better(ORDER), strict=True):
        assert torch.equal(found, expected)


@pytest.mark.parametrize("pairs", [1, 21, 28, 700])
def test_noisy_lists_of_any_length_are_counted_one_by_one(
    pairs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_counts, "MAX_PAIRS", pairs)  # the longest list has seven
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
