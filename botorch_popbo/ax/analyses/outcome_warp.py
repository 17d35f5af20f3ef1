"""What a model takes outcomes for: distances, noise and outliers."""

from typing import Any

import pandas as pd
import torch
from ax.exceptions.core import UserInputError
from plotly import express as px
from plotly import graph_objects as go

from botorch_popbo.ax.analyses._base import FittedRanks, RankAnalysis
from botorch_popbo.models import RankingGP


class OutcomeWarp(RankAnalysis):
    """How useful the model holds the outcomes to be.

    The data frame has one row per distinct point: ``arm_name``, ``outcome`` (larger being better),
    ``utility`` (as expected, in deviations of the prior) and ``is_outlier``. The card says in words
    how far distances of outcomes are believed, and what is taken for noise and for outliers.

    Args:
        metric_name: Name of an objective's metric; by default the first one.
    """

    def check(self, ranks: FittedRanks) -> None:
        """Require outcomes and a model of utilities."""
        if not isinstance(ranks.model, RankingGP) or not bool(ranks.order.is_measured.all()):
            raise UserInputError(
                "This card shows utilities over outcomes: it needs the default preset, and one "
                "outcome for each point."
            )

    def contents(self, ranks: FittedRanks) -> tuple[str, str, pd.DataFrame, go.Figure]:
        """Compare outcomes and expected utilities."""
        model, order = ranks.model, ranks.order
        assert isinstance(model, RankingGP)
        with torch.no_grad():
            posterior: Any = model.posterior(order.X[order.item])
            utility = posterior.mean.squeeze(-1)
        df = pd.DataFrame(
            {
                "arm_name": [ranks.arms[i].name for i in order.item.tolist()],
                "outcome": order.score.tolist(),
                "utility": utility.tolist(),
                "is_outlier": model.is_outlier[order.item].tolist(),
            }
        )
        fig = px.scatter(
            df[df["outcome"] > -float("inf")],
            x="outcome",
            y="utility",
            symbol="is_outlier",
            hover_name="arm_name",
            labels={"utility": "expected utility", "is_outlier": "outlier"},
        )
        return f"Outcomes and utilities: {ranks.metric_name}", model.inferred, df, fig
