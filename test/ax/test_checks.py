from typing import Any

import numpy as np
import pytest
from ax.core.search_space import SearchSpaceDigest
from ax.exceptions.core import UserInputError
from botorch.exceptions import CandidateGenerationError

from botorch_popbo.ax._checks import check_fixed, check_given_whole, check_whole

DIGEST = SearchSpaceDigest(
    feature_names=["rate", "kind"], bounds=[(0.0, 2.0), (0.0, 2.0)], discrete_choices={1: [0, 2]}
)


def test_a_whole_number_is_pythons_own() -> None:
    number = check_given_whole("seed", np.int64(7), 0)
    assert type(number) is int
    assert number == 7


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (2.0, "seed is a whole number; got 2.0"),
        (True, "seed is a whole number; got True"),
        (0, "seed is at least 1; got 0"),
        (2**63, "seed is below 2"),
    ],
)
def test_anything_else_is_named(value: Any, message: str) -> None:
    with pytest.raises(UserInputError, match=message):
        check_whole(trials=None, seed=value)


@pytest.mark.parametrize("fixed", [{}, {0: 0.0}, {0: 2.0 + 1e-10}, {1: 2.0}, {0: 1.0, 1: 0.0}])
def test_fixed_parameters_lie_inside_but_for_rounding(fixed: dict[int, float]) -> None:
    check_fixed(fixed, DIGEST)


@pytest.mark.parametrize(("column", "value"), [(0, -0.1), (0, 2.1), (1, 1.0), (1, 4.0)])
def test_others_are_refused_by_name(column: int, value: float) -> None:
    with pytest.raises(CandidateGenerationError, match=DIGEST.feature_names[column]):
        check_fixed({column: value}, DIGEST)
