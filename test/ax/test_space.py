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
        "dose": {"range": [0.0, 1.0], "step": 0.25},
        "even": {"range": [2, 8], "step": 2},
        "kernel": ["rbf", "poly"],
        "bias": [True, False],
        "batch": [64, 16, 32],
        "scale": [2, 0.5],
        "seed": 3,
    }
    expected = [
        RangeParameterConfig("share", (0.0, 0.5), "float"),
        RangeParameterConfig("rate", (1e-4, 1.0), "float", scaling="log"),
        RangeParameterConfig("layers", (1, 5), "int"),
        RangeParameterConfig("epochs", (1, 100_000), "int"),
        RangeParameterConfig("width", (8, 256), "int", scaling="log"),
        ChoiceParameterConfig("dose", [0.0, 0.25, 0.5, 0.75, 1.0], "float", is_ordered=True),
        ChoiceParameterConfig("even", [2, 4, 6, 8], "int", is_ordered=True),
        ChoiceParameterConfig("kernel", ["rbf", "poly"], "str", is_ordered=False),
        ChoiceParameterConfig("bias", [True, False], "bool", is_ordered=False),
        ChoiceParameterConfig("batch", [16, 32, 64], "int", is_ordered=True),
        ChoiceParameterConfig("scale", [0.5, 2.0], "float", is_ordered=True),
        ChoiceParameterConfig("seed", [3], "int", is_ordered=True),
    ]
    found = parameter_configs(space)
    assert found == expected
    client = Client()
    client.configure_experiment(found)
    assert client._experiment.search_space.parameters["seed"].value == 3  # a fixed one


def test_what_is_no_space_of_ax_is_refused() -> None:
    with pytest.raises(UserInputError, match="x: None is neither a tuple nor a list"):
        parameter_configs({"x": None})
    with pytest.raises(UserInputError, match="at most 100,000 whole numbers, because Ax lists"):
        parameter_configs({"x": (1, 10**9, "log")})
