"""Errors that every source of indices shares."""

from collections.abc import Callable

import pytest
import torch
from botorch.exceptions import BotorchTensorDimensionError, InputDataError
from helpers.ranking import INF, NAN, assert_same, line, tensor
from torch import Tensor

from botorch_popbo import Order
from botorch_popbo.data import (
    from_adaptive_comparisons,
    from_comparisons,
    from_ordering,
    from_top_k,
)

Source = Callable[[Tensor, Tensor], Order]

# Each source takes a pair of indices.
SOURCES: dict[str, Source] = {
    "ordering": from_ordering,
    "top": lambda X, pair: from_top_k(X, pair, []),
    "rest": lambda X, pair: from_top_k(X, [2], pair),
    "comparisons": lambda X, pair: from_comparisons(X, pair[None]),
    "ties": lambda X, pair: from_comparisons(X, torch.zeros(0, 2).long(), pair[None]),
    "adaptive comparisons": lambda X, pair: from_adaptive_comparisons(X, pair[None]),
}


@pytest.fixture(params=SOURCES)
def source(request: pytest.FixtureRequest) -> Source:
    return SOURCES[request.param]


@pytest.fixture
def name(request: pytest.FixtureRequest) -> str:
    """What the source calls its indices."""
    return str(request.node.callspec.params["source"]).split()[-1]


@pytest.mark.parametrize("index", [-1, 3, 10**9])
def test_indices_out_of_range_say_what_to_do(source: Source, name: str, index: int) -> None:
    with pytest.raises(InputDataError, match=f"{name} holds the index {index}.*X has 3 rows"):
        source(line(3), torch.tensor([0, index]))


@pytest.mark.parametrize("dtype", [torch.float64, torch.bool, torch.complex64])
def test_indices_of_other_kinds_say_what_to_do(
    source: Source, name: str, dtype: torch.dtype
) -> None:
    with pytest.raises(InputDataError, match=rf"{name} must hold integer indices.*{name}.long\(\)"):
        source(line(3), torch.tensor([0, 1]).to(dtype))


def test_indices_of_another_device_say_what_to_do(source: Source, name: str) -> None:
    with pytest.raises(InputDataError, match=rf"{name} must be on the device of X"):
        source(line(3), torch.tensor([0, 1], device="meta"))


@pytest.mark.parametrize("value", [NAN, INF, -INF])
def test_items_must_be_finite(source: Source, value: float) -> None:
    with pytest.raises(InputDataError, match=r"X holds NaN or infinite values. Remove or repair"):
        source(tensor([[0.0], [1.0], [value]]), torch.tensor([0, 1]))


def test_items_must_be_real_numbers(source: Source) -> None:
    with pytest.raises(InputDataError, match=r"X must be of a floating-point dtype.*X.double\(\)"):
        source(line(3).long(), torch.tensor([0, 1]))


@pytest.mark.parametrize("shape", [(3,), (3, 0), (2, 3, 1)])
def test_items_must_be_rows(source: Source, shape: tuple[int, ...]) -> None:
    with pytest.raises(BotorchTensorDimensionError, match=r"X of shape N x d, one row for each"):
        source(torch.zeros(shape), torch.tensor([0, 1]))


def test_any_integer_dtype_will_do(source: Source) -> None:
    indices = torch.tensor([0, 1])
    expected = source(line(3), indices)
    for dtype in (torch.int32, torch.uint8):
        assert_same(source(line(3), indices.to(dtype)), expected)
