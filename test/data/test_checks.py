"""What all sources of outcomes have in common, the messages about bad ones first of all."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from botorch.exceptions import BotorchTensorDimensionError, InputDataError
from helpers import ranking
from helpers.ranking import INF, NAN, POINTS, Point, as_records, line, tensor, unmeasured
from hypothesis import assume, given
from hypothesis import strategies as st
from torch import Tensor

from botorch_popbo import Order, RankCounts, data
from botorch_popbo.paper.base_set import from_base_set

Source = Callable[[Tensor, Tensor], Order | RankCounts]


def one_group(X: Tensor, Y: Tensor) -> Order:
    return data.from_groups(X, Y, torch.full(X.shape[:1], -7, dtype=torch.long, device=X.device))


def violating(value: float, num_constraints: int) -> Callable[[Tensor, Tensor], Order]:
    return lambda X, Y: data.from_constrained_outcomes(
        X, Y, torch.full((len(X), num_constraints), value).to(X)
    )


SOURCES: dict[str, Source] = {
    "outcomes": data.from_outcomes,
    "variances": lambda X, Y: data.from_outcomes(X, Y, torch.ones_like(Y)),
    "replicates": data.from_replicates,
    "groups": one_group,
    "constraints": violating(1.0, 2),
    "objectives": data.from_objectives,
    "base set": lambda X, Y: from_base_set(X, Y, torch.Generator().manual_seed(0)),
}
#: Sources that here have no more to say than the order of the outcomes.
NOTHING_NEW: dict[str, Callable[[Tensor, Tensor], Order]] = {
    "unknown noise": lambda X, Y: data.from_outcomes(X, Y, torch.full_like(Y, torch.nan)),
    "one group": one_group,
    "on the bounds": violating(0.0, 1),
    "within the bounds": violating(-0.5, 3),
    "no constraints": violating(0.0, 0),
    "one objective": data.from_objectives,
    "one objective twice": lambda X, Y: data.from_objectives(X, Y.expand(-1, 2)),
}
X = tensor([[1.0, 5.0], [-0.0, 2.0], [1.0, 5.0], [-1.0, 0.0]])
Y = tensor([[3.0], [2.0], [1.5], [-INF]])


@pytest.fixture(params=SOURCES)
def source(request: pytest.FixtureRequest) -> Source:
    return SOURCES[request.param]


def test_dtype_and_device_are_kept_and_gradients_are_not(
    source: Source, tkwargs: dict[str, Any]
) -> None:
    points, outcomes = X.to(**tkwargs), Y.to(**tkwargs)
    before = points.clone(), outcomes.clone()
    found = source(points.requires_grad_(), outcomes.requires_grad_())
    ranking.assert_kind(found, tkwargs)
    assert not any(getattr(v, "requires_grad", False) for v in vars(found).values())
    assert found.X.tolist() == sorted(found.X.tolist())
    assert torch.equal(points, before[0])
    assert torch.equal(outcomes, before[1])


@pytest.mark.parametrize("name", [name for name in SOURCES if name != "objectives"])
def test_outcomes_may_be_a_column_or_a_vector(name: str) -> None:
    ranking.assert_same(SOURCES[name](X, Y), SOURCES[name](X, Y.squeeze(-1)))


@pytest.mark.parametrize("name", NOTHING_NEW)
@given(st.lists(st.tuples(POINTS, ranking.EXTREME), min_size=2, max_size=15))
def test_what_says_nothing_new_is_the_order_of_the_outcomes(
    name: str, records: list[tuple[Point, float]]
) -> None:
    points, outcomes = (tensor(column) for column in zip(*records, strict=True))
    assume(points.unique(dim=0).shape[0] >= 2)
    found = NOTHING_NEW[name](points, outcomes.unsqueeze(-1))
    order = data.from_outcomes(points, outcomes)
    assert unmeasured(found).agrees_with(unmeasured(order))
    assert as_records(found) == as_records(order)


@pytest.mark.parametrize("name", SOURCES)
@given(st.lists(st.tuples(POINTS, ranking.WHOLE), max_size=12), st.randoms())
def test_the_order_of_evaluations_does_not_matter(
    name: str, records: list[tuple[Point, float]], random: Any
) -> None:
    records = [((8.0, 8.0), 1.0), ((8.0, 8.0), 1.7), ((9.0, 9.0), 0.1), *records]
    shuffled = random.sample(records, len(records))
    first, second = (
        SOURCES[name](*(tensor(column) for column in zip(*r, strict=True)))
        if name != "objectives"
        else data.from_objectives(tensor([x for x, _ in r]), tensor([[y, -abs(y)] for _, y in r]))
        for r in (records, shuffled)
    )
    ranking.assert_same(first, second)


@pytest.mark.parametrize(
    ("x", "y", "match"),
    [
        *((x, 2.0, "train_X holds NaN or infinite values. Remove") for x in (NAN, INF, -INF)),
        (1.0, NAN, "train_Y holds NaN. Drop those rows, or set them to -inf"),
        (1.0, INF, r"train_Y holds \+inf.*use -inf: larger outcomes are better"),
    ],
)
def test_bad_values_say_what_to_do(
    source: Source, x: float, y: float, match: str, tkwargs: dict[str, Any]
) -> None:
    with pytest.raises(InputDataError, match=match):
        source(tensor([[0.0], [x]], **tkwargs), tensor([[1.0], [y]], **tkwargs))


@pytest.mark.parametrize(("points", "distinct"), [([], 0), ([[0]], 1), ([[0], [-0.0]], 1)])
def test_too_few_points_say_what_to_do(source: Source, points: list[Any], distinct: int) -> None:
    X = tensor(points).reshape(-1, 1)
    match = rf"two distinct points.*train_X holds {distinct}\. Evaluate|No group holds two distinct"
    with pytest.raises(InputDataError, match=match):
        source(X, torch.rand_like(X))


@pytest.mark.parametrize(
    ("X_shape", "Y_shape"),
    [((3,), (3,)), ((2, 3, 1), (2, 3, 1)), ((3, 1), (2, 1)), ((3, 0), (3, 1)), ((3, 1), (1, 3))],
)
def test_wrong_shapes_say_what_to_do(
    source: Source, X_shape: tuple[int, ...], Y_shape: tuple[int, ...]
) -> None:
    match = r"train_X of shape N x d and train_Y of shape N x [1m].*but got \("
    with pytest.raises(BotorchTensorDimensionError, match=match):
        source(torch.zeros(X_shape), torch.zeros(Y_shape))


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda X, Y: data.from_outcomes(X, Y, [0.0] * 3), "Yvar"),
        (lambda X, Y: data.from_groups(X, Y, [0] * 3), "groups"),
        (lambda X, Y: data.from_constrained_outcomes(X, Y, [[0.0]] * 3), "violations"),
        (lambda X, Y: data.from_comparisons(X, [[0, 1]]), "comparisons"),
        (lambda X, Y: data.from_comparisons(X, X[:2, 0].long().view(1, 2), [0]), "ties"),
        (lambda X, Y: data.from_ordering(X.numpy(), [0, 1]), "X"),
    ],
)
def test_whatever_is_no_tensor_says_what_to_do(
    call: Callable[[Tensor, Tensor], Order], name: str
) -> None:
    with pytest.raises(InputDataError, match=rf"no tensor. Pass torch.as_tensor\({name}\)"):
        call(line(3), line(3))


@pytest.mark.parametrize(
    ("X_kind", "Y_kind"),
    [
        *((torch.int64, kind) for kind in (torch.int64, torch.float64)),
        *((torch.float64, kind) for kind in (torch.int64, torch.float32, "meta")),
        (torch.float32, torch.float64),
        (torch.bool, torch.bool),
        (torch.float16, torch.float16),
    ],
)
def test_wrong_kinds_say_what_to_do(source: Source, X_kind: torch.dtype, Y_kind: Any) -> None:
    match = r"share one floating-point dtype.*Y.to\(X\)|single or double precision. Pass X.double"
    with pytest.raises(InputDataError, match=match):
        source(torch.zeros(3, 1).to(X_kind), torch.zeros(3, 1).double().to(Y_kind))
