"""Points, outcomes and plain-Python ranks for tests of the sources of orders."""

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from fractions import Fraction
from typing import Any

import torch
from botorch.utils.containers import SliceContainer
from botorch.utils.datasets import RankingDataset
from hypothesis import strategies as st
from torch import Tensor

from botorch_popbo import Order, RankCounts, data
from botorch_popbo.paper.base_set import from_base_set

Point = tuple[float, ...]
INF = math.inf
NAN = math.nan

# Whole outcomes, so that the mean of replicates has no rounding of its own; a few of them, to tie.
WHOLE = st.one_of(st.integers(-5, 5).map(float), st.just(-INF))
POINTS = st.tuples(st.integers(0, 2).map(float), st.integers(0, 2).map(float))
EXTREME = st.one_of(
    st.sampled_from([1e300, -1e300, 1e-300, -1e-300, 0.0, -0.0, 5e-324, 1.7e308, -INF]),
    st.floats(allow_nan=False, allow_infinity=False),
)


def one_group(X: Tensor, Y: Tensor) -> Order:
    return data.from_groups(X, Y, torch.full(X.shape[:1], -7, dtype=torch.long, device=X.device))


def violating(value: float, num_constraints: int) -> Callable[[Tensor, Tensor], Order]:
    return lambda X, Y: data.from_constrained_outcomes(
        X, Y, torch.full((len(X), num_constraints), value).to(X)
    )


#: What takes points and outcomes.
OF_OUTCOMES: dict[str, Callable[[Tensor, Tensor], Order | RankCounts]] = {
    "outcomes": data.from_outcomes,
    "variances": lambda X, Y: data.from_outcomes(X, Y, torch.ones_like(Y)),
    "replicates": data.from_replicates,
    "groups": one_group,
    "constraints": violating(1.0, 2),
    "objectives": data.from_objectives,
    "base set": lambda X, Y: from_base_set(X, Y, torch.Generator().manual_seed(0)),
}
NO_PAIR = torch.zeros(0, 2, dtype=torch.long)
#: What takes items and a pair of indices.
OF_INDICES: dict[str, Callable[[Tensor, Tensor], Order]] = {
    "ordering": data.from_ordering,
    "top": lambda X, pair: data.from_top_k(X, pair, []),
    "rest": lambda X, pair: data.from_top_k(X, [2], pair),
    "comparisons": lambda X, pair: data.from_comparisons(X, pair[None]),
    "ties": lambda X, pair: data.from_comparisons(X, NO_PAIR.to(X.device), pair[None]),
}


def means(X: Sequence[Point], Y: Sequence[float]) -> dict[Point, Any]:
    """The exact mean outcome of every distinct point."""
    outcomes: dict[Point, list[float]] = defaultdict(list)
    for point, outcome in zip(X, Y, strict=True):
        outcomes[point].append(outcome)
    return {
        point: -INF if -INF in values else sum(map(Fraction, values)) / len(values)
        for point, values in outcomes.items()
    }


def brute_force(X: Sequence[Point], Y: Sequence[float]) -> dict[Point, int]:
    """Every distinct point's number of strictly better points, by comparing all pairs."""
    mean = means(X, Y)
    return {p: sum(mean[other] > mean[p] for other in mean) for p in mean}


def tensor(values: Any, **tkwargs: Any) -> Tensor:
    return torch.tensor(values, **({"dtype": torch.float64} | tkwargs))


def line(num_points: int) -> Tensor:
    """Distinct points, in lexicographic order."""
    return torch.arange(num_points, dtype=torch.float64).unsqueeze(-1)


def ranking_dataset(
    values: Tensor, indices: list[list[int]], ranks: list[list[int]]
) -> RankingDataset:
    return RankingDataset(
        X=SliceContainer(
            values=values,
            indices=torch.tensor(indices),
            event_shape=torch.Size([len(indices[0]) * values.shape[-1]]),
        ),
        Y=torch.tensor(ranks),
        feature_names=[f"f{i}" for i in range(values.shape[-1])],
        outcome_names=["ranking"],
    )


def unmeasured(order: Order) -> Order:
    """The same order, which does not say how far apart the points are."""
    return replace(order, is_measured=torch.zeros_like(order.is_measured))


def as_dict(data: Order | RankCounts) -> dict[Point, float]:
    """The count of each point, for data with one record per point."""
    records = as_records(data)
    assert len({point for point, _, _ in records}) == len(records)
    return {point: k for point, k, _ in records}


def as_records(data: Order | RankCounts) -> list[tuple[Point, float, float]]:
    """Each point, its number of better ones and its exposure."""
    counts = RankCounts.from_order(data) if isinstance(data, Order) else data
    columns = (counts.X.tolist(), counts.counts.tolist(), counts.exposure.tolist())
    return [(tuple(x), k, n) for x, k, n in zip(*columns, strict=True)]


def as_counts(order: Order) -> list[float]:
    """The counts alone."""
    return [k for _, k, _ in as_records(order)]


def assert_same(first: Order | RankCounts, second: Order | RankCounts) -> None:
    """Fail unless all tensors are equal bit for bit."""
    assert type(first) is type(second)
    for name in _names(first):
        one, other = getattr(first, name), getattr(second, name)
        assert one.dtype == other.dtype
        assert one.device == other.device
        torch.testing.assert_close(one, other, rtol=0, atol=0, equal_nan=True, msg=name)


def assert_kind(data: Order | RankCounts, tkwargs: dict[str, Any]) -> None:
    """Fail unless all tensors are on the device, and those that are real have the dtype."""
    for name in _names(data):
        values = getattr(data, name)
        assert values.device.type == tkwargs["device"].type
        assert values.dtype == tkwargs["dtype"] or not values.is_floating_point(), name
    if isinstance(data, Order):
        assert_kind(RankCounts.from_order(data), tkwargs)


def _names(data: Order | RankCounts) -> list[str]:
    return [field.name for field in fields(data)]
