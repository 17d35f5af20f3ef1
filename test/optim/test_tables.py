import pytest
import torch

from botorch_popbo.optim._tables import is_table, unseen_points

LIKE = torch.empty(0, dtype=torch.double)


@pytest.mark.parametrize(
    ("choices", "expected"),
    [
        ({0: [0, 1, 2], 1: [0.1, 0.2]}, True),
        ({0: [0, 1, 2]}, False),
        ({0: list(range(500)), 1: [0]}, True),  # few points in all
        ({0: list(range(2000)), 1: [0, 1]}, False),
    ],
)
def test_what_a_table_is(choices: dict[int, list[float]], expected: bool) -> None:
    assert is_table(choices, dim=2) == expected


def test_points_are_exactly_those_not_seen() -> None:
    choices = {0: [0.1, 0.2, 0.3], 1: [5.0, 7.0]}
    known = torch.tensor([[0.1, 5.0], [0.3, 7.0]], dtype=torch.double)
    found = unseen_points(choices, known, 10, 0, LIKE)
    assert found.dtype == torch.double
    assert set(map(tuple, found.tolist())) == {(0.1, 7.0), (0.2, 5.0), (0.2, 7.0), (0.3, 5.0)}
    assert len(unseen_points(choices, known, 2, 0, LIKE)) == 2


def test_of_an_exhausted_table_none_is_left() -> None:
    known = torch.tensor([[0.0], [1.0]], dtype=torch.double)
    assert len(unseen_points({0: [0.0, 1.0]}, known, 10, 0, LIKE)) == 0
