"""A search space as a plain dictionary."""

from collections.abc import Mapping
from typing import Literal

from ax.api.configs import ChoiceParameterConfig, RangeParameterConfig
from ax.exceptions.core import UserInputError
from botorch.exceptions import InputDataError

from botorch_popbo.space import Parameter, Space

_MAX_WHOLE = 100_000  # ten times as many take minutes a suggestion, a billion all memory


def parameter_configs(
    space: Mapping[str, object] | Space,
) -> list[RangeParameterConfig | ChoiceParameterConfig]:
    """What Ax's ``Client.configure_experiment(parameters=...)`` takes, from a dictionary.

    Args:
        space: What each parameter may be, by its name; see :data:`~botorch_popbo.space.Notation`.
            Ranges hold at most 100,000 whole numbers, and in other steps they become ordered
            choices. Or a space.

    Returns:
        A configuration for each parameter.

    Raises:
        UserInputError: If the dictionary is empty, or a parameter is none of these.
    """
    try:
        read = Space.read(space)
    except InputDataError as error:
        raise UserInputError(str(error)) from None
    constants = {name: Parameter(0, 1, choices=(value,)) for name, value in read.constants.items()}
    return [_config(name, parameter) for name, parameter in (read.parameters | constants).items()]


def _config(name: str, parameter: Parameter) -> RangeParameterConfig | ChoiceParameterConfig:
    choices, step = parameter.choices, parameter.step
    if choices is None and step is not None and parameter.size > _MAX_WHOLE:
        raise UserInputError(
            f"{name}: a range holds at most {_MAX_WHOLE:,} whole numbers, because Ax lists them, "
            f"not {parameter.size:,}. Give both ends a decimal point, and round in the function."
        )
    is_whole = isinstance(parameter.low, int) and step == 1
    if choices is None and step is not None and not is_whole:
        choices = tuple(map(parameter.value, parameter.places()))
    if choices is not None:
        kind, is_ordered = type(choices[0]).__name__, parameter.is_ordered
        return ChoiceParameterConfig(name, [*choices], kind, is_ordered)  # type: ignore[arg-type]
    ends = parameter.low, parameter.high
    scaling: Literal["log"] | None = "log" if parameter.is_log else None
    return RangeParameterConfig(name, ends, "int" if is_whole else "float", scaling=scaling)
