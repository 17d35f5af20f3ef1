import math
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from ax.api.client import Client
from ax.api.configs import ChoiceParameterConfig
from ax.exceptions.core import UserInputError

from botorch_popbo.ax import attach_trials, parameter_configs

SPACE: dict[str, Any] = {
    "rate": (0.0, 1.0),
    "layers": (1, 5),
    "bias": [True, False],
    "penalty": ["None", "l2"],
}
HEADER = "rate,layers,bias,penalty,loss\n"


def make_client(space: dict[str, Any] = SPACE) -> Client:
    client = Client()
    client.configure_experiment(parameter_configs(space))
    client.configure_optimization(objective="-loss")
    return client


def test_none_is_a_choice_and_a_comma_may_end_a_line(tmp_path: Path) -> None:
    path = tmp_path / "past.csv"
    path.write_text(f"{HEADER}0.5,2,False,None,1,\n0.25,3,True,l2,,\n")
    client = make_client()
    assert attach_trials(client, path) == [0, 1]
    first, second = client._experiment.trials.values()
    expected = {"rate": 0.5, "layers": 2, "bias": False, "penalty": "None"}
    assert first.arms[0].parameters == expected
    assert (first.status.name, second.status.name) == ("COMPLETED", "FAILED")


def test_a_file_may_begin_with_empty_lines(tmp_path: Path) -> None:
    path = tmp_path / "past.csv"
    path.write_text("\n\nrate, loss\n0.5, 1\n")
    client = make_client({"rate": (0.0, 1.0)})
    assert attach_trials(client, path) == [0]


def test_spaces_and_empty_lines_of_a_spreadsheet_have_no_effect(tmp_path: Path) -> None:
    path = tmp_path / "past.csv"
    path.write_text(f"{HEADER.replace(',', ' , ')}0.5 , 2 , TRUE , l2 , 1 \n,,,,\n")
    client = make_client()
    assert attach_trials(client, path) == [0]
    expected = {"rate": 0.5, "layers": 2, "bias": True, "penalty": "l2"}
    assert client._experiment.trials[0].arms[0].parameters == expected


def test_a_text_that_looks_like_a_number_stays_a_text(tmp_path: Path) -> None:
    path = tmp_path / "past.csv"
    path.write_text("version, loss\n01, 1\n10, 2\n")
    client = make_client({"version": ["01", "10"]})
    attach_trials(client, path)
    arms = [trial.arms[0].parameters for trial in client._experiment.trials.values()]
    assert arms == [{"version": "01"}, {"version": "10"}]


def test_a_name_may_not_be_there_twice_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "past.csv"
    path.write_text("rate, loss, loss\n0.5, 1, 2\n")
    client = make_client({"rate": (0.0, 1.0)})
    with pytest.raises(UserInputError, match="it has the columns loss twice"):
        attach_trials(client, path)


@pytest.mark.parametrize("beyond", ["0.5,1,2", "0.5,1,,2", '"0.5", "1", "2,3"'])
def test_a_line_may_not_have_more_values_than_the_header(beyond: str, tmp_path: Path) -> None:
    path = tmp_path / "past.csv"
    path.write_text(f"rate, loss\n0.1, 1\n\n0.2, 2,\n{beyond}\n")
    client = make_client({"rate": (0.0, 1.0)})
    with pytest.raises(UserInputError, match="line 5 has more values than the header"):
        attach_trials(client, path)
    assert not client._experiment.trials


@pytest.mark.parametrize("inactive", [math.nan, 5])
def test_parameters_without_a_meaning_are_left_out(inactive: float) -> None:
    def make() -> Client:
        client = Client()
        dependents: Any = {"a": ["u"], "b": ["v", "w"]}
        kind = ChoiceParameterConfig("kind", ["a", "b"], "str", dependent_parameters=dependents)
        client.configure_experiment(
            [kind, *parameter_configs({"u": (0.0, 1.0), "v": (1, 9), "w": (0.0, 1.0)})]
        )
        client.configure_optimization(objective="-loss")
        return client

    earlier = make()
    points: list[dict[str, Any]] = [{"kind": "a", "u": 0.5}, {"kind": "b", "v": 3, "w": 0.25}]
    for point in points:
        earlier.complete_trial(earlier.attach_trial(dict(point)), {"loss": 1.0})
    client = make()
    attach_trials(client, earlier.summarize().fillna({"v": inactive}))
    assert [trial.arms[0].parameters for trial in client._experiment.trials.values()] == points


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"rate": "fast"}, "Row 1: 'rate' is 'fast', which is no float"),
        ({"rate": math.inf}, "Row 1: 'rate' is inf, which is no float"),
        ({"layers": 2.5}, "Row 1: 'layers' is 2.5, which is no int"),
        ({"bias": "no"}, "Row 1: 'bias' is 'no', which is no bool"),
        ({"loss": "low"}, "Row 1: 'loss' is 'low', which is no number"),
        ({"loss": -math.inf}, "Row 1: 'loss' is -inf, which would be better than everything"),
        ({"penalty": math.nan}, "Row 1 has no 'penalty'"),
    ],
)
def test_of_a_table_with_a_wrong_value_nothing_is_attached(
    wrong: dict[str, Any], message: str
) -> None:
    good = {"rate": 0.5, "layers": 2, "bias": False, "penalty": "l2", "loss": 1.0}
    client = make_client()
    with pytest.raises(UserInputError, match=message):
        attach_trials(client, pd.DataFrame([good, good | wrong]))
    assert not client._experiment.trials


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"kernel": "RBF"}, "Row 1: 'kernel' is 'RBF', which has no place in its parameter"),
        ({"level": "huge"}, "Row 1: 'level' is 'huge', which has no place"),
        ({"seed": 3}, "Row 1: 'seed' is 3, which has no place"),
        ({"rate": 0.0}, "Row 1: 'rate' is 0.0, which has no place"),
    ],
)
def test_what_no_model_could_learn_from_is_refused(wrong: dict[str, Any], message: str) -> None:
    client = Client()
    choices = [
        ChoiceParameterConfig("kernel", ["rbf", "poly"], "str", is_ordered=False),
        ChoiceParameterConfig("level", ["low", "high"], "str", is_ordered=True),
        ChoiceParameterConfig("seed", [1, 2, 5], "int", is_ordered=False),
    ]
    ranges = parameter_configs({"rate": (1e-4, 1.0, "log"), "size": [32, 64]})
    client.configure_experiment([*choices, *ranges])
    client.configure_optimization(objective="-loss")
    good = {"kernel": "rbf", "level": "low", "seed": 1, "rate": 0.5, "size": 32, "loss": 1.0}
    with pytest.raises(UserInputError, match=message):
        attach_trials(client, pd.DataFrame([good, good | wrong]))
    assert attach_trials(client, pd.DataFrame([good, good | {"rate": 7.0, "size": 48}])) == [0, 1]


def test_what_is_no_table_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "past.csv"
    for content, fault in ((b"", "it is empty"), (b"rate,loss\n1,\xe9\n", "not in UTF-8")):
        path.write_bytes(content)
        with pytest.raises(UserInputError, match=f"cannot be read as a CSV file: .*{fault}"):
            attach_trials(make_client(), path)
    twice = pd.DataFrame([[0.5, 0.5, 2, True, "l2", 1.0]])
    twice.columns = pd.Index(["rate", "rate", "layers", "bias", "penalty", "loss"])
    with pytest.raises(UserInputError, match="has the columns rate twice"):
        attach_trials(make_client(), twice)


@pytest.mark.parametrize("sign", [";", "\t"])
def test_another_sign_than_a_comma_is_named(sign: str, tmp_path: Path) -> None:
    path = tmp_path / "past.csv"
    path.write_text("rate,loss\n0.5,1\n".replace(",", sign).replace(".", ","))
    client = make_client({"rate": (0.0, 1.0)})
    with pytest.raises(UserInputError, match="between values; use commas, and points"):
        attach_trials(client, path)
