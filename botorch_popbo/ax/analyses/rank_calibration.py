"""Predicted against observed ranks of held-out points."""

import pandas as pd
from ax.analysis.plotly.color_constants import AX_BLUE
from ax.analysis.plotly.plotly_analysis import PlotlyAnalysisCard
from ax.analysis.plotly.utils import get_scatter_point_color, truncate_label
from ax.exceptions.core import UserInputError
from plotly import graph_objects as go
from scipy.stats import kendalltau

from botorch_popbo.ax.analyses.base import RankAnalysis
from botorch_popbo.ax.analyses.fitted_ranks import FittedRanks
from botorch_popbo.ax.analyses.held_out import coverage, held_out_ranks


class RankCalibration(RankAnalysis):
    """Whether the model predicts the ranks of points that it has not seen.

    Up to twenty evaluated points are left out one by one, more points in twenty folds. The data
    frame has one row per distinct point, with ``arm_name`` and the columns of
    :func:`~botorch_popbo.ax.analyses.held_out.held_out_ranks`.

    Args:
        metric_name: Name of an objective's metric; by default the first one.
    """

    def check(self, ranks: FittedRanks) -> None:
        """Require three distinct points, so that two are left to rank against each other."""
        num_points = ranks.model.rank_counts.num_points
        if num_points < 3:
            raise UserInputError(
                f"Holding points out takes at least three of them; there are {num_points}."
            )

    def card(self, ranks: FittedRanks) -> PlotlyAnalysisCard:
        """Cross-validate the model, compare and draw."""
        df = held_out_ranks(ranks.model)
        df.insert(0, "arm_name", ranks.arm_names)
        return self.make_card(
            f"Rank calibration: {ranks.metric_name}", _subtitle(df), df, _figure(df)
        )


def _subtitle(df: pd.DataFrame) -> str:
    tau = kendalltau(df["predicted"], df["observed"]).statistic
    agreement = "undefined, as the ranks do not vary" if pd.isna(tau) else f"{tau:.2f}"
    folds = df["fold"].nunique()
    return (
        f"How many points are better than each of {len(df)} evaluated points: as predicted by a "
        f"model fitted without it ({'leave-one-out' if folds == len(df) else f'{folds} folds'}), "
        f"against what was observed. Kendall's tau {agreement} (1: the order is predicted "
        f"perfectly, 0: no better than chance). {coverage(df, 0.5):.0%} of the observed ranks lie "
        f"in their 50 % interval and {coverage(df, 0.9):.0%} in their 90 % interval (bars). "
        "Intervals of whole numbers cover at least their level if the model is right."
    )


def _figure(df: pd.DataFrame) -> go.Figure:
    names = [truncate_label(name) for name in df["arm_name"]]
    points = go.Scatter(
        x=df["observed"],
        y=df["predicted"],
        mode="markers",
        marker={"color": AX_BLUE},
        error_y={
            "type": "data",
            "array": df["upper_90"] - df["predicted"],
            "arrayminus": df["predicted"] - df["lower_90"],
            "color": get_scatter_point_color(AX_BLUE, ci_transparency=True),
            "thickness": 1.5,
            "width": 0,
        },
        customdata=list(zip(names, df["lower_90"], df["upper_90"], strict=True)),
        hovertemplate="Arm %{customdata[0]}<br>observed: %{x}<br>predicted: %{y:.1f}"
        "<br>90 % interval: %{customdata[1]:.0f} to %{customdata[2]:.0f}<extra></extra>",
    )
    last = int(df["num_compared"].max())
    diagonal = go.Scatter(
        x=[0, last], y=[0, last], mode="lines", line={"color": "gray", "dash": "dot"}
    )
    diagonal.hoverinfo = "skip"
    fig = go.Figure([diagonal, points])
    fig.update_layout(
        showlegend=False,
        xaxis_title="Observed number of better points (0 = best)",
        yaxis_title="Predicted number of better points",
    )
    return fig
