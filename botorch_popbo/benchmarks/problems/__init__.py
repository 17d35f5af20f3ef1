"""The registry of problems."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.problems.distortion import distorted_functions
from botorch_popbo.benchmarks.problems.failures import failing_functions
from botorch_popbo.benchmarks.problems.fcnet import fcnet, noisy_fcnet
from botorch_popbo.benchmarks.problems.live import digits
from botorch_popbo.benchmarks.problems.nasbench201 import nasbench201
from botorch_popbo.benchmarks.problems.noise import noisy_functions
from botorch_popbo.benchmarks.problems.rank_only import rank_only_functions
from botorch_popbo.benchmarks.problems.synthetic import (
    branin,
    forrester,
    hartmann6,
    rosenbrock2,
    rosenbrock6,
)
from botorch_popbo.benchmarks.tables.fcnet import DATA_SETS


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


def _fcnet_entries() -> dict[str, ProblemEntry]:
    found = {}
    for data_set in DATA_SETS:
        name = f"fcnet-{data_set.split('_')[0]}"
        text = f"table: two-layer network on {data_set}, 9 choices (fcnet_valid.npz)"
        found[name] = ProblemEntry(text, partial(fcnet, name, data_set))
        text = f"{name}, one of the four trainings at random"
        make = partial(noisy_fcnet, f"{name}-noisy", data_set)
        found[f"{name}-noisy"] = ProblemEntry(text, make)
    return found


def _function_entries() -> dict[str, ProblemEntry]:
    families = (noisy_functions, distorted_functions, failing_functions, rank_only_functions)
    return {
        name: _function_entry(description, make)
        for family in families
        for name, (description, make) in family().items()
    }


def _function_entry(description: str, make: Callable[[], Problem]) -> ProblemEntry:
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
    "rosenbrock2": ProblemEntry("function: Rosenbrock on [-5, 10]^2", lambda _: rosenbrock2()),
    "forrester": ProblemEntry(
        "function: Forrester on [0, 1], 5 initial points", lambda _: forrester()
    ),
    **_function_entries(),
    **_fcnet_entries(),
    "nasbench201": ProblemEntry(
        "table: cell of six operations on CIFAR-10 (nasbench201.npz)", nasbench201
    ),
}

__all__ = ["PROBLEMS", "Problem", "ProblemEntry"]
