import pytest
from helpers.optimizer_contract import OptimizerContract

from botorch_popbo.benchmarks.methods import optuna

pytest.importorskip("optuna")


@pytest.mark.parametrize("method", optuna.METHODS, ids=lambda method: method.name)
class TestOptuna(OptimizerContract):
    pass
