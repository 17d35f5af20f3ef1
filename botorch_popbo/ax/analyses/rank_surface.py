"""Expected ranks over two parameters."""

import itertools

import pandas as pd
from ax.analysis.plotly.color_constants import METRIC_CONTINUOUS_COLOR_SCALE
from ax.analysis.plotly.plotly_analysis import PlotlyAnalysisCard
from ax.core.parameter import ChoiceParameter, Parameter
from ax.exceptions.core import UserInputError
from plotly import graph_objects as go

from botorch_popbo.ax.analyses.axes import coordinates, labels, parameter_axis
from botorch_popbo.ax.analyses.base import RankAnalysis
from botorch_popbo.ax.analyses.fitted_ranks import FittedRanks
from botorch_popbo.ax.analyses.slices import (
    parameter_grid,
    predict_grid,
    predict_slices,
    tunable_parameters,
)

_DENSITY = 30


class RankSurface(RankAnalysis):
    """The expected number of better points over two parameters, with the evaluated arms.

    The other parameters are those of the arm that the model recommends. The data frame has a
    column for either parameter, ``predicted``, ``lower_90`` and ``upper_90``.

    Args:
        x: Name of the horizontal parameter. By default the parameters are chosen along whose
            slices through the recommended arm the expected number of better points changes most.
        y: Name of the vertical parameter.
        metric_name: Name of an objective's metric; by default the first one.
    """

    def __init__(
        self, x: str | None = None, y: str | None = None, metric_name: str | None = None
    ) -> None:
        super().__init__(metric_name)
        self.x = x
        self.y = y

    def check(self, ranks: FittedRanks) -> None:
        """Require two parameters that exist and differ."""
        given = [name for name in (self.x, self.y) if name is not None]
        tunable_parameters(ranks, given)
        if len(tunable_parameters(ranks)) < 2 or len(given) != len(set(given)):
            raise UserInputError("A surface takes two different parameters that are not fixed.")

    def card(self, ranks: FittedRanks) -> PlotlyAnalysisCard:
        """Predict on a grid and draw."""
        x, y = self._axes(ranks)
        grid = itertools.product(parameter_grid(x, _DENSITY), parameter_grid(y, _DENSITY))
        df = predict_grid(ranks, [{x.name: a, y.name: b} for a, b in grid])
        subtitle = (
            "How many of the evaluated points are expected to be better (0 = best) if two "
            f"parameters change and all others stay as in arm {ranks.best_arm_name}, which the "
            "model recommends (star). Circles are the other evaluated arms, whose other "
            "parameters differ."
        )
        title = f"Rank surface: {ranks.metric_name} over {x.name} and {y.name}"
        return self.make_card(title, subtitle, df, _figure(df, x, y, ranks))

    def _axes(self, ranks: FittedRanks) -> list[Parameter]:
        slices = predict_slices(ranks, tunable_parameters(ranks), _DENSITY)
        change = {
            name: df["predicted"].max() - df["predicted"].min() for name, df in slices.items()
        }
        free = iter(sorted(change.keys() - {self.x, self.y}, key=lambda name: -change[name]))
        return tunable_parameters(ranks, [self.x or next(free), self.y or next(free)])


def _figure(df: pd.DataFrame, x: Parameter, y: Parameter, ranks: FittedRanks) -> go.Figure:
    table = df.pivot_table(index=y.name, columns=x.name, values="predicted", sort=False)
    has_choice = isinstance(x, ChoiceParameter) or isinstance(y, ChoiceParameter)
    # Contours would join choices that have nothing in between.
    surface = (go.Heatmap if has_choice else go.Contour)(
        z=table.to_numpy().tolist(),
        x=coordinates(x, table.columns),
        y=coordinates(y, table.index),
        colorscale=METRIC_CONTINUOUS_COLOR_SCALE,
        reversescale=True,
        colorbar={"title": {"text": "Better points"}},
        text=[[f"{a}, {b}" for a in labels(table.columns)] for b in labels(table.index)],
        hovertemplate="%{text}<br>%{z:.1f} better points expected<extra></extra>",
    )
    fig = go.Figure([surface, _arms(x, y, ranks)])
    fig.update_xaxes(parameter_axis(x))
    fig.update_yaxes(parameter_axis(y))
    return fig


def _arms(x: Parameter, y: Parameter, ranks: FittedRanks) -> go.Scatter:
    counts = zip(ranks.arm_names, ranks.model.rank_counts.counts.tolist(), strict=True)
    arms = {name: arm.parameters for name, arm in ranks.experiment.arms_by_name.items()}
    # In some arms one of the two may have no meaning.
    shown = [(name, count) for name, count in counts if {x.name, y.name} <= arms[name].keys()]
    is_best = [name == ranks.best_arm_name for name, _ in shown]
    return go.Scatter(
        x=coordinates(x, (arms[name][x.name] for name, _ in shown)),
        y=coordinates(y, (arms[name][y.name] for name, _ in shown)),
        mode="markers",
        marker={
            "symbol": ["star" if best else "circle" for best in is_best],
            "size": [16 if best else 8 for best in is_best],
            "color": "white",
            "line": {"color": "black", "width": 1},
        },
        customdata=shown,
        hovertemplate="Arm %{customdata[0]}<br>%{customdata[1]:.0f} better points observed"
        "<extra></extra>",
        showlegend=False,
        cliponaxis=False,
    )
