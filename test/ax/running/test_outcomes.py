import math
from typing import Any

import numpy as np
import pytest
import torch
from ax.exceptions.core import UserInputError

from botorch_popbo.ax.running._outcomes import read_outcome


@pytest.mark.parametrize(
    "returned", [1.5, np.float32(1.5), torch.tensor(1.5), {"loss": 1.5}, {"loss": np.float64(1.5)}]
)
def test_a_number_is_the_outcome(returned: Any) -> None:
    outcome = read_outcome(returned, {"loss"})
    assert outcome == {"loss": 1.5}
    assert type(outcome["loss"]) is float


def test_a_mean_with_its_error_and_further_metrics() -> None:
    returned = {"loss": (1, 0.1), "seconds": 3, "unknown": math.nan}
    outcome = read_outcome(returned, {"loss"})
    assert outcome["loss"] == (1.0, 0.1)
    assert outcome["seconds"] == 3.0
    assert set(outcome) == {"loss", "seconds", "unknown"}


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
        ({"loss": 1.0, "note": "text"}, "note is not a number"),
        ({"loss": (1.0, -0.1)}, "negative"),
        ({"loss": (1.0, 0.1, 0.1)}, "not a number"),
    ],
)
def test_what_is_no_number_says_so(returned: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_outcome(returned, {"loss"})


def test_a_missing_metric_is_a_mistake_of_the_objective() -> None:
    with pytest.raises(UserInputError, match=r"\['acc'\] without the metrics \['loss'\]"):
        read_outcome({"acc": 1.0}, {"loss"})
    with pytest.raises(UserInputError, match=r"\['acc', 'loss'\]"):
        read_outcome(1.0, {"acc", "loss"})
