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


def test_training_data(path: Path) -> None:
    X, Y = read_trials(path, COLUMNS, "loss")
    assert X.tolist() == [[0.1, 0.0], [0.01, 1.0], [0.5, 0.0]]
    assert Y.tolist() == [[-2.0], [-1.0], [-math.inf]]
    assert read_trials(path, COLUMNS, "loss", maximize=True)[1].tolist()[0] == [2.0]
    with pytest.raises(InputDataError, match="no column 'los'"):
        read_trials(path, COLUMNS, "los")
    with pytest.raises(InputDataError, match="kernel is 'poly', not one of rbf, sgd"):
        read_trials(path, {"kernel": Column.categorical(["rbf", "sgd"])}, "loss")


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
