"""Test functions whose bad points fail, as a training run that diverges."""

from dataclasses import dataclass

import torch
from botorch.utils.sampling import draw_sobol_samples

from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.problems.functions import Function, Variants, variants
from botorch_popbo.benchmarks.problems.synthetic import SyntheticProblem
from botorch_popbo.benchmarks.settings import Parameters

_SHARE = 0.5
_NUM_POINTS = 2**12


@dataclass(frozen=True, kw_only=True)
class FailingProblem(SyntheticProblem):
    """A test function without an outcome where it is too large.

    Attributes:
        threshold: The value above which an evaluation fails.
    """

    threshold: float

    def evaluate(self, parameters: Parameters, seed: int) -> float | None:
        """See the base class."""
        value = self.score(parameters)
        return None if value > self.threshold else value


def _make(key: str, function: Function) -> Problem:
    exact = function.make()
    # Sobol's points, not random ones: the threshold is the same wherever it is computed.
    X = draw_sobol_samples(torch.as_tensor(exact.function.bounds), n=_NUM_POINTS, q=1, seed=0)
    values = exact.function(X.squeeze(1), noise=False)
    threshold = float(values.quantile(1.0 - _SHARE))
    return FailingProblem(**{**vars(exact), "name": key, "threshold": threshold})


def failing_functions() -> Variants:
    """See :func:`~botorch_popbo.benchmarks.problems.functions.variants`."""
    return variants("failures", "the worse half of whose points fail", _make)
