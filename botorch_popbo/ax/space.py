"""A search space as a plain dictionary."""

import math
from collections.abc import Mapping
from typing import Any

from ax.api.configs import ChoiceParameterConfig, RangeParameterConfig
from ax.exceptions.core import UserInputError

from botorch_popbo._plain import plain

#: Of each parameter a range ``(low, high)`` or ``(low, high, "log")``, or a list of choices.
Space = Mapping[str, tuple[Any, ...] | list[Any]]

_MAX_WHOLE = 100_000  # ten times as many take minutes a suggestion, a billion all memory
_HELP = 'write (low, high) or (low, high, "log") for a range, and [a, b, c] for choices'


def parameter_configs(space: Space) -> list[RangeParameterConfig | ChoiceParameterConfig]:
    """What Ax's ``Client.configure_experiment(parameters=...)`` takes, from a dictionary.

    Args:
        space: What each parameter may be, by its name. A tuple is a range with both ends: of whole
            numbers (at most 100,000) if both are, and on a logarithmic scale with ``"log"`` as the
            third entry. A list holds choices: numbers are in their order, text and truth values
            have none. All of them may be NumPy's.

    Returns:
        A configuration for each parameter.

    Raises:
        UserInputError: If the dictionary is empty, or a parameter is none of these.
    """
    if not isinstance(space, Mapping) or not space:
        raise UserInputError(
            'The space is a dictionary such as {"rate": (1e-4, 1.0, "log"), "kernel": ["a", "b"]}; '
            f"got {space!r}."
        )
    return [_config(name, said) for name, said in space.items()]


def _config(name: Any, said: Any) -> RangeParameterConfig | ChoiceParameterConfig:
    if not isinstance(name, str):
        raise UserInputError(f"The name of a parameter is a text; got {name!r}.")
    if not isinstance(said, tuple | list):
        raise UserInputError(f"{name}: {said!r} is neither a tuple nor a list; {_HELP}.")
    entries = [plain(one) for one in said]
    return _range(name, tuple(entries)) if isinstance(said, tuple) else _choice(name, entries)


def _range(name: str, said: tuple[Any, ...]) -> RangeParameterConfig:
    ends = said[:2]
    if len(said) not in (2, 3) or not all(map(_is_number, ends)):
        raise UserInputError(f"{name}: {said!r} is no range; {_HELP}.")
    if said[2:] not in ((), ("log",)):
        raise UserInputError(f'{name}: a third entry is "log", not {said[2]!r}.')
    low, high = ends
    if not low < high:
        raise UserInputError(f"{name}: {low!r} is not below {high!r}.")
    if said[2:] and low <= 0:
        raise UserInputError(f"{name}: a logarithmic range is above zero, and {low!r} is not.")
    if all(isinstance(end, int) for end in ends):
        if high - low >= _MAX_WHOLE:
            raise UserInputError(
                f"{name}: a range holds at most {_MAX_WHOLE:,} whole numbers, because Ax lists "
                f"them, not {high - low + 1:,}. Give both ends a decimal point, and round in the "
                "function."
            )
        kind, bounds = "int", (low, high)
    else:
        kind, bounds = "float", (float(low), float(high))
        if math.isinf(bounds[1] - bounds[0]):
            raise UserInputError(f"{name}: the width of {said!r} is more than a number holds.")
    scaling: Any = "log" if said[2:] else None
    return RangeParameterConfig(name, bounds, kind, scaling=scaling)  # type: ignore[arg-type]


def _choice(name: str, said: list[Any]) -> ChoiceParameterConfig:
    kinds = {type(one) for one in said}
    if kinds <= {int, float}:
        return _numbers(name, said)
    if kinds not in ({str}, {bool}):
        raise UserInputError(
            f"{name}: choices are all text, all numbers or all truth values, not {said!r}. Let "
            "them be names, and look up in the function what each stands for."
        )
    _check_different(name, said, said)
    kind: Any = kinds.pop().__name__
    return ChoiceParameterConfig(name, said, kind, is_ordered=False)


def _numbers(name: str, said: list[Any]) -> ChoiceParameterConfig:
    if not all(map(math.isfinite, said)):
        raise UserInputError(f"{name}: choices that are numbers are finite, not {said!r}.")
    kind: Any = float if float in map(type, said) else int
    values = sorted(map(kind, said))
    _check_different(name, said, values)
    return ChoiceParameterConfig(name, values, kind.__name__, is_ordered=True)


def _check_different(name: str, said: list[Any], values: list[Any]) -> None:
    if len(set(values)) < max(len(values), 2):
        raise UserInputError(f"{name}: list at least two different choices, not {said!r}.")


def _is_number(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and math.isfinite(value)
