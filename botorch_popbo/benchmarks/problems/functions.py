"""Test functions without noise: the paper's, and others of BoTorch's."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

from botorch_popbo.benchmarks.problems.base import Problem, ProblemEntry
from botorch_popbo.benchmarks.settings import Parameters

if TYPE_CHECKING:
    from botorch.test_functions import SyntheticTestFunction


@dataclass(frozen=True, kw_only=True)
class SyntheticProblem(Problem):
    """A noise-free test function in double precision, minimized."""

    function: "SyntheticTestFunction" = field(repr=False)

    def score(self, parameters: Parameters) -> float:
        """See the base class."""
        import torch

        point = [float(parameters[name]) for name in self.space.parameters]
        return float(self.function(torch.tensor([point], dtype=torch.float64), noise=False))


@dataclass(frozen=True)
class Function:
    """What is known of a test function.

    Attributes:
        description: What it is.
        kind: The name of its class.
        options: Arguments of the class.
        deviations: Of the noise that Wang et al. (2023), appendix "Robustness to various noise
            level", adds.
        extent: The largest minus the smallest value on the domain.
        num_initial: The size of the initial design.
        is_off_centre: Whether the domain is cut so that its middle, where some methods begin, is
            not the optimum.
    """

    description: str
    kind: str
    options: Mapping[str, Any] = field(default_factory=dict)
    deviations: tuple[float, ...] = ()
    extent: float = 0.0
    num_initial: int = 12
    is_off_centre: bool = False

    def make(self) -> Any:
        """The function in double precision."""
        import torch
        from botorch.test_functions import synthetic

        kind: Any = getattr(synthetic, self.kind)
        options = {**self.options, "dtype": torch.float64}
        if "dim" not in signature(kind).parameters:
            options.pop("dim", None)
        function = kind(**options)
        if not self.is_off_centre:
            return function
        whole = torch.as_tensor(function.bounds).T.tolist()
        cut = [(low + _CUT * (high - low) if low == -high else low, high) for low, high in whole]
        return kind(bounds=cut, **options)


def _valley(dim: int) -> dict[str, Any]:
    return {"dim": dim, "bounds": [(-5.0, 10.0)] * dim}


# Their names in BoTorch, with the number of parameters.
_OTHERS = (
    *("Ackley-8", "Beale-2", "Bukin-2", "DixonPrice-6", "DropWave-2", "EggHolder-2"),
    *("Griewank-5", "HolderTable-2", "Levy-6", "Michalewicz-5", "Powell-8", "Rastrigin-4"),
    *("Shekel-4", "SixHumpCamel-2", "StyblinskiTang-6", "ThreeHumpCamel-2"),
)
_CUT = 0.03  # of the width, from the lower side


def _off_centre(title: str, dim: str) -> Function:
    text = f"BoTorch's {title} of {dim} parameters, the optimum off the centre"
    return Function(text, title, {"dim": int(dim)}, is_off_centre=True)


FUNCTIONS = {
    "hartmann6": Function("Hartmann-6 on [0, 1]^6", "Hartmann", {}, (0.075, 0.1), 3.32),
    "branin": Function("Branin on [-5, 10] x [0, 15]", "Branin", {}, (2.0, 5.0), 308.0),
    # Its valley wants a larger initial design.
    "rosenbrock6": Function(
        *("Rosenbrock on [-5, 10]^6, 30 initial points", "Rosenbrock", _valley(6), (5.0,), 4.34e6),
        num_initial=30,
    ),
    "rosenbrock2": Function(
        "Rosenbrock on [-5, 10]^2", "Rosenbrock", _valley(2), (2.0, 5.0), 1.1026e6
    ),
    **{other.replace("-", "").lower(): _off_centre(*other.split("-")) for other in _OTHERS},
}


def exact_functions() -> Iterator[ProblemEntry]:
    """The problems of all functions."""
    for name, function in FUNCTIONS.items():
        yield ProblemEntry(name, f"function: {function.description}", partial(exact, name))


def exact(name: str, _: Path | None = None) -> SyntheticProblem:
    """The problem of a function itself."""
    import torch

    from botorch_popbo.space import Parameter, Space

    function = FUNCTIONS[name].make()
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
