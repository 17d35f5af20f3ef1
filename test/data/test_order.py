import math
from dataclasses import fields, replace
from typing import Any

import pytest
import torch
from helpers.ranking import INF, as_records, assert_kind, assert_same, brute_force, line, tensor

from botorch_popbo import Order, data

ENTRIES = [field.name for field in fields(Order)][1:]


def pairs(*answers: tuple[int, int]) -> Order:
    return data.from_comparisons(line(3), torch.tensor(answers))


def scored(*scores: float, variance: float = math.nan) -> Order:
    values = tensor(scores)
    return Order.from_scores(line(len(scores)), values, torch.full_like(values, variance))


def test_scores_are_one_exact_list(tkwargs: dict[str, Any]) -> None:
    order = Order.from_scores(torch.zeros(3, 2, **tkwargs), torch.ones(3, **tkwargs))
    assert_kind(order, tkwargs)
    assert order.item.tolist() == [0, 1, 2]
    assert order.variance.isnan().all()
    assert (order.judge_noise == 1.0).all()
    assert not any(getattr(order, name).any() for name in ENTRIES[3:-1])
    assert repr(order) == "Order(3 points in 2 dimensions, 1 lists in 1 tasks)"


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        (scored(2, 2, 2), True),
        (scored(-INF, -INF), True),
        (scored(1, 1, variance=1.0), True),
        (scored(2, 2, 1), False),
        (data.from_comparisons(line(3), torch.zeros(0, 2).long(), torch.tensor([[0, 1]])), True),
        (data.from_comparisons(line(3), torch.tensor([[0, 2]]), torch.tensor([[0, 1]])), False),
        (data.from_top_k(line(3), [0], [1, 2]), False),
        (data.from_groups(line(4), tensor([1.0, 1, 2, 2]), torch.tensor([0, 0, 1, 1])), True),
    ],
)
def test_an_order_without_a_winner_says_nothing(order: Order, expected: bool) -> None:
    assert order.says_nothing is expected


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (scored(3, 1, 2), scored(30, -5, 7), True),
        (scored(1, 1, 0), scored(5, 5, -INF), True),
        (scored(3, 1, 2), data.from_ordering(line(3), [0, 2, 1]), True),
        (scored(3, 1, 2), scored(3, 2, 1), False),
        (scored(1, 1, 0), scored(2, 1, 0), False),
        (scored(3, 1), scored(3, 1, 2), False),
        (scored(3, 1), scored(3, 1, variance=1.0), False),
        (scored(3, 1), scored(3, 1, variance=0.0), False),
        (scored(3, 1, variance=1.0), scored(3, 1, variance=1.0), False),
        (scored(1, 0), replace(scored(1, 0), X=line(2) + 1), False),
        (scored(1, 0), replace(scored(1, 0), X=line(2).expand(2, 2)), False),
        (scored(1, 0, 0), data.from_top_k(line(3), [0], [1, 2]), False),
        (scored(1, 1), replace(scored(1, 1), is_draw=torch.ones(2).bool()), False),
        (scored(1, 0), replace(scored(1, 0), judge_noise=tensor([1, 2])), False),
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
    one = data.from_groups(line(4), line(4), torch.tensor([0, 0, 1, 1]))
    assert not one.agrees_with(replace(one, task_index=torch.zeros_like(one.task_index)))


def test_to_a_tensor_keeps_the_precision_of_scores(tkwargs: dict[str, Any]) -> None:
    order = scored(1.0, 1.0 + 1e-15)
    moved = order.to(torch.zeros(0, **tkwargs))
    assert moved.X.dtype == tkwargs["dtype"]
    assert {getattr(moved, name).device.type for name in ENTRIES} == {tkwargs["device"].type}
    assert torch.equal(moved.score.cpu(), order.score)
    assert moved.to(torch.zeros(0, **tkwargs)) is moved


def test_combined_tasks_come_one_after_another(tkwargs: dict[str, Any]) -> None:
    generator, kinds = torch.Generator().manual_seed(0), []
    for num_points in (5, 2, 9):
        X = torch.randint(3, (num_points, 2), generator=generator).double()
        X[:2] = tensor([[0.0, 0.0], [1.0, 1.0]])
        kinds.append((X, torch.randint(4, (num_points,), generator=generator).double()))
    order = data.combine(*(data.from_outcomes(X.to(**tkwargs), Y.to(**tkwargs)) for X, Y in kinds))
    counts = [brute_force([tuple(x) for x in X.tolist()], Y.tolist()) for X, Y in kinds]
    expected = [(x, float(c[x]), len(c) - 1.0) for c in counts for x in sorted(c)]
    assert as_records(order) == expected
    assert [tuple(x) for x in order.X.tolist()] == sorted(set().union(*counts))
    assert (order.num_lists, order.num_tasks) == (3, 3)
    assert_kind(order, tkwargs)


def test_everything_known_of_combined_entries_is_kept() -> None:
    noisy = data.from_outcomes(line(2), line(2), tensor([1.0, 2.0]))
    top = data.from_top_k(line(3) + 1, [0], [1, 2])
    order = data.combine(pairs((0, 1), (1, 2)), noisy, top)
    known = order.variance[4:6]
    assert known.tolist() == [1.0, 2.0]
    assert order.variance.isnan().sum() == 7, "of all others nothing is known"
    assert order.is_censored.tolist() == [False] * 7 + [True] * 2
    assert order.list_index.tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 3]
    assert order.task_index.tolist() == [0, 0, 0, 0, 1, 1, 2, 2, 2]
    assert order.X[order.item].squeeze(-1).tolist() == [0, 1, 1, 2, 0, 1, 1, 2, 3]


def test_one_source_and_empty_ones_change_nothing() -> None:
    order = scored(3, 1, 2)
    assert_same(data.combine(order), order)
    assert_same(data.combine(scored(), order, scored()), order)
