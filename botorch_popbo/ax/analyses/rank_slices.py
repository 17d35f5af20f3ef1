"""Expected ranks along each parameter, and over two of them."""

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import torch
from ax.analysis.plotly.color_constants import AX_BLUE, METRIC_CONTINUOUS_COLOR_SCALE
from ax.analysis.plotly.surface.utils import (
    get_features_for_slice_or_contour,
    get_parameter_values,
    is_axis_log_scale,
)
from ax.analysis.plotly.utils import truncate_label
from ax.core.parameter import (
    ChoiceParameter,
    DerivedParameter,
    FixedParameter,
    Parameter,
    ParameterType,
    TParamValue,
)
from ax.exceptions.core import UserInputError
from plotly import graph_objects as go
from plotly.subplots import make_subplots

from botorch_popbo.ax._hierarchy import all_parameters
from botorch_popbo.ax.analyses._base import FittedRanks, RankAnalysis, summary

_DENSITY = 60  # values of a continuous parameter along a slice
_SURFACE_DENSITY = 30
_MAX_COLUMNS = 3
_ROW_HEIGHT = 260  # pixels


class RankSlices(RankAnalysis):
    """How the expected number of better points changes with the parameters.

    The other parameters are those of the arm that the model recommends. The data frame has the
    columns ``parameter`` and ``value``, of a surface a column for either parameter, ``predicted``,
    ``lower_90`` and ``upper_90``.

    Args:
        parameter_names: Names of the parameters; by default all that have a meaning in the
            recommended arm and are not fixed, of a surface the two along whose slices the expected
            number of better points changes most.
        metric_name: Name of an objective's metric; by default the first one.
        as_surface: Whether to draw a surface over two parameters in place of a slice along each.
    """

    def __init__(
        self,
        parameter_names: Sequence[str] | None = None,
        metric_name: str | None = None,
        as_surface: bool = False,
    ) -> None:
        super().__init__(metric_name)
        self.parameter_names = parameter_names
        self.as_surface = as_surface

    def check(self, ranks: FittedRanks) -> None:
        """Require the parameters to exist, and enough of them."""
        names = self.parameter_names
        parameters = _tunable(ranks, names)
        if not parameters:
            raise UserInputError("Name at least one parameter, or leave parameter_names out.")
        if self.as_surface and (len({*parameters}) < 2 or len(names or "xy") != 2):
            raise UserInputError("A surface takes two different parameters that are not fixed.")

    def contents(self, ranks: FittedRanks) -> tuple[str, str, pd.DataFrame, go.Figure]:
        """Predict along each parameter and draw."""
        names = [*_tunable(ranks, self.parameter_names)]
        slices = {name: _predicted(ranks, [name], _DENSITY) for name in names}
        subtitle = (
            "How many of the evaluated points are expected to be better (0 = best) if {} and all "
            f"others stay as in arm {ranks.best.name}, which the model recommends ({{}}"
        )
        if not self.as_surface:
            df = pd.concat(
                [df.rename(columns={n: "value"}).assign(parameter=n) for n, df in slices.items()],
                ignore_index=True,
            )[["parameter", "value", "predicted", "lower_90", "upper_90"]]
            subtitle = subtitle.format(
                "one parameter changes", "dashed line). Bars: 90 % intervals."
            )
            return f"Rank slices: {ranks.metric_name}", subtitle, df, _slices(slices, ranks)
        if self.parameter_names is None:
            names.sort(key=lambda name: -float(np.ptp(slices[name]["predicted"])))
        df = _predicted(ranks, names[:2], _SURFACE_DENSITY)
        title = f"Rank surface: {ranks.metric_name} over {names[0]} and {names[1]}"
        subtitle = subtitle.format(
            "two parameters change",
            "star). Circles are the other evaluated arms, whose other parameters differ.",
        )
        return title, subtitle, df, _surface(df, names[:2], ranks)


def _tunable(ranks: FittedRanks, names: Sequence[str] | None) -> dict[str, Parameter]:
    """Parameters that can be varied on their own; see :class:`RankSlices`.

    Raises:
        UserInputError: If there is no such parameter.
    """
    tunable = {
        name: parameter
        for name, parameter in ranks.experiment.search_space.parameters.items()
        if name in ranks.best.parameters
        and not isinstance(parameter, FixedParameter | DerivedParameter)
    }
    for name in names or ():
        if name not in tunable:
            raise UserInputError(
                f"There is no parameter {name!r} to vary in arm {ranks.best.name}; there are "
                f"{', '.join(tunable)}."
            )
    return tunable if names is None else {name: tunable[name] for name in names}


def _values(parameter: Parameter, density: int) -> list[TParamValue]:
    """Values of a parameter, from its first to its last, evenly on its scale."""
    if isinstance(parameter, ChoiceParameter):
        return list(parameter.values)
    values = np.array(get_parameter_values(parameter, density), dtype=float)
    if parameter.parameter_type is ParameterType.INT:
        return [int(value) for value in np.unique(values.round())]
    # Powers are rounded, and must not leave the range.
    bounds: Any = parameter
    return [float(value) for value in values.clip(bounds.lower, bounds.upper)]


def _predicted(ranks: FittedRanks, names: Sequence[str], density: int) -> pd.DataFrame:
    """Predictions on a grid, where the other parameters are those of the best arm.

    Returns:
        A column for each of the varied parameters, the expected number of better points
        ``predicted`` and its 90 % interval, ``lower_90`` and ``upper_90``.
    """
    space = ranks.experiment.search_space
    values = [_values(space.parameters[name], density) for name in names]
    grid = [dict(zip(names, point, strict=True)) for point in itertools.product(*values)]
    # Beside another value of what decides about them other parameters may have a meaning.
    best = all_parameters(ranks.best.parameters, space)
    full = [get_features_for_slice_or_contour(dict(p), space, best).parameters for p in grid]
    with torch.no_grad():
        posterior = ranks.model.rank_posterior(ranks.points(full))
    return pd.concat([pd.DataFrame(grid), summary(posterior, 90)], axis=1)


def _axis(parameter: Parameter) -> dict[str, Any]:
    """Layout of an axis along a parameter; choices are equally far apart."""
    kind = "log" if is_axis_log_scale(parameter) else "linear"
    axis: dict[str, Any] = {"title": truncate_label(parameter.name, 30), "type": kind}
    if isinstance(parameter, ChoiceParameter):
        axis |= {"type": "category", "categoryarray": [*map(str, parameter.values)]}
    return axis


def _places(parameter: Parameter, values: Iterable[TParamValue]) -> list[TParamValue]:
    """Where values are on such an axis."""
    return [str(value) if isinstance(parameter, ChoiceParameter) else value for value in values]


def _slices(slices: dict[str, pd.DataFrame], ranks: FittedRanks) -> go.Figure:
    columns = min(len(slices), _MAX_COLUMNS)
    rows = -(-len(slices) // columns)
    fig = make_subplots(rows, columns, shared_yaxes="all", vertical_spacing=0.3 / rows)
    for index, (name, df) in enumerate(slices.items()):
        cell = {"row": index // columns + 1, "col": index % columns + 1}
        parameter = ranks.experiment.search_space.parameters[name]
        above, below = df["upper_90"] - df["predicted"], df["predicted"] - df["lower_90"]
        points = go.Scatter(
            x=_places(parameter, df[name]),
            y=df["predicted"],
            mode="markers",
            marker={"color": AX_BLUE},
            error_y={"array": above, "arrayminus": below, "width": 0, "thickness": 1},
        )
        fig.add_trace(points, **cell)
        fig.update_xaxes(_axis(parameter), **cell)
        [best] = _places(parameter, [ranks.best.parameters[name]])
        fig.add_vline(best, line={"color": "gray", "dash": "dash"}, **cell)
    fig.update_yaxes(rangemode="tozero", title="Better points", col=1)
    fig.update_layout(showlegend=False, height=_ROW_HEIGHT * rows + 80)
    return fig


def _surface(df: pd.DataFrame, names: Sequence[str], ranks: FittedRanks) -> go.Figure:
    x, y = (ranks.experiment.search_space.parameters[name] for name in names)
    table = df.pivot_table(index=y.name, columns=x.name, values="predicted", sort=False)
    surface = go.Heatmap(
        z=table.to_numpy().tolist(),
        x=_places(x, table.columns),
        y=_places(y, table.index),
        colorscale=METRIC_CONTINUOUS_COLOR_SCALE,
        reversescale=True,
        colorbar={"title": "Better points"},
    )
    # In some arms one of the two may have no meaning.
    arms = [arm for arm in ranks.arms if {*names} <= arm.parameters.keys()]
    points = go.Scatter(
        x=_places(x, (arm.parameters[x.name] for arm in arms)),
        y=_places(y, (arm.parameters[y.name] for arm in arms)),
        mode="markers",
        marker={
            "symbol": ["star" if arm == ranks.best else "circle" for arm in arms],
            "size": 12,
            "color": "black",
        },
        text=[arm.name for arm in arms],
    )
    return go.Figure([surface, points]).update_xaxes(_axis(x)).update_yaxes(_axis(y))
