from dataclasses import replace

import pytest
import torch
from torch import Tensor

from botorch_popbo.benchmarks.methods import TensorOptimizer
from botorch_popbo.benchmarks.points import suggestion_seed
from botorch_popbo.benchmarks.problems import PROBLEMS
from botorch_popbo.benchmarks.settings import Parameters, Setting

SETTING = Setting("branin", "recorder", 2, 5)
POINTS: list[Parameters] = [{"x0": -5.0, "x1": 0.0}, {"x0": 2.5, "x1": 15.0}]


class Recorder(TensorOptimizer):
    """Draws a point from the global generator and keeps what it was given."""

    def choose_encoded(self, X: Tensor, Y: Tensor, seed: int) -> tuple[Tensor, int]:
        self.given = X, Y, seed
        return torch.rand(X.shape[-1], dtype=torch.float64), int(Y.argmax())


def recorder(minimize: bool = True) -> Recorder:
    loop = Recorder(replace(PROBLEMS["branin"].load(None), minimize=minimize), SETTING)
    for point, outcome in zip(POINTS, (3.0, 7.0), strict=True):
        loop.observe(point, outcome)
    return loop


@pytest.mark.parametrize(("minimize", "sign", "best"), [(True, -1.0, 0), (False, 1.0, 1)])
def test_larger_is_better_for_a_method(minimize: bool, sign: float, best: int) -> None:
    loop = recorder(minimize)
    suggestion = loop.suggest(2)
    X, Y, seed = loop.given
    assert X.tolist() == [[-5.0, 0.0], [2.5, 15.0]]
    assert Y.tolist() == [[sign * 3.0], [sign * 7.0]]
    assert seed == suggestion_seed("branin", 5, 2)
    assert suggestion.incumbent == POINTS[best]
    assert suggestion.generator == "recorder"
