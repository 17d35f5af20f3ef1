"""Predicted ranks along parameters, through one evaluated arm."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from ax.analysis.plotly.surface.utils import get_features_for_slice_or_contour
from ax.core.parameter import (
    ChoiceParameter,
    DerivedParameter,
    FixedParameter,
    Parameter,
    ParameterType,
    RangeParameter,
    TParamValue,
)
from ax.exceptions.core import UserInputError

from botorch_popbo.ax._hierarchy import all_parameters
from botorch_popbo.ax.analyses.fitted_ranks import FittedRanks
from botorch_popbo.ax.analyses.summaries import summarize_ranks

_LEVELS = (0.9,)


def tunable_parameters(ranks: FittedRanks, names: Sequence[str] | None = None) -> list[Parameter]:
    """Parameters that can be varied on their own.

    Args:
        ranks: The fitted model.
        names: Names of the parameters; by default all that have a meaning in the best arm and are
            neither fixed nor derived.

    Returns:
        The parameters.

    Raises:
        UserInputError: If there is no such parameter.
    """
    best = ranks.best_parameters
    tunable = {
        name: parameter
        for name, parameter in ranks.experiment.search_space.parameters.items()
        if name in best and not isinstance(parameter, FixedParameter | DerivedParameter)
    }
    for name in names or ():
        if name not in tunable:
            raise UserInputError(
                f"There is no parameter {name!r} to vary in arm {ranks.best_arm_name}; there are "
                f"{', '.join(tunable)}."
            )
    return list(tunable.values()) if names is None else [tunable[name] for name in names]


def parameter_grid(parameter: Parameter, density: int) -> list[TParamValue]:
    """Values of a parameter, from its first to its last.

    Args:
        parameter: A range or choice parameter.
        density: Number of values of a continuous parameter, and the most of an integer one.

    Returns:
        Values that are even on the parameter's scale; all values of a choice.
    """
    if isinstance(parameter, ChoiceParameter):
        return list(parameter.values)
    assert isinstance(parameter, RangeParameter)
    space = np.geomspace if parameter.log_scale else np.linspace
    values = space(parameter.lower, parameter.upper, density)
    if parameter.parameter_type is not ParameterType.INT:
        # Powers are rounded, and must not leave the range.
        return [float(value) for value in values.clip(parameter.lower, parameter.upper)]
    return [int(value) for value in np.unique(values.round())]


def predict_grid(ranks: FittedRanks, grid: Sequence[dict[str, TParamValue]]) -> pd.DataFrame:
    """Predict the numbers of better points where the other parameters are those of the best arm.

    Args:
        ranks: The fitted model.
        grid: Values of the parameters that vary, for ``n`` points.

    Returns:
        ``n`` rows with the varied parameters, the expected number of better points ``predicted``
        and its 90 % interval, ``lower_90`` and ``upper_90``.
    """
    space = ranks.experiment.search_space
    # Beside another value of what decides about them other parameters may have a meaning.
    best = all_parameters(ranks.best_parameters, space)
    full = [
        get_features_for_slice_or_contour(dict(values), space, best).parameters for values in grid
    ]
    summary = summarize_ranks(ranks.posterior(full), _LEVELS)
    return pd.concat([pd.DataFrame(grid), summary], axis=1)


def predict_slices(
    ranks: FittedRanks, parameters: Sequence[Parameter], density: int
) -> dict[str, pd.DataFrame]:
    """Predict along each parameter.

    Args:
        ranks: The fitted model.
        parameters: The parameters.
        density: Number of values of a continuous parameter.

    Returns:
        For each parameter's name what :func:`predict_grid` returns along it.
    """
    return {
        parameter.name: predict_grid(
            ranks, [{parameter.name: value} for value in parameter_grid(parameter, density)]
        )
        for parameter in parameters
    }
