import pandas as pd
import pytest
from ax.api.client import Client
from ax.api.configs import ChoiceParameterConfig
from ax.core.parameter import ParameterType, RangeParameter
from ax.exceptions.core import UserInputError
from helpers.search_spaces import choice, ranged
from helpers.service_loop import make_client, run_trials

from botorch_popbo.ax import popbo_generation_strategy
from botorch_popbo.ax._source_points import points_of


def test_whole_numbers_and_truth_values_may_be_read_as_numbers() -> None:
    parameters = [ranged("n", 1, 9, "int"), choice("on", [False, True]), ranged("x", 0.0, 1.0)]
    table = pd.DataFrame(
        {"n": [2.0, 5.0, 7.0], "on": [1.0, 0.0, 1.0], "x": [0, 1, 1], "loss": [1.0, 2.0, 3.0]}
    )
    client = make_client(popbo_generation_strategy(sources=[table]), parameters, "-loss")
    first, _ = run_trials(client, lambda p: p["n"], 2)
    assert first == {"n": 2, "on": True, "x": 0.0}
    assert [*map(type, first.values())] == [int, bool, float]


def test_only_parameters_that_depend_on_others_may_be_empty() -> None:
    parameters = [
        ChoiceParameterConfig(
            name="kernel",
            values=["poly", "rbf"],
            parameter_type="str",
            dependent_parameters={"poly": ["degree"], "rbf": []},
        ),
        ranged("degree", 1, 5, "int"),
    ]
    table = pd.DataFrame(
        {"kernel": ["rbf", "poly"] * 3, "degree": [None, 2] * 3, "loss": [0.0, 1.0] * 3}
    )

    def started(table: pd.DataFrame) -> Client:
        return make_client(popbo_generation_strategy(sources=[table]), parameters, "-loss")

    first, second = run_trials(started(table), lambda p: 1.0, 2)
    assert first == {"kernel": "rbf"}
    assert second
    [first] = started(table.assign(loss=-table["loss"])).get_next_trials(max_trials=1).values()
    assert first == {"kernel": "poly", "degree": 2}
    with pytest.raises(UserInputError, match="Row 0 of a source has no 'kernel'"):
        started(table.assign(kernel=None)).get_next_trials(max_trials=1)


def test_what_a_cast_would_change_stays() -> None:
    parameter = RangeParameter("n", ParameterType.INT, 1, 9)
    table = pd.DataFrame({"n": [2.0, 2.5]}, index=[4, 3])
    assert points_of(table, {"n": parameter}) == {4: {"n": 2}, 3: {"n": 2.5}}


@pytest.mark.parametrize("value", ["3", "x", float("inf")])
def test_what_is_no_finite_number_is_named(value: float | str) -> None:
    parameter = RangeParameter("n", ParameterType.INT, 1, 9)
    table = pd.DataFrame({"n": [2.0, value]}, index=[4, 3])
    with pytest.raises(UserInputError, match=f"Row 3 of a source: 'n' is {value!r}"):
        points_of(table, {"n": parameter})
