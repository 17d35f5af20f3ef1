"""What all sources have in common."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from helpers import ranking
from helpers.ranking import INF, OF_INDICES, OF_OUTCOMES, POINTS, Point, tensor, unmeasured
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from torch import Tensor

from botorch_popbo import Order, data

#: Sources that here have no more to say than the order of the outcomes.
NOTHING_NEW: dict[str, Callable[[Tensor, Tensor], Order]] = {
    "unknown noise": lambda X, Y: data.from_outcomes(X, Y, torch.full_like(Y, torch.nan)),
    "one group": ranking.one_group,
    "on the bounds": ranking.violating(0.0, 1),
    "within the bounds": ranking.violating(-0.5, 3),
    "no constraints": ranking.violating(0.0, 0),
    "one objective": data.from_objectives,
    "one objective twice": lambda X, Y: data.from_objectives(X, Y.expand(-1, 2)),
}
X = tensor([[1.0, 5.0], [-0.0, 2.0], [1.0, 5.0], [-1.0, 0.0]])
Y = tensor([[3.0], [2.0], [1.5], [-INF]])
PAIR = torch.tensor([0, 1])


@pytest.mark.parametrize("source", OF_OUTCOMES.values(), ids=OF_OUTCOMES)
def test_dtype_and_device_are_kept_and_gradients_are_not(
    source: Callable[..., Any], tkwargs: dict[str, Any]
) -> None:
    points, outcomes = X.to(**tkwargs), Y.to(**tkwargs)
    before = points.clone(), outcomes.clone()
    found = source(points.requires_grad_(), outcomes.requires_grad_())
    ranking.assert_kind(found, tkwargs)
    assert not any(getattr(v, "requires_grad", False) for v in vars(found).values())
    assert found.X.tolist() == sorted(found.X.tolist())
    assert torch.equal(points, before[0])
    assert torch.equal(outcomes, before[1])


@pytest.mark.parametrize("source", OF_INDICES.values(), ids=OF_INDICES)
def test_items_keep_their_dtype_and_indices_may_have_any(
    source: Callable[..., Order], tkwargs: dict[str, Any]
) -> None:
    items = torch.arange(3.0, **tkwargs).unsqueeze(-1).requires_grad_()
    order = source(items, PAIR.to(items.device))
    ranking.assert_kind(order, tkwargs)
    assert not order.X.requires_grad
    for dtype in (torch.int32, torch.uint8):
        ranking.assert_same(source(items, PAIR.to(items.device, dtype)), order)


@pytest.mark.parametrize("name", sorted(OF_OUTCOMES.keys() - {"objectives"}))
def test_outcomes_may_be_a_column_or_a_vector(name: str) -> None:
    ranking.assert_same(OF_OUTCOMES[name](X, Y), OF_OUTCOMES[name](X, Y.squeeze(-1)))


@pytest.mark.parametrize("name", NOTHING_NEW)
@settings(max_examples=50)
@given(st.lists(st.tuples(POINTS, ranking.EXTREME), min_size=2, max_size=15))
def test_what_says_nothing_new_is_the_order_of_the_outcomes(
    name: str, records: list[tuple[Point, float]]
) -> None:
    points, outcomes = (tensor(column) for column in zip(*records, strict=True))
    assume(points.unique(dim=0).shape[0] >= 2)
    found = NOTHING_NEW[name](points, outcomes.unsqueeze(-1))
    order = data.from_outcomes(points, outcomes)
    assert unmeasured(found).agrees_with(unmeasured(order))
    assert ranking.as_records(found) == ranking.as_records(order)


@pytest.mark.parametrize("name", OF_OUTCOMES)
@settings(max_examples=50)
@given(st.lists(st.tuples(POINTS, ranking.WHOLE), max_size=12), st.randoms())
def test_the_order_of_evaluations_does_not_matter(
    name: str, records: list[tuple[Point, float]], random: Any
) -> None:
    records = [((8.0, 8.0), 1.0), ((8.0, 8.0), 1.7), ((9.0, 9.0), 0.1), *records]
    shuffled = random.sample(records, len(records))
    first, second = (
        OF_OUTCOMES[name](*(tensor(column) for column in zip(*r, strict=True)))
        if name != "objectives"
        else data.from_objectives(tensor([x for x, _ in r]), tensor([[y, -abs(y)] for _, y in r]))
        for r in (records, shuffled)
    )
    ranking.assert_same(first, second)
