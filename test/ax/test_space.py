import re
from typing import Any

import numpy as np
import pytest
from ax.api.client import Client
from ax.api.configs import ChoiceParameterConfig, RangeParameterConfig
from ax.exceptions.core import UserInputError

from botorch_popbo.ax import parameter_configs


def test_each_kind_of_parameter() -> None:
    space = {
        "share": (0, 0.5),
        "rate": (1e-4, 1.0, "log"),
        "layers": (1, 5),
        "epochs": (1, 100_000),
        "width": (8, 256, "log"),
        "kernel": ["rbf", "poly"],
        "bias": [True, False],
        "batch": [64, 16, 32],
        "scale": [2, 0.5],
    }
    expected = [
        RangeParameterConfig("share", (0.0, 0.5), "float"),
        RangeParameterConfig("rate", (1e-4, 1.0), "float", scaling="log"),
        RangeParameterConfig("layers", (1, 5), "int"),
        RangeParameterConfig("epochs", (1, 100_000), "int"),
        RangeParameterConfig("width", (8, 256), "int", scaling="log"),
        ChoiceParameterConfig("kernel", ["rbf", "poly"], "str", is_ordered=False),
        ChoiceParameterConfig("bias", [True, False], "bool", is_ordered=False),
        ChoiceParameterConfig("batch", [16, 32, 64], "int", is_ordered=True),
        ChoiceParameterConfig("scale", [0.5, 2.0], "float", is_ordered=True),
    ]
    found = parameter_configs(space)
    assert found == expected
    Client().configure_experiment(found)


def test_what_numpy_makes_is_python_s_own() -> None:
    ends = np.arange(1, 6)
    space: dict[str, Any] = {
        "layers": (ends[0], ends[-1]),
        "share": (np.float32(0), np.float32(0.5)),
        "batch": list(ends[::-1]),
        "scale": list(np.linspace(0, 1, 3)),
        "kernel": list(np.array(["rbf", "poly"])),
        "bias": [np.True_, np.False_],
    }
    plain: dict[str, Any] = {
        "layers": (1, 5),
        "share": (0.0, 0.5),
        "batch": [5, 4, 3, 2, 1],
        "scale": [0.0, 0.5, 1.0],
        "kernel": ["rbf", "poly"],
        "bias": [True, False],
    }
    assert repr(parameter_configs(space)) == repr(parameter_configs(plain))


@pytest.mark.parametrize(
    ("space", "message"),
    [
        ({}, "The space is a dictionary such as"),
        ([("x", (0, 1))], "The space is a dictionary such as"),
        ({1: (0, 1)}, "The name of a parameter is a text; got 1."),
        ({"x": 3}, "x: 3 is neither a tuple nor a list; write (low, high)"),
        ({"x": (0,)}, "x: (0,) is no range"),
        ({"x": ("rbf", "poly")}, "[a, b, c] for choices"),
        ({"x": (0, True)}, "is no range"),
        ({"x": (0.0, float("inf"))}, "is no range"),
        ({"x": (-1.7e308, 1.7e308)}, "the width of (-1.7e+308, 1.7e+308) is more than"),
        ({"x": (0, 1, "linear")}, "a third entry is \"log\", not 'linear'"),
        ({"x": (1, 1)}, "1 is not below 1"),
        ({"x": (1, 10**9, "log")}, "at most 100,000 whole numbers, because Ax lists them, not"),
        ({"x": (0, 1, "log")}, "is above zero, and 0 is not"),
        ({"x": ["a"]}, "at least two different choices"),
        ({"x": ["a", "a"]}, "at least two different choices"),
        ({"x": [1, 1.0, 2]}, "x: list at least two different choices, not [1, 1.0, 2]"),
        ({"x": [2**53 + 1, float(2**53)]}, "at least two different choices"),
        ({"x": [[1], [1]]}, "all text, all numbers"),
        ({"x": ["a", 1]}, "all text, all numbers or all truth values"),
        ({"x": [None, "a"]}, "look up in the function what each stands for"),
        ({"x": [1.0, float("nan")]}, "are finite"),
    ],
)
def test_what_is_no_space_is_refused_by_name(space: Any, message: str) -> None:
    with pytest.raises(UserInputError, match=re.escape(message)):
        parameter_configs(space)
