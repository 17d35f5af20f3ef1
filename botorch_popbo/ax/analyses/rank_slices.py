"""Expected ranks along each parameter."""

from collections.abc import Sequence

import pandas as pd
from ax.analysis.plotly.color_constants import AX_BLUE
from ax.analysis.plotly.plotly_analysis import PlotlyAnalysisCard
from ax.analysis.plotly.utils import get_scatter_point_color
from ax.core.parameter import ChoiceParameter, Parameter, TParamValue
from ax.exceptions.core import UserInputError
from plotly import graph_objects as go
from plotly.subplots import make_subplots

from botorch_popbo.ax.analyses.axes import coordinates, labels, parameter_axis
from botorch_popbo.ax.analyses.base import RankAnalysis
from botorch_popbo.ax.analyses.fitted_ranks import FittedRanks
from botorch_popbo.ax.analyses.slices import predict_slices, tunable_parameters

_DENSITY = 60
_MAX_COLUMNS = 3
_ROW_HEIGHT = 260  # pixels


class RankSlices(RankAnalysis):
    """How the expected number of better points changes along each parameter.

    The other parameters are those of the arm that the model recommends. The data frame has the
    columns ``parameter``, ``value``, ``predicted``, ``lower_90`` and ``upper_90``.

    Args:
        parameter_names: Names of the parameters; by default all that have a meaning in the
            recommended arm and are not fixed.
        metric_name: Name of an objective's metric; by default the first one.
    """

    def __init__(
        self, parameter_names: Sequence[str] | None = None, metric_name: str | None = None
    ) -> None:
        super().__init__(metric_name)
        self.parameter_names = parameter_names

    def check(self, ranks: FittedRanks) -> None:
        """Require the parameters to exist, and one at least."""
        if not tunable_parameters(ranks, self.parameter_names):
            raise UserInputError("Name at least one parameter, or leave parameter_names out.")

    def card(self, ranks: FittedRanks) -> PlotlyAnalysisCard:
        """Predict along each parameter and draw."""
        parameters = tunable_parameters(ranks, self.parameter_names)
        slices = predict_slices(ranks, parameters, _DENSITY)
        subtitle = (
            "How many of the evaluated points are expected to be better (0 = best) if one "
            f"parameter changes and all others stay as in arm {ranks.best_arm_name}, which the "
            "model recommends (dashed line). Shaded: 90 % interval."
        )
        df = pd.concat(
            [
                df.rename(columns={name: "value"}).assign(parameter=name)
                for name, df in slices.items()
            ],
            ignore_index=True,
        )
        return self.make_card(
            f"Rank slices: {ranks.metric_name}",
            subtitle,
            df[["parameter", "value", "predicted", "lower_90", "upper_90"]],
            _figure(parameters, slices, ranks.best_parameters),
        )


def _figure(
    parameters: Sequence[Parameter],
    slices: dict[str, pd.DataFrame],
    best: dict[str, TParamValue],
) -> go.Figure:
    columns = min(len(parameters), _MAX_COLUMNS)
    rows = -(-len(parameters) // columns)
    fig = make_subplots(
        rows, columns, shared_yaxes="all", vertical_spacing=0.3 / rows, horizontal_spacing=0.04
    )
    for index, parameter in enumerate(parameters):
        cell = {"row": index // columns + 1, "col": index % columns + 1}
        fig.add_traces(_traces(parameter, slices[parameter.name]), cell["row"], cell["col"])
        fig.update_xaxes(parameter_axis(parameter), **cell)
        [value] = coordinates(parameter, [best[parameter.name]])
        fig.add_vline(value, line={"color": "gray", "dash": "dash", "width": 1.5}, **cell)
    fig.update_yaxes(rangemode="tozero")
    fig.update_yaxes(title_text="Better points", ticks="outside", col=1)
    fig.update_layout(showlegend=False, height=_ROW_HEIGHT * rows + 80, margin={"t": 30})
    return fig


def _traces(parameter: Parameter, df: pd.DataFrame) -> list[go.Scatter]:
    x = coordinates(parameter, df[parameter.name].tolist())
    faint = get_scatter_point_color(AX_BLUE, ci_transparency=True)
    mean = go.Scatter(x=x, y=df["predicted"], line={"color": AX_BLUE}, mode="lines")
    mean.text = labels(df[parameter.name].tolist())
    mean.hovertemplate = "%{text}<br>%{y:.1f} better points expected<extra></extra>"
    if isinstance(parameter, ChoiceParameter):
        mean.mode = "markers"
        mean.marker = {"color": AX_BLUE}
        mean.error_y = {
            "type": "data",
            "array": df["upper_90"] - df["predicted"],
            "arrayminus": df["predicted"] - df["lower_90"],
            "color": faint,
            "width": 0,
        }
        return [mean]
    band = go.Scatter(
        x=[*x, *reversed(x)],
        y=[*df["upper_90"], *reversed(df["lower_90"].tolist())],
        fill="toself",
        fillcolor=faint,
        line={"width": 0},
        hoverinfo="skip",
        mode="lines",
    )
    return [band, mean]
