from typing import Any

import pytest
import torch
from botorch.exceptions import BotorchTensorDimensionError, InputDataError
from helpers.ranking import as_records, assert_kind, assert_same, line

from botorch_popbo import RankCounts
from botorch_popbo.rank_counts import combine, from_ordering, from_outcomes


def empty(dim: int = 1) -> RankCounts:
    return RankCounts(*(torch.zeros(s, dtype=torch.float64) for s in ((0, dim), (0,), (0,))))


def test_records_come_one_after_another(tkwargs: dict[str, Any]) -> None:
    X = torch.arange(4.0, **tkwargs).unsqueeze(-1)
    outcomes, ordering = from_outcomes(X, X), from_ordering(X + 2.0, [3, 0])
    data = combine(outcomes, ordering)
    assert as_records(data) == as_records(outcomes) + as_records(ordering)
    assert data.num_points == 5
    assert_kind(data, tkwargs)


def test_one_source_and_empty_ones_change_nothing() -> None:
    data = from_outcomes(line(3), line(3))
    assert_same(combine(data), data)
    assert_same(combine(empty(), data, empty()), data)


@pytest.mark.parametrize("counts", [(), (empty(),), (empty(1), empty(2))])
def test_no_records_say_what_to_do(counts: tuple[RankCounts, ...]) -> None:
    with pytest.raises(InputDataError, match=r"no records to combine. Pass the rank counts of at"):
        combine(*counts)


def test_different_columns_say_what_to_do() -> None:
    wide = from_outcomes(line(3).expand(-1, 2), line(3))
    with pytest.raises(BotorchTensorDimensionError, match=r"have \[1, 2\] columns. Describe all"):
        combine(from_outcomes(line(3), line(3)), wide)


def test_different_dtypes_and_devices_say_what_to_do() -> None:
    data = from_outcomes(line(3), line(3))
    single = from_outcomes(line(3).float(), line(3).float())
    match = "torch.float32 on cpu and torch.float64 on cpu. Convert the points before ranking"
    with pytest.raises(InputDataError, match=match):
        combine(data, single)
    with pytest.raises(InputDataError, match=match):
        combine(RankCounts(data.X, single.counts, data.exposure))
