"""Axes of figures whose coordinates are parameters."""

import math
from collections.abc import Iterable
from typing import Any

from ax.analysis.plotly.utils import truncate_label
from ax.core.parameter import ChoiceParameter, Parameter, RangeParameter, TParamValue

from botorch_popbo.ax._ordered_choices import Places

_MAX_POWERS = 5  # of ten, labelled along a small figure


def parameter_axis(parameter: Parameter) -> dict[str, Any]:
    """Layout of an axis that reaches from one end of a parameter to the other.

    Args:
        parameter: The parameter along the axis.

    Returns:
        Properties of a plotly axis.
    """
    axis: dict[str, Any] = {
        "title": {"text": truncate_label(parameter.name, 30)},
        "ticks": "outside",  # they keep the labels of two axes apart where these meet
    }
    if isinstance(parameter, ChoiceParameter):
        labels = [truncate_label(str(value), 15) for value in parameter.values]
        positions = list(range(len(labels)))
        axis |= {"tickvals": positions, "ticktext": labels, "range": [-0.5, len(labels) - 0.5]}
    elif isinstance(parameter, RangeParameter):
        ends = [float(parameter.lower), float(parameter.upper)]
        if parameter.log_scale:
            ends = [math.log10(end) for end in ends]
            powers = ends[1] - ends[0]
            axis |= {"type": "log", "exponentformat": "power"}
            if powers >= 2:
                axis["dtick"] = math.ceil(powers / _MAX_POWERS)
        axis["range"] = ends
    return axis


def coordinates(parameter: Parameter, values: Iterable[TParamValue]) -> list[TParamValue]:
    """Where values of a parameter lie on its axis: choices at their positions, others in between.

    Args:
        parameter: The parameter.
        values: Some of its values.

    Returns:
        The coordinates.
    """
    if not isinstance(parameter, ChoiceParameter):
        return list(values)
    places = Places(parameter.name, {value: place for place, value in enumerate(parameter.values)})
    return [places[value] for value in values]


def labels(values: Iterable[TParamValue]) -> list[str]:
    """Values of a parameter as text to show on hovering.

    Args:
        values: The values.

    Returns:
        Their texts, numbers with four digits.
    """
    return [f"{v:.4g}" if isinstance(v, float) else str(v) for v in values]
