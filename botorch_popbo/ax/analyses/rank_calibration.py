"""Predicted against observed ranks of held-out points."""

import pandas as pd
import torch
from ax.exceptions.core import UserInputError
from plotly import express as px
from plotly import graph_objects as go
from scipy.stats import kendalltau
from torch import Tensor

from botorch_popbo.ax.analyses._base import FittedRanks, RankAnalysis
from botorch_popbo.data import Order
from botorch_popbo.models import RankModel

_ENDS = {"lower_50": 0.25, "upper_50": 0.75, "lower_90": 0.05, "upper_90": 0.95}
_MAX_FOLDS = 20  # up to so many points, each is left out alone


class RankCalibration(RankAnalysis):
    """Whether the model predicts the ranks of points that it has not seen.

    Up to twenty evaluated points are left out one by one, more points in twenty folds. The data
    frame has one row per distinct point: ``arm_name``, ``fold``, ``num_compared`` (the points
    outside the fold), ``observed`` (how many of them are better), ``predicted`` (how many the model
    expects to be better than a new outcome at the point), and the ends of central intervals,
    ``lower_50``, ``upper_50``, ``lower_90`` and ``upper_90``.

    Args:
        metric_name: Name of an objective's metric; by default the first one.
    """

    def check(self, ranks: FittedRanks) -> None:
        """Require three distinct points, so that two are left to rank against each other."""
        if (number := len(ranks.order.X)) < 3:
            raise UserInputError(f"Holding points out takes at least three; there are {number}.")

    def contents(self, ranks: FittedRanks) -> tuple[str, str, pd.DataFrame, go.Figure]:
        """Cross-validate the model, compare and draw."""
        df = _held_out(ranks.model, ranks.order)
        df.insert(0, "arm_name", [arm.name for arm in ranks.arms])
        return f"Rank calibration: {ranks.metric_name}", _subtitle(df), df, _figure(df)


def _held_out(model: RankModel, order: Order) -> pd.DataFrame:
    """Predictions of models that have not seen a point."""
    # Neighbours in lexicographic order go to different folds.
    fold = torch.arange(len(order.X), device=order.X.device) % _MAX_FOLDS
    df = pd.concat([_predict(model, order, fold == k) for k in fold.unique()]).sort_index()
    df.insert(0, "fold", fold.tolist())
    return df


def _predict(model: RankModel, order: Order, held_out: Tensor) -> pd.DataFrame:
    score = order.score
    known = Order.from_scores(
        order.X[~held_out],
        score[~held_out],
        order.variance[~held_out],
        is_measured=bool(order.is_measured.all()),
    )
    refitted = model.with_order(known).fit()
    posterior = refitted.rank_posterior(order.X[held_out], observation_noise=True)
    with torch.no_grad():
        ends = posterior.quantile(torch.tensor(list(_ENDS.values())).to(posterior.mean))
        ranks = torch.stack([posterior.mean, *ends]).squeeze(-1)
    # A plain Poisson law also reaches beyond the worst rank.
    df = pd.DataFrame(ranks.clamp_max(posterior.exposure).T.tolist(), columns=["predicted", *_ENDS])
    better = known.score > score[held_out].unsqueeze(-1)
    df.insert(0, "observed", better.sum(-1).tolist())
    df.insert(0, "num_compared", known.num_points)
    df.index = held_out.nonzero().squeeze(-1).tolist()
    return df


def _subtitle(df: pd.DataFrame) -> str:
    tau = kendalltau(df["predicted"], df["observed"]).statistic
    agreement = "undefined, as the ranks do not vary" if pd.isna(tau) else f"{tau:.2f}"
    folds = df["fold"].nunique()
    inside = [df["observed"].between(df[f"lower_{p}"], df[f"upper_{p}"]).mean() for p in (50, 90)]
    return (
        f"How many points are better than each of {len(df)} evaluated points: as predicted by a "
        f"model fitted without it ({'leave-one-out' if folds == len(df) else f'{folds} folds'}), "
        f"against what was observed. Kendall's tau {agreement} (1: the order is predicted "
        f"perfectly, 0: no better than chance). {inside[0]:.0%} of the observed ranks lie in their "
        f"50 % interval and {inside[1]:.0%} in their 90 % interval (bars). Intervals of whole "
        "numbers cover at least their level if the model is right."
    )


def _figure(df: pd.DataFrame) -> go.Figure:
    fig = px.scatter(
        df.assign(above=df["upper_90"] - df["predicted"], below=df["predicted"] - df["lower_90"]),
        x="observed",
        y="predicted",
        error_y="above",
        error_y_minus="below",
        hover_name="arm_name",
    )
    last = int(df["num_compared"].max())
    fig.add_shape(type="line", x0=0, y0=0, x1=last, y1=last, line={"color": "gray", "dash": "dot"})
    fig.update_xaxes(title="Observed number of better points (0 = best)")
    fig.update_yaxes(title="Predicted number of better points")
    return fig
