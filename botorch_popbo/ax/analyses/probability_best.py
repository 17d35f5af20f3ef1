"""The probability that each evaluated arm is the best of them."""

import pandas as pd
import torch
from plotly import express as px
from plotly import graph_objects as go

from botorch_popbo._seeds import seeded
from botorch_popbo.ax.analyses._base import FittedRanks, RankAnalysis

_NUM_DRAWS = 10_000
_NUM_BARS = 20


class ProbabilityBest(RankAnalysis):
    """How likely each evaluated arm is truly the best of them, noise aside.

    The shares of joint draws of the utilities behind the ranks, with a fixed seed. A network has
    no uncertainty of its rate, so the draws are then independent counts. The data frame has one
    row per arm that did not fail, the likeliest first, with ``arm_name``, ``probability`` and
    ``observed``, the number of points with a better outcome.

    Args:
        metric_name: Name of an objective's metric; by default the first one.
    """

    def contents(self, ranks: FittedRanks) -> tuple[str, str, pd.DataFrame, go.Figure]:
        """Draw utilities, count and draw the bars."""
        succeeded = ranks.order.score.isfinite()
        with seeded(0):
            posterior = ranks.model.rank_posterior(ranks.order.X[succeeded])
            draws = posterior.sample_merit(torch.Size([_NUM_DRAWS])).squeeze(-1)
        wins = (draws == draws.amax(-1, keepdim=True)).to(draws)
        rows = succeeded.nonzero().squeeze(-1).tolist()
        df = pd.DataFrame(
            {
                "arm_name": [ranks.arms[row].name for row in rows],
                "probability": (wins / wins.sum(-1, keepdim=True)).mean(0).tolist(),
                "observed": ranks.num_better[succeeded].tolist(),
            }
        ).sort_values(["probability", "observed"], ascending=[False, True], ignore_index=True)
        title = f"Probability of being best: {ranks.metric_name}"
        return title, _subtitle(df, ranks.model.has_uncertainty), df, _figure(df.head(_NUM_BARS))


def _subtitle(df: pd.DataFrame, is_joint: bool) -> str:
    source = (
        "The share of joint draws from the model's posterior in which an arm has the highest "
        "utility."
        if is_joint
        else "This preset's network has no uncertainty of its own, so every arm's number of better "
        "points was drawn independently: read this as how clearly the network tells the arms "
        "apart, not as what the data leave open."
    )
    rest = df["probability"].iloc[_NUM_BARS:]
    others = f" The other {len(rest)} arms share {rest.sum():.1%}." if len(rest) else ""
    return (
        f"How likely each of {len(df)} evaluated arms is truly the best of them. {source} "
        f"Estimated from {_NUM_DRAWS:,} draws.{others}"
    )


def _figure(df: pd.DataFrame) -> go.Figure:
    fig = px.bar(df, x="arm_name", y="probability", hover_data="observed")
    fig.update_xaxes(type="category", title="Arm")
    fig.update_yaxes(tickformat=".0%", title="Probability of being best")
    return fig
