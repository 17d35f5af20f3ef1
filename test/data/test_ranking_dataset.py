import itertools
from typing import Any

import pytest
import torch
from botorch.exceptions import InputDataError
from helpers.ranking import as_records, line, ranking_dataset, tensor
from hypothesis import given
from hypothesis import strategies as st

from botorch_popbo.data import from_ranking_dataset

#: Four of six items, and their places with ties: the numbers of items ahead.
RANKINGS = st.tuples(
    st.permutations(range(6)).map(lambda items: items[:4]),
    st.tuples(*[st.integers(0, 2)] * 4).map(lambda y: [sum(o < x for o in y) for x in y]),
)


@given(st.lists(RANKINGS, min_size=1, max_size=6))
def test_records_match_brute_force(rankings: list[tuple[list[int], list[int]]]) -> None:
    items, ranks = (list(column) for column in zip(*rankings, strict=True))
    order = from_ranking_dataset(ranking_dataset(line(6), items, ranks))
    expected = dict.fromkeys(sorted({i for listed in items for i in listed}), (0.0, 0.0))
    for listed, places in rankings:
        for one, other in itertools.permutations(range(4), 2):
            k, n = expected[listed[one]]
            lost = 0.5 if places[one] == places[other] else float(places[other] < places[one])
            expected[listed[one]] = k + lost, n + 1
    assert as_records(order) == [((float(i),), *expected[i]) for i in expected]
    assert (order.num_lists, order.num_tasks) == (len(rankings), 1)


def test_equal_rows_are_one_item_and_unused_ones_left_out(tkwargs: dict[str, Any]) -> None:
    values = torch.tensor([[1.0], [0.0], [-0.0], [9.0]], **tkwargs)
    order = from_ranking_dataset(ranking_dataset(values, [[0, 1], [2, 0]], [[0, 1], [1, 0]]))
    assert as_records(order) == [((0.0,), 2.0, 2.0), ((1.0,), 0.0, 2.0)]
    assert order.X.dtype == order.score.dtype == tkwargs["dtype"]
    assert order.X.device.type == tkwargs["device"].type


@pytest.mark.parametrize("listed", [[0, 0], [1, 2]])
def test_a_repeated_item_says_what_to_do(listed: list[int]) -> None:
    values = tensor([[3.0], [0.0], [-0.0]])
    with pytest.raises(InputDataError, match="holds an item, or an equal one, twice"):
        from_ranking_dataset(ranking_dataset(values, [[0, 1], listed], [[0, 1], [0, 1]]))
