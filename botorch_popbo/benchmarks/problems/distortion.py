"""Test functions in a unit that hides their shape: an increasing function of them is observed."""

from dataclasses import dataclass
from math import exp, log

from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.problems.functions import Function, Variants, variants
from botorch_popbo.benchmarks.problems.synthetic import SyntheticProblem
from botorch_popbo.benchmarks.settings import Parameters

_DECADES = 12.0


@dataclass(frozen=True, kw_only=True)
class DistortedProblem(SyntheticProblem):
    """The exponential of a test function, scored by the function itself.

    Attributes:
        extent: The largest minus the smallest value of the function, which become twelve powers of
            ten.
    """

    extent: float

    def evaluate(self, parameters: Parameters, seed: int) -> float:
        """See the base class."""
        return exp(_DECADES * log(10.0) * self.score(parameters) / self.extent)


def _make(key: str, function: Function) -> Problem:
    fields = {**vars(function.make()), "name": key, "extent": function.extent}
    return DistortedProblem(**fields)


def distorted_functions() -> Variants:
    """See :func:`~botorch_popbo.benchmarks.problems.functions.variants`."""
    return variants(
        "distorted", f"observed as its exponential over {_DECADES:g} powers of ten", _make
    )
