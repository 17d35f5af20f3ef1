"""Our parameters as Optuna's, and back."""

from collections.abc import Mapping
from typing import Any

from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)

from botorch_popbo.space import Parameter, Space


def distributions_of(space: Space) -> dict[str, BaseDistribution]:
    """Of choices in an order, of which Optuna has none, the places."""
    return {name: distribution_of(parameter) for name, parameter in space.parameters.items()}


def distribution_of(parameter: Parameter) -> BaseDistribution:
    """That of a parameter by itself."""
    low, high, log = parameter.low, parameter.high, parameter.is_log
    if parameter.choices is not None and not parameter.is_ordered:
        return CategoricalDistribution(parameter.choices)
    if parameter.choices is not None or (isinstance(low, int) and isinstance(parameter.step, int)):
        return IntDistribution(int(low), int(high), log=log, step=int(parameter.step or 1))
    return FloatDistribution(low, high, log=log, step=parameter.step)


def values_of(space: Space, params: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a trial's parameters, and the constants."""
    values = {name: value_of(p, params[name]) for name, p in space.parameters.items()}
    return values | space.constants


def value_of(parameter: Parameter, param: Any) -> Any:
    """The value that a trial's parameter stands for."""
    return parameter.value(param) if _is_place(parameter) else param


def param_of(parameter: Parameter, value: Any) -> Any:
    """What stands for a value in a trial."""
    return int(parameter.place(value)) if _is_place(parameter) else value


def _is_place(parameter: Parameter) -> bool:
    return parameter.choices is not None and parameter.is_ordered
