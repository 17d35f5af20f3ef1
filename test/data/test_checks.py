"""What is refused, with messages that say what to do."""

from collections.abc import Callable
from dataclasses import fields, replace
from functools import partial
from typing import Any

import pytest
import torch
from botorch.exceptions import BotorchTensorDimensionError, InputDataError
from helpers.ranking import INF, NAN, OF_INDICES, OF_OUTCOMES, line, ranking_dataset, tensor
from torch import Tensor

from botorch_popbo import Order, RankCounts, data

Source = Callable[..., Any]
SHAPE = BotorchTensorDimensionError


def pairs(*rows: tuple[int, int]) -> Tensor:
    return torch.tensor(rows, dtype=torch.long).reshape(-1, 2)


def column(*values: float) -> Tensor:
    return tensor(values).unsqueeze(-1)


NOT_FINITE = "train_X holds NaN or infinite values. Remove"
NOT_SHAPED = r"train_X of shape N x d and train_Y of shape N x [1m].*but got \("
KINDS = r"share one floating-point dtype.*Y.to\(X\)|single or double precision. Pass X.double"
FEW = r"two distinct points.*train_X holds [01]\. Evaluate|No group holds two distinct"


@pytest.mark.parametrize("source", OF_OUTCOMES.values(), ids=OF_OUTCOMES)
@pytest.mark.parametrize(
    ("X", "Y", "error", "match"),
    [
        *((column(0.0, x), line(2), InputDataError, NOT_FINITE) for x in (NAN, INF, -INF)),
        (line(2), column(1.0, NAN), InputDataError, "train_Y holds NaN. Drop .*set them to -inf"),
        (line(2), column(1.0, INF), InputDataError, r"train_Y holds \+inf.*larger outcomes are b"),
        *((column(*x), column(*x), InputDataError, FEW) for x in ((), (0.0,), (0.0, -0.0))),
        *(
            (torch.zeros(x), torch.zeros(y), SHAPE, NOT_SHAPED)
            for x, y in (((3,), (3,)), ((2, 3, 1), (2, 3, 1)), ((3, 1), (2, 1)))
        ),
        (torch.zeros(3, 0), torch.zeros(3, 1), SHAPE, NOT_SHAPED),
        (torch.zeros(3, 1), torch.zeros(1, 3), SHAPE, NOT_SHAPED),
        *((line(3).to(k), line(3).to(k), InputDataError, KINDS) for k in (torch.long, torch.half)),
        *(
            (line(3), line(3).to(kind), InputDataError, KINDS)
            for kind in (torch.int64, torch.float32, torch.device("meta"))
        ),
    ],
)
def test_bad_outcomes(source: Source, X: Tensor, Y: Tensor, error: Any, match: str) -> None:
    with pytest.raises(error, match=match):
        source(X, Y)


PAIR = torch.tensor([0, 1])


@pytest.mark.parametrize("name", OF_INDICES)
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
def test_bad_indices(name: str, pair: Tensor, match: str) -> None:
    with pytest.raises(InputDataError, match=f"{name.split()[-1]} {match}"):
        OF_INDICES[name](line(3), pair)


@pytest.mark.parametrize("source", OF_INDICES.values(), ids=OF_INDICES)
@pytest.mark.parametrize(
    ("X", "error", "match"),
    [
        *((column(0.0, 1.0, x), InputDataError, "X holds NaN or inf") for x in (NAN, INF)),
        (line(3).long(), InputDataError, r"X holds torch.int64.*X.double\(\)"),
        *((torch.zeros(n), SHAPE, "X of shape N x d, one row") for n in ((3,), (3, 0), (2, 3, 1))),
    ],
)
def test_bad_items(source: Source, X: Tensor, error: Any, match: str) -> None:
    with pytest.raises(error, match=match):
        source(X, PAIR)


TWICE = column(0.0, 5.0, -0.0)
ZEROS = torch.zeros(3, dtype=torch.long)
measured = partial(data.from_outcomes, line(2), line(2))
grouped = partial(data.from_groups, line(3), line(3))
constrained = partial(data.from_constrained_outcomes, line(2), line(2))
compared = partial(data.from_comparisons, line(3))


def ranked(listed: list[int]) -> Order:
    return data.from_ranking_dataset(ranking_dataset(TWICE, [listed], [[0, 1]]))


def counted(count: float, exposure: float) -> RankCounts:
    return RankCounts(line(2), tensor([0.0, count]), tensor([2.0, exposure]))


BAD_VALUES: list[tuple[Source, tuple[Any, ...], str]] = [
    (measured, ([0.0] * 2,), r"must be a tensor.*: torch.as_tensor\(Yvar\)"),
    (grouped, ([0] * 3,), r"must be a tensor.*: torch.as_tensor\(groups\)"),
    (constrained, ([[0.0]] * 2,), r"must be a tensor.*: torch.as_tensor\(violations\)"),
    (compared, ([[0, 1]],), r"must be a tensor.*: torch.as_tensor\(comparisons\)"),
    (compared, (pairs((0, 1)), [0]), r"must be a tensor.*: torch.as_tensor\(ties\)"),
    (data.from_ordering, (line(3).numpy(), [0, 1]), r"must be a tensor.*: torch.as_tensor\(X\)"),
    *((measured, (column(1.0, v),), "train_Yvar is.*squared standard") for v in (-1, INF, -INF)),
    (measured, (torch.ones(2),), r"train_X and train_Yvar must share.*Yvar.to\(X\)"),
    (data.from_replicates, (line(3), line(3)), "evaluated twice without a f.*from_outcomes, with"),
    (data.from_replicates, (column(0, 0, 2), column(-INF, 0, 1)), "evaluated twice without a f"),
    (grouped, (torch.arange(3),), "No group holds two distinct points.*give one label"),
    (grouped, (ZEROS.double(),), r"groups must hold integers.*groups.long\(\)"),
    (grouped, (ZEROS.bool(),), "groups must hold integers.*torch.bool"),
    (grouped, (ZEROS.cfloat(),), "groups must hold integers.*torch.complex64"),
    (grouped, (ZEROS.to("meta"),), r"groups must be on the device.*groups.to\(X.device\)"),
    *((constrained, (column(0.0, v),), "violations holds NaN.*to -inf") for v in (NAN, INF, -INF)),
    (constrained, (line(2).float(),), r"train_X and violations must.*violations.to\(X"),
    (constrained, (line(2).long(),), r"train_X and violations must.*violations.to\(X"),
    (data.from_ordering, (TWICE, [1, 0, 1]), "Item 1 is listed twice. List every item once"),
    (data.from_top_k, (TWICE, [0], [1, 0]), "Item 0 is listed twice. List every item once"),
    (data.from_ordering, (TWICE, [0, 1, 2]), "Rows 0 and 2 of X are equal.*List one of them"),
    (data.from_top_k, (TWICE, [0], [2]), "Rows 0 and 2 of X are equal and both listed"),
    (data.from_ordering, (TWICE, [0]), "two items or more.*but got 1, of which 1"),
    (data.from_top_k, (TWICE, [], [0, 1]), "one at least in its place.*of which 0 .*Name more"),
    (ranked, ([0, 0],), "holds an item, or an equal one, twice"),
    (ranked, ([0, 2],), "holds an item, or an equal one, twice"),
    (compared, (pairs((0, 1), (1, 1)),), "Row 1 of comparisons compares an item with itself"),
    (data.from_comparisons, (TWICE, pairs((0, 2))), "Row 0 of comparisons.*an equal row of X"),
    (compared, (pairs(), pairs((0, 1), (1, 1))), "Row 1 of ties compares an item with itself"),
    *(
        (compared, (pairs(), ties), "no comparison.*one comparison or tie")
        for ties in (None, pairs())
    ),
    *((counted, (k, 2.0), "between 0 and its finite exposure") for k in (-1.0, 2.5, NAN)),
    (counted, (1.0, INF), "between 0 and its finite exposure"),
    (data.combine, (), "There is no order to combine. Pass at least one"),
    (data.combine, ([1, 2],), "A list is not an Order.*arguments of combine"),
]
BAD_SHAPES: list[tuple[Source, tuple[Any, ...], str]] = [
    (measured, (line(3),), r"train_Yvar of shape N x 1.*2 rows.*\(3, 1\)"),
    *(
        (grouped, (groups,), "groups of shape N x 1, a value for each of")
        for groups in (ZEROS[:2], ZEROS.expand(3, 3), ZEROS[None], ZEROS[0])
    ),
    *(
        (constrained, (torch.zeros(shape),), "violations of shape N x c, one row")
        for shape in ((2,), (3, 1), (2, 1, 1))
    ),
    (data.from_ordering, (line(3), PAIR[None]), r"ordering of shape m, a list.*\(1, 2\)"),
    (data.from_top_k, (line(3), [0], torch.tensor(2)), r"rest of shape m, a list.*\(\)"),
    *(
        (compared, (ZEROS.new_zeros(shape),), "comparisons of shape m x 2, a pair")
        for shape in ((2,), (2, 3), (1, 2, 2), (0,))
    ),
    (compared, (pairs((0, 1)), ZEROS), "ties of shape m x 2, a pair"),
    *(
        (RankCounts, tuple(map(torch.zeros, shapes)), "m x d with counts and exposure of shape")
        for shapes in (((3,), (3,), (3,)), ((3, 1), (2,), (3,)), ((3, 1), (3, 1), (3, 1)))
    ),
]


@pytest.mark.parametrize(("source", "given", "match"), BAD_VALUES)
def test_bad_values(source: Source, given: tuple[Any, ...], match: str) -> None:
    with pytest.raises(InputDataError, match=match):
        source(*given)


@pytest.mark.parametrize(("source", "given", "match"), BAD_SHAPES)
def test_bad_shapes(source: Source, given: tuple[Any, ...], match: str) -> None:
    with pytest.raises(BotorchTensorDimensionError, match=match):
        source(*given)


WIDE = Order.from_scores(line(3).expand(-1, 2), line(3).squeeze(-1))


@pytest.mark.parametrize(
    ("other", "error", "match"),
    [
        (Order.from_scores(line(2), tensor([1, 2])), SHAPE, r"\[1, 2\] columns. Describe all of"),
        (WIDE.to(torch.zeros(0).float()), InputDataError, "float32 on cpu and.*to"),
        (WIDE.to(torch.zeros(0).half()), InputDataError, "float16 on cpu and.*to"),
    ],
)
def test_orders_that_do_not_fit(other: Order, error: Any, match: str) -> None:
    with pytest.raises(error, match=match):
        data.combine(WIDE, other)


ENTRIES = Order.from_scores(line(3), tensor([1, 2, 3]))


@pytest.mark.parametrize("name", [field.name for field in fields(Order)])
def test_entries_of_another_shape(name: str) -> None:
    with pytest.raises(SHAPE, match="X of shape m x d and entries of one s"):
        replace(ENTRIES, **{name: getattr(ENTRIES, name)[..., None][:2]})


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"item": torch.tensor([0, 1, -1])}, "item holds the index -1, which is out of range"),
        ({"item": torch.tensor([0, 1, 3])}, "item holds the index 3, which is out of range"),
        ({"item": tensor([0, 1, 2])}, "item must hold integers"),
        ({"score": tensor([0, 1, NAN])}, "score holds NaN or .inf"),
        ({"score": tensor([0, 1, INF])}, "set them to -inf to mark failures"),
        ({"variance": tensor([NAN, 0, -1])}, "variance is negative or infinite"),
        ({"variance": tensor([NAN, 0, INF])}, "variance is negative or infinite"),
        ({"item": torch.tensor([0, 1, 1])}, "holds an item twice"),
        ({"list_index": torch.tensor([0, 0, 1])}, "A list of one point compares nothing"),
        ({"list_index": torch.tensor([2, 2, 2])}, "list_index must count from 0, without a gap"),
        ({"task_index": torch.tensor([0, -1, 0])}, "task_index must count from 0"),
        ({"task_index": torch.tensor([0, 1, 0])}, "A list belongs to two tasks"),
    ],
)
def test_entries_of_no_meaning(changed: dict[str, Tensor], message: str) -> None:
    with pytest.raises(InputDataError, match=message):
        replace(ENTRIES, **changed)
