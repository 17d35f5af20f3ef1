"""The points of tables of other experiments."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
from ax.core.parameter import Parameter
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
        Points by row, without what is empty.

    Raises:
        UserInputError: If another parameter is empty.
    """
    deciding = [parameter for parameter in parameters.values() if parameter.is_hierarchical]
    may_lack = {name for one in deciding for names in one.dependents.values() for name in names}
    for name in [name for name in parameters if name not in may_lack]:
        if (gaps := table[name].isna()).any():
            raise UserInputError(f"Row {gaps.idxmax()} of a source has no {name!r}.")
    rows = table[list(parameters)].to_dict("index")
    return {
        row: {name: _cast(v, parameters[name]) for name, v in said.items() if pd.notna(v)}
        for row, said in rows.items()
    }


def _cast(said: Any, parameter: Parameter) -> Any:
    """A value in its parameter's type, such as 2 for 2.0, if nothing is lost."""
    try:
        value = parameter.cast(said)
    except (TypeError, ValueError, OverflowError):
        return said
    return value if value == said else said
