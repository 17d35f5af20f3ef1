"""Branin, Hartmann-6, Rosenbrock and Forrester: test functions, without noise."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import torch
from ax.api.configs import RangeParameterConfig
from botorch.test_functions.synthetic import Branin, Hartmann, Rosenbrock, SyntheticTestFunction

from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.settings import Parameters
from botorch_popbo.test_functions import Forrester


@dataclass(frozen=True, kw_only=True)
class SyntheticProblem(Problem):
    """A noise-free test function in double precision, minimized."""

    function: SyntheticTestFunction = field(repr=False)

    def score(self, parameters: Parameters) -> float:
        point = [float(parameters[config.name]) for config in self.parameters]
        X = torch.tensor([point], dtype=torch.float64)
        return float(self.function(X, noise=False))


@dataclass(frozen=True)
class Function:
    """What is known of a test function."""

    description: str
    make: Callable[[], SyntheticTestFunction]
    num_initial: int = 12
    #: Of the noise that Wang et al. (2023), appendix "Robustness to various noise level", adds.
    deviations: tuple[float, ...] = ()
    #: The largest minus the smallest value on the domain.
    extent: float = 0.0


def _rosenbrock(dim: int) -> Rosenbrock:
    return Rosenbrock(dim=dim, bounds=[(-5.0, 10.0)] * dim, dtype=torch.float64)


FUNCTIONS = {
    "hartmann6": Function(
        "Hartmann-6 on [0, 1]^6",
        partial(Hartmann, dim=6, dtype=torch.float64),
        deviations=(0.075, 0.1),
        extent=3.32,
    ),
    "branin": Function(
        "Branin on [-5, 10] x [0, 15]",
        partial(Branin, dtype=torch.float64),
        deviations=(2.0, 5.0),
        extent=308.0,
    ),
    # Its valley wants a larger initial design.
    "rosenbrock6": Function(
        "Rosenbrock on [-5, 10]^6, 30 initial points",
        partial(_rosenbrock, 6),
        num_initial=30,
        deviations=(5.0,),
        extent=4.34e6,
    ),
    "rosenbrock2": Function(
        "Rosenbrock on [-5, 10]^2",
        partial(_rosenbrock, 2),
        deviations=(2.0, 5.0),
        extent=1.1026e6,
    ),
    # On one axis twelve initial points would leave nothing to find.
    "forrester": Function(
        "Forrester on [0, 1], 5 initial points",
        partial(Forrester, dtype=torch.float64),
        num_initial=5,
    ),
}


def exact(name: str) -> SyntheticProblem:
    """Make the problem of a function itself."""
    function = FUNCTIONS[name].make()
    bounds = torch.as_tensor(function.bounds).T.tolist()
    return SyntheticProblem(
        name=name,
        parameters=[
            RangeParameterConfig(name=f"x{i}", bounds=(low, high), parameter_type="float")
            for i, (low, high) in enumerate(bounds)
        ],
        label="function value",
        metric_name="value",
        minimize=True,
        optimal_value=float(function.optimal_value),
        num_initial=FUNCTIONS[name].num_initial,
        function=function,
    )
