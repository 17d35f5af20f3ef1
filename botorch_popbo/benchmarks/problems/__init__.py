"""The registry of problems."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.problems.fcnet import fcnet
from botorch_popbo.benchmarks.problems.live import digits
from botorch_popbo.benchmarks.problems.nasbench201 import nasbench201
from botorch_popbo.benchmarks.problems.noise import noisy_functions
from botorch_popbo.benchmarks.problems.synthetic import branin, hartmann6, rosenbrock6


@dataclass(frozen=True)
class ProblemEntry:
    """A problem that has not been loaded.

    Attributes:
        description: One line for a list of problems.
        load: Makes the problem, given the folder of table files or None. Raises UsageError if it
            needs a table and does not find it.
    """

    description: str
    load: Callable[[Path | None], Problem]


def _fcnet_entry(short: str, data_set: str) -> tuple[str, ProblemEntry]:
    name = f"fcnet-{short}"
    description = f"table: two-layer network on {data_set}, 9 choices (fcnet_valid.npz)"
    return name, ProblemEntry(description, partial(fcnet, name, data_set))


def _noisy_entry(description: str, make: Callable[[], Problem]) -> ProblemEntry:
    return ProblemEntry(f"function: {description}", lambda _: make())


PROBLEMS: dict[str, ProblemEntry] = {
    "sklearn-digits": ProblemEntry(
        "live: network on scikit-learn's digits, 6 mixed parameters, noisy", lambda _: digits()
    ),
    "hartmann6": ProblemEntry("function: Hartmann-6 on [0, 1]^6", lambda _: hartmann6()),
    "branin": ProblemEntry("function: Branin on [-5, 10] x [0, 15]", lambda _: branin()),
    "rosenbrock6": ProblemEntry(
        "function: Rosenbrock on [-5, 10]^6, 30 initial points", lambda _: rosenbrock6()
    ),
    **{
        name: _noisy_entry(description, make)
        for name, (description, make) in noisy_functions().items()
    },
    **dict(
        [
            _fcnet_entry("naval", "naval_propulsion"),
            _fcnet_entry("parkinsons", "parkinsons_telemonitoring"),
            _fcnet_entry("protein", "protein_structure"),
            _fcnet_entry("slice", "slice_localization"),
        ]
    ),
    "nasbench201": ProblemEntry(
        "table: cell of six operations on CIFAR-10 (nasbench201.npz)", nasbench201
    ),
}

__all__ = ["PROBLEMS", "Problem", "ProblemEntry"]
