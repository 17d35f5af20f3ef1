import math
from typing import Any

import numpy as np
import pytest
import torch
from ax.exceptions.core import UserInputError

from botorch_popbo.ax.running._outcomes import read_outcome


@pytest.mark.parametrize(
    ("returned", "expected"),
    [
        *((number, 1.5) for number in (1.5, np.float32(1.5), torch.tensor(1.5))),
        *((array, 1.5) for array in (np.array(1.5), np.array([1.5]), torch.tensor([1.5]))),
        (torch.tensor(1.5, requires_grad=True), 1.5),
        ({"loss": 1.5}, 1.5),
        ({"loss": np.float64(1.5), "seconds": 3, "unknown": math.nan}, 1.5),
        ({"loss": (1, 0.1)}, (1.0, 0.1)),
        ([1, 0.1], (1.0, 0.1)),
        ((1.5, None), 1.5),
    ],
)
def test_a_number_or_a_mean_with_its_error_is_the_outcome(returned: Any, expected: Any) -> None:
    outcome = read_outcome(returned, {"loss"})
    assert outcome["loss"] == expected
    assert type(outcome["loss"]) is type(expected)
    assert outcome.keys() == set(returned if isinstance(returned, dict) else ["loss"])


@pytest.mark.parametrize("note", ["text", None, [1, 2, 3]])
def test_what_is_no_number_beside_the_goal_is_left_out(note: Any) -> None:
    with pytest.warns(UserWarning, match="Left out: the value of note is not a number"):
        outcome = read_outcome({"loss": 0.5, "note": note, "seconds": 3}, {"loss"})
    assert outcome == {"loss": 0.5, "seconds": 3.0}


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (math.nan, "nan"),
        (math.inf, "inf"),
        (None, "not a number: None"),
        ("1.5", "not a number: '1.5'"),
        (torch.ones(2), "not a number"),
        ({"loss": math.nan}, "loss is nan"),
        ({"loss": "low"}, "loss is not a number"),
        ({"loss": (1.0, -0.1)}, "negative"),
        ({"loss": (1.0, math.inf)}, "standard error of loss is inf"),
        (10**400, "not a number"),
        (1 + 2j, "not a number"),
        (np.complex64(1 + 2j), "not a number"),
        (np.complex128(1), "not a number"),
        (torch.tensor(1 + 2j), "not a number"),
        (np.str_("1.5"), "not a number"),
        ({"loss": (1.0, 0.1, 0.1)}, "not a number"),
    ],
)
def test_what_is_no_number_says_so(returned: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_outcome(returned, {"loss"})


@pytest.mark.parametrize(
    ("returned", "metrics", "error", "message"),
    [
        ({"acc": 1.0}, {"loss"}, UserInputError, r"\['acc'\] without the metrics \['loss'\]"),
        (1.0, {"acc", "loss"}, UserInputError, r"\['acc', 'loss'\]"),
        (None, {"acc", "loss"}, ValueError, "not a number"),  # a failure of this trial
    ],
)
def test_a_missing_metric_is_a_mistake_of_the_objective(
    returned: Any, metrics: set[str], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        read_outcome(returned, metrics)
