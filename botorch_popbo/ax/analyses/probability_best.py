"""The probability that each evaluated arm is the best of them."""

import pandas as pd
import torch
from ax.analysis.plotly.color_constants import AX_BLUE
from ax.analysis.plotly.plotly_analysis import PlotlyAnalysisCard
from ax.analysis.plotly.utils import truncate_label
from plotly import graph_objects as go
from torch import Tensor

from botorch_popbo._seeds import seeded
from botorch_popbo.ax.analyses.base import RankAnalysis
from botorch_popbo.ax.analyses.fitted_ranks import FittedRanks
from botorch_popbo.posteriors.rank_posterior import RankPosterior

_NUM_DRAWS = 10_000
_NUM_BARS = 20
_SEED = 0


class ProbabilityBest(RankAnalysis):
    """How likely each evaluated arm is truly the best of them, noise aside.

    The shares of joint draws of the utilities behind the ranks, with a fixed seed. A network has
    no uncertainty of its rate, so the draws are then independent counts. The data frame has one
    row per arm that did not fail, the likeliest first, with ``arm_name``, ``probability`` and
    ``observed``, the number of points with a better outcome.

    Args:
        metric_name: Name of an objective's metric; by default the first one.
    """

    def card(self, ranks: FittedRanks) -> PlotlyAnalysisCard:
        """Draw utilities, count and draw the bars."""
        succeeded = _succeeded(ranks)
        records = ranks.model.rank_counts
        posterior = ranks.model.rank_posterior(records.X[succeeded])
        df = pd.DataFrame(
            {
                "arm_name": [ranks.arm_names[i] for i in succeeded.tolist()],
                "probability": _probabilities(posterior).tolist(),
                "observed": records.counts[succeeded].tolist(),
            }
        ).sort_values(["probability", "observed"], ascending=[False, True], ignore_index=True)
        return self.make_card(
            f"Probability of being best: {ranks.metric_name}",
            _subtitle(df, ranks.model.has_uncertainty),
            df,
            _figure(df.head(_NUM_BARS)),
        )


def _probabilities(posterior: RankPosterior) -> Tensor:
    """The probability of each of the ``q`` points, which share it where they tie."""
    with seeded(_SEED):
        draws = posterior.sample_merit(torch.Size([_NUM_DRAWS])).squeeze(-1)
    wins = (draws == draws.amax(-1, keepdim=True)).to(draws)
    return (wins / wins.sum(-1, keepdim=True)).mean(0)


def _succeeded(ranks: FittedRanks) -> Tensor:
    """Indices of the distinct points without a failure."""
    assert ranks.model.order is not None
    return ranks.model.order.score.isfinite().nonzero().squeeze(-1)


def _subtitle(df: pd.DataFrame, is_joint: bool) -> str:
    source = (
        "The share of joint draws from the model's posterior in which an arm has the highest "
        "utility."
        if is_joint
        else "This preset's network has no uncertainty of its own, so every arm's number of better "
        "points was drawn independently from its predicted law: read this as how clearly the "
        "network tells the arms apart, not as what the data leave open."
    )
    rest = df["probability"].iloc[_NUM_BARS:]
    remainder = (
        f" The other {len(rest)} arms share the remaining {rest.sum():.1%}." if len(rest) else ""
    )
    return (
        f"How likely each of {len(df)} evaluated arms is truly the best of them. {source} "
        f"Estimated from {_NUM_DRAWS:,} draws.{remainder}"
    )


def _figure(df: pd.DataFrame) -> go.Figure:
    bars = go.Bar(
        y=df["probability"],
        marker={"color": AX_BLUE},
        customdata=df[["arm_name", "observed"]],
        hovertemplate="Arm %{customdata[0]}<br>%{y:.1%}"
        "<br>%{customdata[1]:.0f} better points observed"
        "<extra></extra>",
    )
    fig = go.Figure(bars)
    names = [truncate_label(name, 20) for name in df["arm_name"]]
    fig.update_xaxes(tickvals=list(range(len(names))), ticktext=names, title_text="Arm")
    fig.update_yaxes(tickformat=".0%", rangemode="tozero", title_text="Probability of being best")
    return fig
