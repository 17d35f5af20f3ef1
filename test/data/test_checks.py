"""Messages that no source has to itself; the others are tested with the sources."""

import pytest
import torch
from botorch.exceptions import InputDataError
from helpers.ranking import line

from botorch_popbo.data._checks import check_same_kind, is_table


@pytest.mark.parametrize(
    ("shape", "expected"),
    [((0, 1), True), ((3, 2), True), ((3, 0), False), ((3,), False), ((1, 3, 1), False)],
)
def test_a_table_has_rows_and_columns(shape: tuple[int, ...], expected: bool) -> None:
    assert is_table(torch.zeros(shape)) is expected


@pytest.mark.parametrize("name", ["train_Y", "violations"])
def test_values_of_another_device_say_what_to_do(name: str) -> None:
    with pytest.raises(
        InputDataError, match=rf"{name} must share.*on meta.*{name.removeprefix('train_')}.to\(X\)"
    ):
        check_same_kind(line(2), line(2).to("meta"), name)
