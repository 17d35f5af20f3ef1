"""Cards for :meth:`ax.api.client.Client.compute_analyses` on what a rank model has learned."""

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd
import torch
from ax.adapter.base import Adapter
from ax.adapter.torch import TorchAdapter
from ax.analysis.analysis import Analysis
from ax.analysis.overview import OverviewAnalysis
from ax.analysis.plotly.plotly_analysis import PlotlyAnalysisCard, create_plotly_analysis_card
from ax.core.arm import Arm
from ax.core.experiment import Experiment
from ax.core.observation import ObservationFeatures
from ax.exceptions.core import AxError, UserInputError
from ax.generation_strategy.generation_strategy import GenerationStrategy
from botorch.exceptions import BotorchError
from plotly import express as px
from plotly import graph_objects as go
from scipy.stats import kendalltau
from torch import Tensor

from botorch_popbo.ax.surrogate import RankSurrogate
from botorch_popbo.data import Order
from botorch_popbo.models import RankingGP, RankModel

__all__ = ["OutcomeWarp", "RankCalibration", "popbo_analyses"]

_HINT = (
    "With client.set_generation_strategy(popbo_generation_strategy(...)) this card is available "
    "as soon as the initial design is complete."
)
_ENDS = {"lower_50": 0.25, "upper_50": 0.75, "lower_90": 0.05, "upper_90": 0.95}
_MAX_FOLDS = 20  # up to so many points, each is left out alone


def popbo_analyses() -> list[Analysis]:
    """The analyses that Ax shows by default, followed by those of the ranks.

    Returns:
        Analyses for ``client.compute_analyses(analyses=popbo_analyses())``.
    """
    return [OverviewAnalysis(), RankCalibration(), OutcomeWarp()]


@dataclass(frozen=True)
class FittedRanks:
    """The model of one metric, with points in the user's parameters.

    Attributes:
        experiment: The experiment.
        adapter: Carries parameters over to the model's space.
        model: The fitted model of the metric's ranks.
        order: The ``m`` distinct evaluated points, and which is better than which.
        metric_name: Name of the metric.
    """

    experiment: Experiment
    adapter: TorchAdapter
    model: RankModel
    order: Order
    metric_name: str

    @cached_property
    def arms(self) -> list[Arm]:
        """The arms of the ``m`` distinct evaluated points."""
        arms = [
            arm
            for arm in self.experiment.arms_by_name.values()
            if self.adapter.model_space.check_membership(
                arm.parameters, check_all_parameters_present=True, check_range_bounds=False
            )
        ]
        features = [ObservationFeatures(parameters=dict(arm.parameters)) for arm in arms]
        # Log scales may round differently for one point than for a table of them.
        distances = torch.cdist(
            self.order.X,
            self.adapter.transform_observation_features(features),
            compute_mode="donot_use_mm_for_euclid_dist",
        )
        return [arms[i] for i in distances.argmin(dim=-1).tolist()]


class RankAnalysis(Analysis):
    """An analysis of the model that ranks one metric.

    Args:
        metric_name: Name of an objective's metric; by default the first one.
    """

    def __init__(self, metric_name: str | None = None) -> None:
        self.metric_name = metric_name

    def validate_applicable_state(self, *state: Any, **named: Any) -> str | None:
        """Why the card cannot be computed, and what to do about it; ``None`` if it can be."""
        try:
            self._ranks(*state, **named)
        except UserInputError as error:
            return str(error.message)
        except Exception:
            # Ax makes a card of what compute() raises, but nothing catches an error raised here.
            return None
        return None

    def compute(self, *state: Any, **named: Any) -> PlotlyAnalysisCard:
        """Compute the card from all data of the experiment.

        Args:
            *state: An experiment, a rank-based strategy, which is fitted if it lacks the latest
                data, and a fitted adapter to use instead of the strategy's.
            **named: The same by the names that Ax gives them.

        Returns:
            A card with a figure and a data frame.

        Raises:
            UserInputError: If the card does not apply, for the reason that
                :meth:`validate_applicable_state` gives.
        """
        contents = self.contents(self._ranks(*state, **named))
        return create_plotly_analysis_card(type(self).__name__, *contents)

    def _ranks(
        self,
        experiment: Experiment | None = None,
        generation_strategy: GenerationStrategy | None = None,
        adapter: Adapter | None = None,
    ) -> FittedRanks:
        """Fit the strategy's model to all data and pick out the model of one metric.

        Raises:
            UserInputError: If there is no experiment, objective, data or rank model; says what to
                do.
        """
        if experiment is None:
            raise UserInputError("Pass an experiment: this card shows what a model learned.")
        if experiment.optimization_config is None:
            raise UserInputError("There is no objective: call client.configure_optimization.")
        names = list(experiment.optimization_config.objective.metric_names)
        name = self.metric_name or names[0]
        if name not in names:
            raise UserInputError(
                f"{name!r} is no metric of the objective, whose metrics are {', '.join(names)}: "
                "better and worse is known of those only."
            )
        if experiment.lookup_data().df.empty:
            raise UserInputError("The experiment has no data yet: complete some trials first.")
        if adapter is None:
            if generation_strategy is None:
                raise UserInputError(f"There is no generation strategy. {_HINT}")
            try:
                # The adapter of the latest suggestion has not seen the outcome of that suggestion.
                adapter = generation_strategy.fit(experiment=experiment)
            except (AxError, BotorchError) as error:
                raise UserInputError(f"The model could not be fitted: {error}") from error
        surrogate: Any = getattr(getattr(adapter, "generator", None), "surrogate", None)
        signature = experiment.metrics[name].signature
        is_ranked = isinstance(surrogate, RankSurrogate) and signature in surrogate.outcomes
        if not isinstance(adapter, TorchAdapter) or not is_ranked:
            raise UserInputError(f"This generation strategy has no model of ranks yet. {_HINT}")
        model = surrogate.metric_models[surrogate.outcomes.index(signature)]
        assert model.order is not None
        ranks = FittedRanks(experiment, adapter, model, model.order, name)
        self.check(ranks)
        return ranks

    def check(self, ranks: FittedRanks) -> None:
        """Raise a ``UserInputError`` if the analysis needs what is not given."""

    @abstractmethod
    def contents(self, ranks: FittedRanks) -> tuple[str, str, pd.DataFrame, go.Figure]:
        """Title, subtitle, numbers and figure of the card."""


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
