"""What all sources of indices have in common, the messages about bad ones first of all."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from botorch.exceptions import BotorchTensorDimensionError, InputDataError
from helpers.ranking import INF, NAN, assert_kind, assert_same, line, tensor
from torch import Tensor

from botorch_popbo import Order, RankCounts, data

Source = Callable[[Tensor, Tensor], Order]

NO_PAIRS = torch.zeros(0, 2, dtype=torch.long)
# Each source takes a pair of indices.
SOURCES: dict[str, Source] = {
    "ordering": data.from_ordering,
    "top": lambda X, pair: data.from_top_k(X, pair, []),
    "rest": lambda X, pair: data.from_top_k(X, [2], pair),
    "comparisons": lambda X, pair: data.from_comparisons(X, pair[None]),
    "ties": lambda X, pair: data.from_comparisons(X, NO_PAIRS.to(X.device), pair[None]),
}
PAIR = torch.tensor([0, 1])


@pytest.fixture(params=SOURCES)
def name(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def source(name: str) -> Source:
    return SOURCES[name]


@pytest.mark.parametrize(
    ("pair", "match"),
    [
        *((torch.tensor([0, i]), f"holds the index {i}.*X has 3 rows") for i in (-1, 3, 10**9)),
        (PAIR.double(), "must hold integers.*is of dtype torch.float64"),
        (PAIR.bool(), r"must hold integers.*of dtype torch.bool.*nonzero\(\)"),
        (PAIR.cfloat(), "must hold integers.*is of dtype torch.complex64"),
        (PAIR.to("meta"), r"must be on the device of X, but is on meta.*.to\(X.device\)"),
    ],
)
def test_bad_indices_say_what_to_do(name: str, pair: Tensor, match: str) -> None:
    with pytest.raises(InputDataError, match=f"{name.split()[-1]} {match}"):
        SOURCES[name](line(3), pair)


@pytest.mark.parametrize(
    ("X", "error", "match"),
    [
        *((tensor([[0.0], [1.0], [x]]), InputDataError, "X holds NaN or inf") for x in (NAN, INF)),
        (line(3).long(), InputDataError, r"X holds torch.int64.*X.double\(\)"),
        *(
            (torch.zeros(shape), BotorchTensorDimensionError, "X of shape N x d, one row for each")
            for shape in ((3,), (3, 0), (2, 3, 1))
        ),
    ],
)
def test_bad_items_say_what_to_do(
    source: Source, X: Tensor, error: type[Exception], match: str
) -> None:
    with pytest.raises(error, match=match):
        source(X, PAIR)


@pytest.mark.parametrize("dtype", [torch.int32, torch.uint8])
def test_any_integer_dtype_will_do(source: Source, dtype: torch.dtype) -> None:
    assert_same(source(line(3), PAIR.to(dtype)), source(line(3), PAIR))


def test_dtype_and_device_are_kept_and_gradients_are_not(
    source: Source, tkwargs: dict[str, Any]
) -> None:
    X = torch.arange(3.0, **tkwargs).unsqueeze(-1).requires_grad_()
    order = source(X, PAIR.to(X.device))
    assert order.X.dtype == tkwargs["dtype"]
    assert not order.X.requires_grad
    assert_kind(RankCounts.from_order(order), tkwargs)
