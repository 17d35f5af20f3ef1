"""Whether a point lies in a search space."""

import math
from collections.abc import Sequence
from functools import partial

from ax.api.configs import ChoiceParameterConfig

from botorch_popbo.benchmarks.search_space.points import ParameterConfig
from botorch_popbo.benchmarks.settings import Parameters

# A method that computes on another scale may miss the end of a range by the last digits.
_RELATIVE, _SHARE_OF_RANGE = 1e-9, 1e-12


class OutsideError(ValueError):
    """A point that a method suggested is not in the search space."""


def check_membership(space: Sequence[ParameterConfig], point: Parameters) -> None:
    """Check names, types and values; raises OutsideError that names the parameter."""
    names = [config.name for config in space]
    missing = [name for name in names if name not in point]
    unknown = [name for name in point if name not in names]
    if missing or unknown:
        raise OutsideError(f"suggested {dict(point)}: missing {missing}, unknown {unknown}")
    for config in space:
        value = point[config.name]
        if fault := _fault(config, value):
            raise OutsideError(f"suggested {config.name} = {value!r}, which {fault}")


def _fault(config: ParameterConfig, value: object) -> str | None:
    if isinstance(config, ChoiceParameterConfig):
        # Python holds 1, 1.0 and True for equal; to an evaluation they differ.
        known = any(type(value) is type(choice) and value == choice for choice in config.values)
        return None if known else f"is not one of {list(config.values)}"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return f"is not a number but {type(value).__name__}"
    if config.parameter_type == "int" and not isinstance(value, int):
        return f"is not a whole number but {type(value).__name__}"
    low, high = config.bounds
    near = partial(math.isclose, value, rel_tol=_RELATIVE, abs_tol=_SHARE_OF_RANGE * (high - low))
    is_within = low <= value <= high or near(low) or near(high)
    return None if is_within else f"is outside {(low, high)}"
