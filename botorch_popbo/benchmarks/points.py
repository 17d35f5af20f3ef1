"""Points of a space as a function of (problem, seed, trial) alone, and whether a point is in it.

Nothing here keeps the state of a random generator, so a resumed replication draws what an
uninterrupted one would have drawn.
"""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np

from botorch_popbo.benchmarks.settings import Parameters

if TYPE_CHECKING:
    from botorch_popbo.space import Parameter, Space

_POINT, _EVALUATION, _SUGGESTION = range(3)
# A method that computes on another scale may miss the end of a range by the last digits.
_RELATIVE, _SHARE_OF_RANGE = 1e-9, 1e-12


class OutsideError(ValueError):
    """A point that a method suggested is not in the search space."""


def uniform_point(space: "Space", problem: str, seed: int, trial: int) -> Parameters:
    """Draw a point of a space uniformly; the same for every method.

    On a logarithmic range it is uniform in the logarithm; whole numbers and choices are equally
    likely (on a logarithmic range of whole numbers, likely as the interval that rounds to them).
    """
    generator = np.random.default_rng(_entropy(_POINT, problem, seed, trial))
    unit = generator.random(len(space.parameters)).tolist()
    ends = ((p, *p.outer_ends) for p in space.parameters.values())
    values = (p.value(low + u * (high - low)) for u, (p, low, high) in zip(unit, ends, strict=True))
    return dict(zip(space.parameters, values, strict=True)) | space.constants


def asked_for(space: "Space", value_of: Callable[[str], Any]) -> Parameters:
    """What a person's objective asks for: what has a meaning, after what decides about it."""
    of_some = {name for by in space.dependents.values() for names in by.values() for name in names}
    names = [name for name in space.parameters if name not in of_some]
    found: dict[str, Any] = {}
    for name in names:
        found[name] = value_of(name)
        for place, children in space.dependents.get(name, {}).items():
            if space.parameters[name].value(place) == found[name]:
                names.extend(children)  # which the loop comes to
    return found


def completed(space: "Space", values: Parameters) -> Parameters:
    """A point of every parameter: those that were not asked for are in their middle."""
    middle = {name: p.value(p.middle) for name, p in space.parameters.items()}
    return middle | {name: values[name] for name in middle if name in values} | space.constants


def evaluation_seed(problem: str, seed: int, trial: int) -> int:
    """The seed (32 bits) of a trial's noise; the same for every method."""
    return int(_entropy(_EVALUATION, problem, seed, trial).generate_state(1)[0])


def suggestion_seed(problem: str, seed: int, trial: int) -> int:
    """The seed (32 bits) of the global generators while a trial is suggested."""
    return int(_entropy(_SUGGESTION, problem, seed, trial).generate_state(1)[0])


def check_membership(space: "Space", point: Parameters) -> None:
    """Check names, types and values; raises OutsideError that names the parameter."""
    names = [*space.parameters, *space.constants]
    if point.keys() != {*names}:
        raise OutsideError(f"suggested {dict(point)}, but the names are {names}")
    for name, parameter in space.parameters.items():
        if not _holds(parameter, point[name]):
            valid = parameter.choices or (parameter.low, parameter.high)
            raise OutsideError(f"suggested {name} = {point[name]!r}, which is not in {valid}")


def _holds(parameter: "Parameter", value: object) -> bool:
    if parameter.choices is not None:
        # Python holds 1, 1.0 and True for equal; to an evaluation they differ.
        return any(type(value) is type(one) and value == one for one in parameter.choices)
    if type(value) is not int and (parameter.step is not None or type(value) is not float):
        return False
    low, high = parameter.low, parameter.high
    inside = min(max(value, low), high)
    return math.isclose(value, inside, rel_tol=_RELATIVE, abs_tol=_SHARE_OF_RANGE * (high - low))


def _entropy(purpose: int, problem: str, seed: int, trial: int) -> np.random.SeedSequence:
    return np.random.SeedSequence([purpose, crc32(problem.encode()), seed, trial])
