from typing import Any

import torch
from helpers.ranking import EXTREME, tensor
from hypothesis import given
from hypothesis import strategies as st

from botorch_popbo.data._rows import distinct_rows, lexicographic_order, points_at

ROWS = st.lists(
    st.one_of(
        st.tuples(st.integers(-1, 1).map(float), st.sampled_from([-0.0, 0.0, 1.0])),
        st.tuples(EXTREME, EXTREME),
    ),
    max_size=20,
)


@given(ROWS)
def test_order_is_that_of_sorted_tuples(rows: list[tuple[float, float]]) -> None:
    X = tensor(rows).reshape(-1, 2)
    order = lexicographic_order(*X.unbind(-1)).tolist()
    assert order == sorted(range(len(rows)), key=lambda i: rows[i])


@given(ROWS)
def test_distinct_rows_match_a_set_of_tuples(rows: list[tuple[float, float]]) -> None:
    X = tensor(rows).reshape(-1, 2)
    distinct = distinct_rows(*X.unbind(-1))
    expected = sorted(set(rows))
    assert [rows[i] for i in distinct.rows] == expected
    assert [expected[i] for i in distinct.inverse] == rows
    assert distinct.copies.tolist() == [rows.count(row) for row in expected]


def test_columns_may_be_of_different_kinds(tkwargs: dict[str, Any]) -> None:
    labels = torch.tensor([1, 0, 1, 1], device=tkwargs["device"])
    distinct = distinct_rows(labels, torch.tensor([2.0, 2.0, 2.0, 1.0], **tkwargs))
    assert distinct.inverse.tolist() == [2, 0, 2, 1]


def test_points_have_no_negative_zeros() -> None:
    X = torch.tensor([[-0.0], [-1.0]], requires_grad=True)
    points = points_at(X, torch.tensor([0, 1]))
    assert points.signbit().tolist() == [[False], [True]]
    assert not points.requires_grad
