"""The points of tables of other experiments."""

import math
from collections.abc import Mapping
from numbers import Real
from typing import Any

import pandas as pd
from ax.core.parameter import ChoiceParameter, Parameter, RangeParameter
from ax.core.types import TParameterization
from ax.exceptions.core import UserInputError


def points_of(
    table: pd.DataFrame, parameters: Mapping[str, Parameter]
) -> dict[int, TParameterization]:
    """The points of the rows of a table, in the types of the parameters.

    Args:
        table: Evaluations of an experiment.
        parameters: Parameters by name. Those that others decide about may be empty.

    Returns:
        Points by row, without what is empty. A row is left out if the model has no place for it, as
        for a choice that there is no more, or for zero on a logarithmic scale.

    Raises:
        UserInputError: If another parameter is empty, or a numeric one no finite number.
    """
    deciding = [parameter for parameter in parameters.values() if parameter.is_hierarchical]
    may_lack = {name for one in deciding for names in one.dependents.values() for name in names}
    for name in [name for name in parameters if name not in may_lack]:
        if (gaps := table[name].isna()).any():
            raise UserInputError(
                f"Row {gaps.idxmax()} of a source has no {name!r}. Fill it in, or leave the row "
                "out."
            )
    for name, parameter in parameters.items():
        if parameter.is_numeric:
            check_numbers(table, name)
    rows = table[list(parameters)].to_dict("index")
    points = {
        row: {name: _cast(v, parameters[name]) for name, v in said.items() if pd.notna(v)}
        for row, said in rows.items()
    }
    return {
        row: point
        for row, point in points.items()
        if all(has_place(value, parameters[name]) for name, value in point.items())
    }


def check_numbers(table: pd.DataFrame, name: str, allowed: float = 0.0) -> None:
    """Raise an error if a column holds what is no finite number; it may be empty.

    Args:
        table: Evaluations of an experiment.
        name: The column.
        allowed: An infinity that may be there all the same.

    Raises:
        UserInputError: If it is so.
    """
    for row, said in table[name].dropna().items():
        if not isinstance(said, Real) or not (math.isfinite(said) or said == allowed):
            raise UserInputError(
                f"Row {row} of a source: {name!r} is {said!r}, which is no finite number. Correct "
                "it, or leave the row out."
            )


def has_place(value: Any, parameter: Parameter) -> bool:
    """Whether there is something to learn from a value; Ax passes over trials with others."""
    if isinstance(parameter, ChoiceParameter):
        return value in parameter.values or (parameter.is_ordered and parameter.is_numeric)
    return not (isinstance(parameter, RangeParameter) and parameter.log_scale and value <= 0)


def _cast(said: Any, parameter: Parameter) -> Any:
    """A value in its parameter's type, such as 2 for 2.0, if nothing is lost."""
    try:
        value = parameter.cast(said)
    except (TypeError, ValueError, OverflowError):
        return said
    return value if value == said else said
