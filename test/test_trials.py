import math
from pathlib import Path

import pytest
from ax.api.client import Client
from ax.exceptions.core import UserInputError
from botorch.exceptions import InputDataError

from botorch_popbo import Column, read_trials
from botorch_popbo.ax import attach_trials, parameter_configs, popbo_generation_strategy

COLUMNS = {"rate": Column.continuous(0, 1), "kernel": Column.categorical(["rbf", "poly"])}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "past.csv"
    path.write_text("rate,kernel,loss\n0.1,rbf,2.0\n0.01,poly,1.0\n0.5,rbf,\n")
    return path


@pytest.mark.parametrize("text", ["", "nan", "-nan", "NA"])
def test_no_number_is_a_failure(tmp_path: Path, text: str) -> None:
    path = tmp_path / "past.csv"
    path.write_text(f"rate,kernel,loss\n0.1,rbf,{text}\n")
    assert read_trials(path, COLUMNS, "loss")[1].tolist() == [[-math.inf]]


def test_training_data(path: Path) -> None:
    X, Y = read_trials(path, COLUMNS, "loss")
    assert X.tolist() == [[0.1, 0.0], [0.01, 1.0], [0.5, 0.0]]
    assert Y.tolist() == [[-2.0], [-1.0], [-math.inf]]
    assert read_trials(path, COLUMNS, "loss", maximize=True)[1].tolist()[0] == [2.0]
    with pytest.raises(InputDataError, match="no column 'los'"):
        read_trials(path, COLUMNS, "los")
    with pytest.raises(InputDataError, match="kernel is 'poly', not one of rbf, sgd"):
        read_trials(path, {"kernel": Column.categorical(["rbf", "sgd"])}, "loss")


@pytest.mark.parametrize(
    ("rows", "fault"),
    [
        ("0.1,2.5,200,1\n", "line 2: width is '2.5', no whole number"),
        ("0.1,2,200,1\n0.1\n", "line 3: width is '', no number"),
        ("nan,2,200,1\n", "rate is 'nan', no number"),
        ("0.1,2,250,1\n", "size is '250', not one of 200, 300"),
        ("0.1,2,200,bad\n", "loss is 'bad', no number"),
        ("0.1,2,200,-inf\n", "loss is '-inf', infinitely good"),
        ("0.1,2,200,1,\n0,1,2,200,1\n", "line 3 has more values than the header has names"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path: Path, rows: str, fault: str) -> None:
    path = tmp_path / "past.csv"
    path.write_text("rate,width,size,loss\n" + rows)
    columns = {
        "rate": Column.continuous(0, 1),
        "width": Column.integer(1, 5),
        "size": Column.ordered([200, 300]),
    }
    with pytest.raises(InputDataError, match=fault):
        read_trials(path, columns, "loss")


def test_what_spreadsheets_write(tmp_path: Path) -> None:
    path = tmp_path / "past.csv"
    path.write_text("size, loss\n200.0, 2\n300, NaN\n200, NA\n300, inf\n", encoding="utf-8-sig")
    X, Y = read_trials(path, {"size": Column.ordered([200, 300])}, "loss")
    assert X.tolist() == [[0.0], [1.0], [0.0], [1.0]]
    assert Y.tolist() == [[-2.0], [-math.inf], [-math.inf], [-math.inf]]


def test_truth_values_of_spreadsheets(tmp_path: Path) -> None:
    path = tmp_path / "past.csv"
    path.write_text("bias,word,loss\nTRUE,true,1\nfalse,TRUE,2\n")
    columns = {
        "bias": Column.categorical([True, False]),
        "word": Column.categorical(["TRUE", "true"]),
    }
    assert read_trials(path, columns, "loss")[0].tolist() == [[0.0, 1.0], [1.0, 0.0]]


def test_a_decimal_comma_is_no_further_column(tmp_path: Path) -> None:
    path = tmp_path / "past.csv"
    path.write_text("rate,loss\n0.1,2.5\n0.2,2,5\n")
    with pytest.raises(InputDataError, match="line 3 has more values than the header has names"):
        read_trials(path, {"rate": Column.continuous(0, 1)}, "loss")


def test_what_is_no_table_is_named(tmp_path: Path) -> None:
    path = tmp_path / "past.csv"
    path.write_text("rate,rate,loss\n0.1,0.2,1\n")
    with pytest.raises(InputDataError, match="two columns 'rate'"):
        read_trials(path, {"rate": Column.continuous(0, 1)}, "loss")
    path.write_bytes(b"rate,loss\n0.1,\xe9\n")
    with pytest.raises(InputDataError, match="no CSV file in UTF-8"):
        read_trials(path, {"rate": Column.continuous(0, 1)}, "loss")


def test_trials_of_a_client(path: Path) -> None:
    client = Client()
    space = {"rate": (0.0, 1.0), "kernel": ["rbf", "poly"]}
    client.configure_experiment(parameter_configs(space))
    client.configure_optimization(objective="-loss")
    client.set_generation_strategy(popbo_generation_strategy())
    assert attach_trials(client, path) == [0, 1, 2]
    statuses = [trial.status.name for trial in client._experiment.trials.values()]
    assert statuses == ["COMPLETED", "COMPLETED", "FAILED"]
    assert list(client._experiment.lookup_data().df["mean"]) == [2.0, 1.0]
    path.write_text("rate,kernel,loss\n,rbf,2.0\n")
    with pytest.raises(UserInputError, match="Row 0 has no 'rate'"):
        attach_trials(client, path)
