from typing import Any

import pytest
from ax.exceptions.core import UserInputError

from botorch_popbo.ax import initial_node


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_trials": 0}, "^num_trials is at least 1; got 0"),
        ({"design": "grid"}, "^Unknown design 'grid'; known: sobol, uniform"),
        ({"seed": -1}, "^seed is at least 0"),
    ],
)
def test_a_wrong_option_has_the_name_it_has_here(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UserInputError, match=message):
        initial_node("popbo-logei", **options)
