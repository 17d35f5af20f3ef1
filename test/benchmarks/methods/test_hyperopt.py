import pytest
from helpers.optimizer_contract import OptimizerContract

from botorch_popbo.benchmarks.methods import hyperopt

pytest.importorskip("hyperopt")


@pytest.mark.parametrize("method", hyperopt.METHODS, ids=lambda method: method.name)
class TestHyperopt(OptimizerContract):
    pass
