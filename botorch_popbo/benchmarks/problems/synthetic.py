"""Branin, Hartmann-6, Rosenbrock and Forrester: test functions, without noise."""

from dataclasses import dataclass, field

import torch
from ax.api.configs import RangeParameterConfig
from botorch.test_functions.synthetic import Branin, Hartmann, Rosenbrock, SyntheticTestFunction

from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.settings import Parameters
from botorch_popbo.test_functions import Forrester


@dataclass(frozen=True, kw_only=True)
class SyntheticProblem(Problem):
    """A noise-free test function in double precision, minimized.

    Attributes:
        function: The test function.
    """

    function: SyntheticTestFunction = field(repr=False)

    def score(self, parameters: Parameters) -> float:
        """See the base class."""
        point = [float(parameters[config.name]) for config in self.parameters]
        X = torch.tensor([point], dtype=torch.float64)
        return float(self.function(X, noise=False))


def branin() -> SyntheticProblem:
    """Branin on [-5, 10] x [0, 15]."""
    return _problem("branin", Branin(dtype=torch.float64))


def hartmann6() -> SyntheticProblem:
    """Hartmann-6 on the unit cube."""
    return _problem("hartmann6", Hartmann(dim=6, dtype=torch.float64))


def rosenbrock2() -> SyntheticProblem:
    """Rosenbrock in two dimensions on [-5, 10]."""
    return _problem("rosenbrock2", _rosenbrock(2))


def rosenbrock6() -> SyntheticProblem:
    """Rosenbrock in six dimensions on [-5, 10]; its valley wants a larger initial design."""
    return _problem("rosenbrock6", _rosenbrock(6), num_initial=30)


def _rosenbrock(dim: int) -> Rosenbrock:
    return Rosenbrock(dim=dim, bounds=[(-5.0, 10.0)] * dim, dtype=torch.float64)


def forrester() -> SyntheticProblem:
    """Forrester on [0, 1]; on one axis twelve initial points would leave nothing to find."""
    return _problem("forrester", Forrester(dtype=torch.float64), num_initial=5)


def _problem(name: str, function: SyntheticTestFunction, num_initial: int = 12) -> SyntheticProblem:
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
        num_initial=num_initial,
        function=function,
    )
