"""What the tutorials share: a problem, a loop, and what is asked of a loop in the end."""

import argparse
import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from botorch.acquisition import AcquisitionFunction
from botorch.optim import optimize_acqf
from botorch.test_functions import Branin
from botorch.utils.sampling import draw_sobol_samples
from torch import Tensor

UNIT = torch.tensor([[0.0, 0.0], [1.0, 1.0]]).double()
_BRANIN = Branin(negate=True, dtype=torch.double)


class Reached(NamedTuple):
    """What had to be beaten, such as the best point of the design, and what was reached."""

    least: float
    value: float


def branin(X: Tensor) -> Tensor:
    """Minus Branin of the first two columns of the unit cube, ``N x 1``."""
    low, high = _BRANIN.bounds
    return _BRANIN(low + (high - low) * X[..., :2]).unsqueeze(-1)


def design(number: int, dim: int = 2, seed: int = 0) -> Tensor:
    """Sobol points of the unit cube, ``number x dim``."""
    return draw_sobol_samples(unit(dim), number, 1, seed=seed).squeeze(1)


def unit(dim: int) -> Tensor:
    """The bounds of the unit cube, ``2 x dim``."""
    return torch.stack([torch.zeros(dim), torch.ones(dim)]).double()


def best(function: AcquisitionFunction, q: int = 1, dim: int = 2, **options: Any) -> Tensor:
    """What maximizes an acquisition function, ``q x dim``."""
    options = {"num_restarts": 2, "raw_samples": 64} | options
    return optimize_acqf(function, options.pop("bounds", unit(dim)), q, **options)[0]


def improve(
    suggest: Callable[[Tensor, Tensor], Tensor],
    steps: int,
    outcome: Callable[[Tensor], Tensor] = branin,
    X: Tensor | None = None,
) -> Reached:
    """Evaluate what is suggested, again and again."""
    X = design(8) if X is None else X
    Y, first = outcome(X), len(X)
    for _ in range(steps):
        new = suggest(X, Y)
        X, Y = torch.cat([X, new]), torch.cat([Y, outcome(new)])
    return Reached(float(Y[:first].max()), float(Y[first:].max()))


def main(tutorials: dict[str, Callable[..., Reached]]) -> None:
    """Run those that are named, or all."""
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", metavar="TUTORIAL", help=", ".join(tutorials))
    parser.add_argument("--steps", type=int, default=15)
    arguments = parser.parse_args()
    for name in arguments.names or tutorials:
        print(name, run(tutorials[name], arguments.steps))


def run(tutorial: Callable[..., Reached], steps: int) -> Reached:
    """Run one, of so many steps if it has any."""
    torch.manual_seed(0)
    has_steps = "steps" in inspect.signature(tutorial).parameters
    return tutorial(steps) if has_steps else tutorial()


def tutorials_of(module: dict[str, Any]) -> dict[str, Callable[..., Reached]]:
    """The functions of a module that reach something, by name."""
    own = {name: thing for name, thing in module.items() if inspect.isfunction(thing)}
    return {
        name: function
        for name, function in own.items()
        if function.__module__ == module["__name__"]
        and function.__annotations__["return"] is Reached
        and set(inspect.signature(function).parameters) <= {"steps"}
    }
