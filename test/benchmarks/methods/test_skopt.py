import pytest
from helpers.optimizer_contract import OptimizerContract

from botorch_popbo.benchmarks.methods import skopt

pytest.importorskip("skopt")


@pytest.mark.parametrize("method", skopt.METHODS, ids=lambda method: method.name)
class TestSkopt(OptimizerContract):
    pass
