import itertools
from dataclasses import fields, replace
from typing import Any

import pytest
import torch
from botorch.exceptions import BotorchTensorDimensionError, InputDataError
from helpers.ranking import (
    INF,
    POINTS,
    WHOLE,
    Point,
    as_records,
    assert_kind,
    assert_same,
    brute_force,
    line,
    tensor,
)
from hypothesis import assume, given
from hypothesis import strategies as st

from botorch_popbo import Order
from botorch_popbo.data import (
    combine,
    from_comparisons,
    from_groups,
    from_ordering,
    from_outcomes,
    from_top_k,
)

ENTRIES = [field.name for field in fields(Order)][1:]
RECORDS = st.lists(st.tuples(POINTS, WHOLE), min_size=2, max_size=8)


def pairs(*answers: tuple[int, int]) -> Order:
    return from_comparisons(line(3), torch.tensor(answers))


def scored(*scores: float, variance: float = 0.0) -> Order:
    values = tensor(scores)
    return Order.from_scores(line(len(scores)), values, torch.full_like(values, variance))


@pytest.mark.parametrize("name", ["X", *ENTRIES])
def test_constructor_checks_shapes(name: str) -> None:
    order = scored(1, 2, 3)
    with pytest.raises(BotorchTensorDimensionError, match="X of shape m x d and entries of one s"):
        replace(order, **{name: getattr(order, name)[..., None][:2]})


def test_a_list_of_one_point_says_what_to_do() -> None:
    with pytest.raises(InputDataError, match="A list of one point compares nothing"):
        replace(scored(1, 2, 3), list_index=torch.tensor([0, 0, 1]))


def test_scores_are_one_exact_list(tkwargs: dict[str, Any]) -> None:
    order = Order.from_scores(torch.zeros(3, 2, **tkwargs), torch.ones(3, **tkwargs))
    assert_kind(order, tkwargs)
    assert order.item.tolist() == [0, 1, 2]
    assert not any(getattr(order, name).any() for name in ENTRIES[2:])
    assert repr(order) == "Order(3 points in 2 dimensions, 1 lists in 1 tasks)"


def test_sizes() -> None:
    order = from_groups(line(6) % 4, line(6), torch.tensor([7, 7, 7, 9, 9, 9]))
    assert (order.num_points, order.num_lists, order.num_tasks) == (4, 2, 2)
    nothing = Order.from_scores(torch.zeros(0, 1), torch.zeros(0))
    assert (nothing.num_points, nothing.num_lists, nothing.num_tasks) == (0, 0, 0)


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        (scored(2, 2, 2), True),
        (scored(-INF, -INF), True),
        (scored(1, 1, variance=1.0), True),
        (scored(2, 2, 1), False),
        (from_comparisons(line(3), torch.zeros(0, 2).long(), torch.tensor([[0, 1]])), True),
        (from_comparisons(line(3), torch.tensor([[0, 2]]), torch.tensor([[0, 1]])), False),
        (from_top_k(line(3), [0], [1, 2]), False),
        (from_groups(line(4), tensor([1.0, 1, 2, 2]), torch.tensor([0, 0, 1, 1])), True),
    ],
)
def test_an_order_without_a_winner_says_nothing(order: Order, expected: bool) -> None:
    assert order.says_nothing is expected


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (scored(3, 1, 2), scored(30, -5, 7), True),
        (scored(1, 1, 0), scored(5, 5, -INF), True),
        (scored(3, 1, 2), from_ordering(line(3), [0, 2, 1]), True),
        (scored(3, 1, 2), scored(3, 2, 1), False),
        (scored(1, 1, 0), scored(2, 1, 0), False),
        (scored(3, 1), scored(3, 1, 2), False),
        (scored(3, 1), scored(3, 1, variance=1.0), False),
        (scored(3, 1, variance=1.0), scored(3, 1, variance=1.0), False),
        (scored(1, 0), replace(scored(1, 0), X=line(2) + 1), False),
        (scored(1, 0), replace(scored(1, 0), X=line(2).expand(2, 2)), False),
        (scored(1, 0, 0), from_top_k(line(3), [0], [1, 2]), False),
        (pairs((0, 1), (1, 2)), pairs((0, 1), (1, 2)), True),
        (pairs((0, 1), (1, 2)), pairs((0, 1), (2, 1)), False),
        (pairs((0, 1), (1, 2)), pairs((0, 1), (1, 2), (1, 2)), False),
    ],
)
def test_orders_agree_that_say_the_same(one: Order, other: Order, expected: bool) -> None:
    assert one.agrees_with(other) is other.agrees_with(one) is expected


def test_an_answer_repeated_is_not_the_answer() -> None:
    once, often = pairs((0, 1)), pairs(*[(0, 1)] * 50)
    assert not often.agrees_with(once)
    assert (once.num_lists, often.num_lists) == (1, 50)
    assert as_records(often) == [(x, 50 * k, 50 * n) for x, k, n in as_records(once)]


def test_tasks_matter_for_agreement() -> None:
    one = from_groups(line(4), line(4), torch.tensor([0, 0, 1, 1]))
    assert not one.agrees_with(replace(one, task_index=torch.zeros_like(one.task_index)))


def test_to_a_tensor_keeps_the_precision_of_scores(tkwargs: dict[str, Any]) -> None:
    order = scored(1.0, 1.0 + 1e-15)
    moved = order.to(torch.zeros(0, **tkwargs))
    assert moved.X.dtype == tkwargs["dtype"]
    assert {getattr(moved, name).device.type for name in ENTRIES} == {tkwargs["device"].type}
    assert torch.equal(moved.score.cpu(), order.score)
    assert moved.to(torch.zeros(0, **tkwargs)) is moved


class TestCombine:
    def test_records_come_one_after_another(self, tkwargs: dict[str, Any]) -> None:
        X = torch.arange(4.0, **tkwargs).unsqueeze(-1)
        outcomes, ordering = from_outcomes(X, X), from_ordering(X + 2.0, [3, 0])
        order = combine(outcomes, ordering)
        assert as_records(order) == as_records(outcomes) + as_records(ordering)
        assert (order.num_points, order.num_lists, order.num_tasks) == (5, 2, 2)
        assert_kind(order, tkwargs)

    @given(st.lists(RECORDS, min_size=1, max_size=3))
    def test_tasks_match_brute_force(self, tasks: list[list[tuple[Point, float]]]) -> None:
        assume(all(len({x for x, _ in task}) >= 2 for task in tasks))
        columns = [([x for x, _ in task], [y for _, y in task]) for task in tasks]
        order = combine(*(from_outcomes(tensor(X), tensor(Y)) for X, Y in columns))
        counts = [brute_force(X, Y) for X, Y in columns]
        expected = [(x, float(c[x]), len(c) - 1.0) for c in counts for x in sorted(c)]
        assert as_records(order) == expected
        assert [tuple(x) for x in order.X.tolist()] == sorted(set(itertools.chain(*counts)))

    def test_everything_known_of_the_entries_is_kept(self) -> None:
        noisy = from_outcomes(line(2), line(2), tensor([1.0, 2.0]))
        order = combine(pairs((0, 1), (1, 2)), noisy, from_top_k(line(3) + 1, [0], [1, 2]))
        assert order.variance.tolist() == [0.0] * 4 + [1.0, 2.0] + [0.0] * 3
        assert order.is_censored.tolist() == [False] * 7 + [True] * 2
        assert order.list_index.tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 3]
        assert order.task_index.tolist() == [0, 0, 0, 0, 1, 1, 2, 2, 2]
        assert order.X[order.item].squeeze(-1).tolist() == [0, 1, 1, 2, 0, 1, 1, 2, 3]

    def test_one_source_and_empty_ones_change_nothing(self) -> None:
        order, empty = from_outcomes(line(3), line(3)), scored()
        assert_same(combine(order), order)
        assert_same(combine(empty, order, empty), order)

    def test_no_order_says_what_to_do(self) -> None:
        with pytest.raises(InputDataError, match=r"no order to combine. Pass at least one"):
            combine()

    def test_different_columns_say_what_to_do(self) -> None:
        wide = from_outcomes(line(3).expand(-1, 2), line(3))
        with pytest.raises(BotorchTensorDimensionError, match=r"have \[1, 2\] columns. Describe a"):
            combine(from_outcomes(line(3), line(3)), wide)

    @pytest.mark.parametrize("other", [torch.float32, torch.float16])
    def test_different_dtypes_say_what_to_do(self, other: torch.dtype) -> None:
        order = from_outcomes(line(3), line(3))
        match = f"{other} on cpu and torch.float64 on cpu. Convert the points before ranking"
        with pytest.raises(InputDataError, match=match):
            combine(order, order.to(torch.zeros(0, dtype=other)))
