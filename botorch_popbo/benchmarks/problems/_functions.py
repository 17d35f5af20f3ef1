"""Test functions without noise: the paper's, Forrester's, and others of BoTorch's."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from inspect import signature
from typing import Any

import torch
from botorch.test_functions import synthetic
from botorch.test_functions.synthetic import Branin, Hartmann, Rosenbrock, SyntheticTestFunction

from botorch_popbo.benchmarks.problems._forrester import Forrester
from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.settings import Parameters
from botorch_popbo.space import Parameter, Space


@dataclass(frozen=True, kw_only=True)
class SyntheticProblem(Problem):
    """A noise-free test function in double precision, minimized."""

    function: SyntheticTestFunction = field(repr=False)

    def score(self, parameters: Parameters) -> float:
        point = [float(parameters[name]) for name in self.space.parameters]
        X = torch.tensor([point], dtype=torch.float64)
        return float(self.function(X, noise=False))


@dataclass(frozen=True)
class Function:
    """What is known of a test function."""

    description: str
    #: Makes it, given a dtype.
    kind: Callable[..., SyntheticTestFunction]
    #: Of the noise that Wang et al. (2023), appendix "Robustness to various noise level", adds.
    deviations: tuple[float, ...] = ()
    #: The largest minus the smallest value on the domain.
    extent: float = 0.0
    num_initial: int = 12


def _rosenbrock(dim: int) -> Callable[..., Rosenbrock]:
    return partial(Rosenbrock, dim, bounds=[(-5.0, 10.0)] * dim)


def _off_centre(make: Callable[..., SyntheticTestFunction], dtype: torch.dtype) -> Any:
    """A function whose domain has its optimum not in the middle, where some methods begin."""
    whole = torch.as_tensor(make(dtype=dtype).bounds).T.tolist()
    cut = [(low + _CUT * (high - low) if low == -high else low, high) for low, high in whole]
    return make(bounds=cut, dtype=dtype)


def _others() -> Iterator[tuple[str, Function]]:
    for title, dim in _OTHERS.items():
        kind = getattr(synthetic, title)
        make = partial(kind, dim=dim) if "dim" in signature(kind).parameters else kind
        text = f"BoTorch's {title} of {dim} parameters, the optimum off the centre"
        yield f"{title.lower()}{dim}", Function(text, partial(_off_centre, make))


# By their names in BoTorch, with the number of parameters.
_OTHERS = {
    "Ackley": 8,
    "Beale": 2,
    "Bukin": 2,
    "DixonPrice": 6,
    "DropWave": 2,
    "EggHolder": 2,
    "Griewank": 5,
    "HolderTable": 2,
    "Levy": 6,
    "Michalewicz": 5,
    "Powell": 8,
    "Rastrigin": 4,
    "Shekel": 4,
    "SixHumpCamel": 2,
    "StyblinskiTang": 6,
    "ThreeHumpCamel": 2,
}
_CUT = 0.03  # of the width, from the lower side

_VALLEY = "Rosenbrock on [-5, 10]^6, 30 initial points"
FUNCTIONS = {
    "hartmann6": Function("Hartmann-6 on [0, 1]^6", Hartmann, (0.075, 0.1), 3.32),
    "branin": Function("Branin on [-5, 10] x [0, 15]", Branin, (2.0, 5.0), 308.0),
    # Its valley wants a larger initial design.
    "rosenbrock6": Function(_VALLEY, _rosenbrock(6), (5.0,), 4.34e6, num_initial=30),
    "rosenbrock2": Function("Rosenbrock on [-5, 10]^2", _rosenbrock(2), (2.0, 5.0), 1.1026e6),
    # On one axis twelve initial points would leave nothing to find.
    "forrester": Function("Forrester on [0, 1], 5 initial points", Forrester, num_initial=5),
    **dict(_others()),
}


def exact(name: str) -> SyntheticProblem:
    """The problem of a function itself."""
    function = FUNCTIONS[name].kind(dtype=torch.float64)
    ranges = enumerate(torch.as_tensor(function.bounds).T.tolist())
    return SyntheticProblem(
        name=name,
        space=Space({f"x{i}": Parameter(low, high) for i, (low, high) in ranges}),
        label="function value",
        optimal_value=float(function.optimal_value),
        num_initial=FUNCTIONS[name].num_initial,
        group="functions",
        function=function,
    )
