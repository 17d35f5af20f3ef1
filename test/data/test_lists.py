import itertools
from typing import Any

import torch
from helpers.ranking import as_records, assert_same, line, ranking_dataset, tensor, unmeasured
from hypothesis import given
from hypothesis import strategies as st

from botorch_popbo.data import from_ordering, from_outcomes, from_ranking_dataset, from_top_k


@given(st.integers(2, 12).flatmap(lambda n: st.permutations(range(n))))
def test_complete_lists_are_the_outcomes_that_sort_them(ordering: list[int]) -> None:
    X = tensor([[(7.0 * i) % 5, float(i)] for i in range(len(ordering))])
    Y = torch.empty(len(ordering), 1, dtype=torch.float64)
    Y[ordering] = -line(len(ordering)).exp()
    for listed in (ordering, torch.tensor(ordering)):
        order = from_ordering(X, listed)
        assert order.agrees_with(unmeasured(from_outcomes(X, Y)))
        assert not order.agrees_with(from_outcomes(X, Y))
        assert as_records(order) == as_records(from_outcomes(X, Y))


@given(st.permutations(range(8)), st.integers(1, 8), st.integers(0, 8))
def test_top_lists_match_brute_force(permutation: list[int], num_top: int, num_rest: int) -> None:
    top, rest = permutation[:num_top], permutation[num_top:][:num_rest]
    if len(top) + len(rest) < 2:
        rest = permutation[1:]
    expected = [((float(i),), float(k), len(top + rest) - 1.0) for k, i in enumerate(top)]
    # All that a remaining item met are the top ones, and it lost to each.
    expected += [((float(i),), float(len(top)), float(len(top))) for i in rest]
    order = from_top_k(line(8), top, rest)
    assert as_records(order) == sorted(expected)
    assert order.X[order.item[order.is_censored]].squeeze(-1).tolist() == sorted(rest)
    assert_same(
        from_top_k(line(8), torch.tensor(top), torch.tensor(rest[::-1], dtype=torch.long)), order
    )


def test_equal_items_may_be_there_if_one_is_listed() -> None:
    assert from_ordering(tensor([[0.0], [5.0], [-0.0]]), [0, 1]).num_points == 2


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
