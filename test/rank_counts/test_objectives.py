from typing import Any

import pytest
import torch
from botorch.exceptions import BotorchTensorDimensionError, InputDataError
from helpers.ranking import (
    EXTREME,
    INF,
    NAN,
    POINTS,
    Point,
    as_dict,
    assert_kind,
    assert_same,
    line,
    means,
    tensor,
)
from hypothesis import assume, given
from hypothesis import strategies as st

from botorch_popbo.rank_counts import chunks, from_objectives, from_outcomes

VALUES = st.one_of(st.integers(-2, 2).map(float), st.just(-INF))
RECORDS = st.lists(st.tuples(POINTS, st.tuples(VALUES, VALUES, VALUES)), min_size=2, max_size=12)


def brute_force(X: list[Point], Y: list[tuple[float, ...]]) -> dict[Point, int]:
    columns = [means(X, [y[m] for y in Y]) for m in range(len(Y[0]))]
    vectors = {p: [c[p] for c in columns] for p in columns[0]}
    vectors = {p: [-INF] * len(v) if -INF in v else v for p, v in vectors.items()}

    def dominates(one: list[Any], other: list[Any]) -> bool:
        return one != other and all(a >= b for a, b in zip(one, other, strict=True))

    return {p: sum(dominates(vectors[q], vectors[p]) for q in vectors) for p in vectors}


@given(st.lists(st.tuples(VALUES, VALUES, VALUES), min_size=2, max_size=15))
def test_counts_match_brute_force(Y: list[tuple[float, ...]]) -> None:
    X = [(float(i),) for i in range(len(Y))]
    data = from_objectives(tensor(X), tensor(Y))
    assert as_dict(data) == brute_force(X, Y)
    assert data.exposure.tolist() == [len(X) - 1] * len(X)


@given(st.lists(st.tuples(POINTS, EXTREME), min_size=2, max_size=15))
def test_one_objective_is_the_outcomes(records: list[tuple[Point, float]]) -> None:
    X, Y = tensor([x for x, _ in records]), tensor([y for _, y in records]).unsqueeze(-1)
    assume(X.unique(dim=0).shape[0] >= 2)
    assert_same(from_objectives(X, Y), from_outcomes(X, Y))
    assert_same(from_objectives(X, Y.expand(-1, 2)), from_outcomes(X, Y))


@given(RECORDS, st.randoms())
def test_order_of_evaluations_and_objectives_does_not_matter(
    records: list[tuple[Point, tuple[float, ...]]], random: Any
) -> None:
    assume(len({x for x, _ in records}) >= 2)
    shuffled = [(x, y[::-1]) for x, y in records]
    random.shuffle(shuffled)
    first, second = (
        from_objectives(tensor([x for x, _ in r]), tensor([y for _, y in r]))
        for r in (records, shuffled)
    )
    assert_same(first, second)


def test_increasing_transforms_of_each_objective_change_nothing() -> None:
    Y = torch.randint(-3, 4, (40, 2), dtype=torch.float64)
    transformed = torch.stack([Y[:, 0].exp() * 1e290, Y[:, 1].pow(3) * 1e-290], dim=-1)
    assert_same(from_objectives(line(40), transformed), from_objectives(line(40), Y))


def test_equal_vectors_and_trade_offs_do_not_dominate(tkwargs: dict[str, Any]) -> None:
    Y = torch.tensor([[1.0, 2.0], [2.0, 1.0], [2.0, 1.0], [1.0, 1.0], [-INF, 9.0]], **tkwargs)
    data = from_objectives(torch.arange(5.0, **tkwargs).unsqueeze(-1), Y)
    assert data.counts.tolist() == [0.0, 0.0, 0.0, 3.0, 4.0]
    assert_kind(data, tkwargs)


def test_replicates_are_merged_in_each_objective() -> None:
    X = tensor([[0.0], [0.0], [1.0]])
    data = from_objectives(X, tensor([[4.0, 0.0], [0.0, 4.0], [1.0, 1.0]]))
    assert as_dict(data) == {(0.0,): 0.0, (1.0,): 1.0}


def test_chunks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    Y = torch.randn(37, 2, dtype=torch.float64)
    whole = from_objectives(line(37), Y)
    monkeypatch.setattr(chunks, "_PAIRS", 80)
    assert_same(from_objectives(line(37), Y), whole)


@pytest.mark.parametrize(
    ("X_shape", "Y_shape"), [((3, 1), (3,)), ((3, 1), (2, 2)), ((3,), (3, 1)), ((3, 1), (3, 0))]
)
def test_wrong_shapes_say_what_to_do(X_shape: tuple[int, ...], Y_shape: tuple[int, ...]) -> None:
    with pytest.raises(BotorchTensorDimensionError, match="one column for each objective, but got"):
        from_objectives(torch.zeros(X_shape), torch.zeros(Y_shape))


@pytest.mark.parametrize(
    ("value", "match"),
    [(NAN, "train_Y holds NaN. Drop those"), (INF, r"train_Y holds \+inf.*use -inf")],
)
def test_bad_values_say_what_to_do(value: float, match: str) -> None:
    with pytest.raises(InputDataError, match=match):
        from_objectives(line(2), tensor([[0.0, 1.0], [1.0, value]]))


def test_wrong_dtypes_and_too_few_points_say_what_to_do() -> None:
    with pytest.raises(InputDataError, match=r"share one floating-point dtype.*Y.to\(X\)"):
        from_objectives(line(3), torch.zeros(3, 2))
    with pytest.raises(InputDataError, match=r"train_X holds 1. Evaluate more points"):
        from_objectives(torch.zeros(3, 1), torch.zeros(3, 2))
