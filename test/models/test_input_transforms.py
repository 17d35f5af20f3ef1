from collections.abc import Mapping, Sequence
from typing import Any

import pytest
import torch

from botorch_popbo.models.input_transforms import InactiveColumns, OneHotCategories


def test_numeric_columns_are_kept_and_one_hot_columns_come_last(tkwargs: dict[str, Any]) -> None:
    transform = OneHotCategories(4, {2: (5.0, 7.0), 0: (-1.0, 0.5, 3.0)})
    X = torch.tensor([[0.5, 10.0, 5.0, -2.0], [3.0, 11.0, 7.0, -3.0]], **tkwargs)
    encoded = transform(X)
    # Numeric columns 1 and 3; then column 2 and column 0, in the order of the mapping.
    expected = [[10.0, -2.0, 1, 0, 0, 1, 0], [11.0, -3.0, 0, 1, 0, 0, 1]]
    assert encoded.tolist() == expected
    assert encoded.dtype == tkwargs["dtype"]
    assert encoded.device.type == tkwargs["device"].type
    (gradient,) = torch.autograd.grad(transform(X.requires_grad_()).sum(), X)
    assert gradient.tolist() == [[0.0, 1.0, 0.0, 1.0]] * 2


def test_values_in_between_are_the_nearest_category() -> None:
    transform = OneHotCategories(1, {0: (0.0, 1.0, 10.0)})
    encoded = transform(torch.tensor([[-3.0], [0.4], [0.6], [5.0], [6.0], [99.0]]))
    assert encoded.argmax(-1).tolist() == [0, 0, 1, 1, 2, 2]
    assert (encoded.sum(-1) == 1.0).all()


@pytest.mark.parametrize(
    ("d", "categories"),
    [(2, {2: (0.0, 1.0)}), (2, {-1: (0.0, 1.0)}), (2, {0: (1.0,)}), (2, {0: (1.0, 1.0)})],
)
def test_columns_that_are_not_categorical_are_refused(
    d: int, categories: Mapping[int, Sequence[float]]
) -> None:
    with pytest.raises(ValueError, match=rf"Column {next(iter(categories))} of 2 .* categorical"):
        OneHotCategories(d, categories)


def test_categories_may_be_as_far_apart_as_the_ends_of_the_unit_interval() -> None:
    transform = OneHotCategories(2, {1: (0.0, 1.0, 5.0)}, scale=2**-0.5)
    encoded = transform(torch.tensor([[0.0, 0.0], [0.0, 5.0], [1.0, 5.0]]))
    assert torch.cdist(encoded[:1], encoded[1:2]).item() == pytest.approx(1.0)
    assert torch.cdist(encoded[1:2], encoded[2:]).item() == pytest.approx(1.0)


def test_inactive_columns_tell_no_points_apart() -> None:
    # Column 0 has column 1 beside the value 1, which has columns 2 and 3 beside 0 and 2.
    dependents = {0: {1.0: [1]}, 1: {0.0: [2], 2.0: [3]}}
    transform = InactiveColumns(dependents, {1: 7.0, 2: 8.0, 3: 9.0})
    X = torch.tensor(
        [
            [0.0, 0.0, 0.3, 0.4],
            [1.0, 0.0, 0.3, 0.4],
            [1.0, 1.0, 0.3, 0.4],
            [1.0, 2.0, 0.3, 0.4],
        ],
        requires_grad=True,
    )
    expected = torch.tensor(
        [
            [0.0, 7.0, 8.0, 9.0],
            [1.0, 0.0, 0.3, 9.0],
            [1.0, 1.0, 8.0, 9.0],
            [1.0, 2.0, 8.0, 0.4],
        ]
    )
    encoded = transform(X)
    assert torch.equal(encoded, expected)
    assert torch.equal(transform(X.expand(2, 4, 4)), expected.expand(2, 4, 4))
    assert torch.equal(transform(encoded), expected)
    [gradient] = torch.autograd.grad(encoded.sum(), X)
    assert torch.equal(gradient, (encoded == X).to(X))
    large = InactiveColumns({0: {1e6 + 1.0: [1]}}, {1: 7.0})
    assert large(torch.tensor([[1e6, 0.0], [1e6 + 1.0, 0.0]]))[:, 1].tolist() == [7.0, 0.0]


def test_transforms_are_equal_if_they_do_the_same() -> None:
    categories = {0: (0.0, 1.0)}
    one_hot = OneHotCategories(2, categories)
    assert one_hot.equals(OneHotCategories(2, categories))
    assert not one_hot.equals(OneHotCategories(2, {0: (0.0, 1.0, 5.0)}))
    assert not one_hot.equals(OneHotCategories(2, categories, scale=0.5))
    inactive = InactiveColumns({0: {1.0: [1]}}, {1: 0.0})
    assert inactive.equals(InactiveColumns({0: {1.0: [1]}}, {1: 0.0}))
    assert not inactive.equals(InactiveColumns({0: {0.0: [1]}}, {1: 0.0}))
    assert not inactive.equals(InactiveColumns({0: {1.0: [1]}}, {1: 0.5}))
    assert not inactive.equals(one_hot)
