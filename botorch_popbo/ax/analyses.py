"""Cards for :meth:`ax.api.client.Client.compute_analyses` on what a rank model has learned."""

from abc import abstractmethod
from typing import cast

import pandas as pd
import torch
from ax.adapter.base import Adapter
from ax.analysis.analysis import Analysis
from ax.analysis.overview import OverviewAnalysis
from ax.analysis.plotly.plotly_analysis import PlotlyAnalysisCard, create_plotly_analysis_card
from ax.analysis.utils import validate_experiment
from ax.core.experiment import Experiment
from ax.core.observation import ObservationFeatures
from ax.exceptions.core import UserInputError
from ax.generation_strategy.generation_strategy import GenerationStrategy
from botorch.posteriors import GPyTorchPosterior
from plotly import express as px
from plotly import graph_objects as go
from torch import Tensor

from botorch_popbo.ax.surrogate import RankSurrogate
from botorch_popbo.data import Order
from botorch_popbo.models import RankingGP, RankModel

__all__ = ["OutcomeWarp", "RankCalibration", "popbo_analyses"]

_ENDS = {"lower_50": 0.25, "upper_50": 0.75, "lower_90": 0.05, "upper_90": 0.95}
_MAX_FOLDS = 20  # up to so many points, each is left out alone


def popbo_analyses() -> list[Analysis]:
    """The analyses that Ax shows by default, followed by those of the ranks.

    Returns:
        Analyses for ``client.compute_analyses(analyses=popbo_analyses())``.
    """
    return [OverviewAnalysis(), RankCalibration(), OutcomeWarp()]


#: Title, subtitle, numbers and figure of a card.
Contents = tuple[str, str, pd.DataFrame, go.Figure]


class RankAnalysis(Analysis):
    """An analysis of the model that ranks one metric.

    Args:
        metric_name: Name of an objective's metric; by default the first one.
    """

    def __init__(self, metric_name: str | None = None) -> None:
        self.metric_name = metric_name

    def validate_applicable_state(
        self,
        experiment: Experiment | None = None,
        generation_strategy: GenerationStrategy | None = None,
        adapter: Adapter | None = None,
    ) -> str | None:
        """Why the card cannot be computed, and what to do about it; ``None`` if it can be."""
        try:
            self._fitted(experiment, generation_strategy, adapter)
        except UserInputError as error:
            return str(error.message)
        return None

    def compute(
        self,
        experiment: Experiment | None = None,
        generation_strategy: GenerationStrategy | None = None,
        adapter: Adapter | None = None,
    ) -> PlotlyAnalysisCard:
        """Compute the card from all data of the experiment.

        Args:
            experiment: The experiment.
            generation_strategy: A rank-based strategy, which is fitted if it lacks the latest data.
            adapter: A fitted adapter to use instead of the strategy's.

        Returns:
            A card with a figure and a data frame.

        Raises:
            UserInputError: If the card does not apply, for the reason that
                :meth:`validate_applicable_state` gives.
        """
        name, order, model, arm_names = self._fitted(experiment, generation_strategy, adapter)
        title, subtitle, df, figure = self.contents(model, order, arm_names)
        return create_plotly_analysis_card(
            type(self).__name__, f"{title}: {name}", subtitle, df, figure
        )

    def _fitted(
        self,
        experiment: Experiment | None,
        generation_strategy: GenerationStrategy | None,
        adapter: Adapter | None,
    ) -> tuple[str, Order, RankModel, list[str]]:
        """The metric, its order and model, and the names of the arms of its distinct points.

        Raises:
            UserInputError: If there is no experiment, objective, data or rank model; says what to
                do.
        """
        reason = validate_experiment(experiment, require_data=True)
        if experiment is None or experiment.optimization_config is None or reason:
            raise UserInputError(
                f"{reason or 'There is no objective.'} Call client.configure_optimization, and "
                "complete some trials."
            )
        names = experiment.optimization_config.objective.metric_names
        name = self.metric_name or names[0]
        if name not in names:
            raise UserInputError(
                f"{name!r} is not a metric of the objective, whose metrics are {', '.join(names)}: "
                "only for those is it known what is better."
            )
        if adapter is None and generation_strategy is not None:
            try:
                # The adapter of the latest suggestion has not seen the outcome of that suggestion.
                adapter = generation_strategy.fit(experiment=experiment)
            except Exception as error:  # of which Ax would make no card
                raise UserInputError(f"The model could not be fitted: {error}") from error
        surrogate: object = getattr(getattr(adapter, "generator", None), "surrogate", None)
        signature = experiment.metrics[name].signature
        if (
            adapter is None
            or not isinstance(surrogate, RankSurrogate)
            or signature not in surrogate.outcomes
        ):
            raise UserInputError(
                "There is no model of ranks yet. After client.set_generation_strategy("
                "popbo_generation_strategy(...)) this card is available as soon as the initial "
                "design is complete."
            )
        model = surrogate.metric_models[surrogate.outcomes.index(signature)]
        assert model.order is not None
        self.check(model, model.order)
        return name, model.order, model, _arm_names(model.order.X, experiment, adapter)

    @abstractmethod
    def check(self, model: RankModel, order: Order) -> None:
        """Raise a ``UserInputError`` if the analysis needs what is not given."""

    @abstractmethod
    def contents(self, model: RankModel, order: Order, arm_names: list[str]) -> Contents:
        """Title, subtitle, numbers and figure of the card."""


def _arm_names(X: Tensor, experiment: Experiment, adapter: Adapter) -> list[str]:
    """The names of the arms of encoded points ``m x d``."""
    arms = [
        arm
        for arm in experiment.arms_by_name.values()
        if adapter.model_space.check_membership(arm.parameters, check_range_bounds=False)
    ]
    points = adapter.transform_observation_features(
        [ObservationFeatures(dict(arm.parameters)) for arm in arms]
    )
    # Log scales may round differently for one point than for a table of them.
    distances = (X.unsqueeze(-2) - torch.as_tensor(points).to(X)).abs().sum(-1)
    return [arms[i].name for i in distances.argmin(-1).tolist()]


class OutcomeWarp(RankAnalysis):
    """How useful the model holds the outcomes to be.

    The data frame has one row per distinct point: ``arm_name``, ``outcome`` (larger being better),
    ``utility`` (as expected, in deviations of the prior) and ``is_outlier``. The card says in words
    how far distances of outcomes are believed, and what is taken for noise and for outliers.

    Args:
        metric_name: Name of an objective's metric; by default the first one.
    """

    def check(self, model: RankModel, order: Order) -> None:
        """Require outcomes and a model of utilities."""
        if not isinstance(model, RankingGP) or not bool(order.is_measured.all()):
            raise UserInputError(
                "This card needs the default preset, and one outcome for each point."
            )

    def contents(self, model: RankModel, order: Order, arm_names: list[str]) -> Contents:
        """Compare outcomes and expected utilities."""
        assert isinstance(model, RankingGP)
        with torch.no_grad():
            posterior = cast(GPyTorchPosterior, model.posterior(order.X[order.item]))
        df = pd.DataFrame(
            {
                "arm_name": [arm_names[i] for i in order.item.tolist()],
                "outcome": order.score.tolist(),
                "utility": posterior.mean.squeeze(-1).tolist(),
                "is_outlier": model.is_outlier[order.item].tolist(),
            }
        )
        finite = df[df["outcome"] > -float("inf")]
        figure = px.scatter(
            finite, "outcome", "utility", symbol="is_outlier", hover_name="arm_name"
        )
        return "Outcomes and utilities", model.inferred, df, figure


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

    def check(self, model: RankModel, order: Order) -> None:
        """Require three distinct points, so that two are left to rank against each other."""
        if (number := len(order.X)) < 3:
            raise UserInputError(f"Holding points out needs at least three; there are {number}.")

    def contents(self, model: RankModel, order: Order, arm_names: list[str]) -> Contents:
        """Cross-validate the model, compare and draw."""
        # Neighbours in lexicographic order go to different folds.
        fold = torch.arange(len(order.X), device=order.X.device) % _MAX_FOLDS
        df = pd.concat([_predict(model, order, fold == k) for k in fold.unique()]).sort_index()
        df = df.assign(arm_name=arm_names, fold=fold.tolist())
        tau = df["predicted"].corr(df["observed"], method="kendall")
        agreement = "undefined, as the ranks do not vary" if pd.isna(tau) else f"{tau:.2f}"
        inside = [
            df["observed"].between(df[f"lower_{level}"], df[f"upper_{level}"]).mean()
            for level in (50, 90)
        ]
        folds = df["fold"].nunique()
        method = "leave-one-out" if folds == len(df) else f"{folds} folds"
        subtitle = (
            f"How many points are better than each of {len(df)} evaluated points: as predicted by "
            f"a model fitted without it ({method}), "
            f"against what was observed. Kendall's tau {agreement} (1: the order is predicted "
            f"perfectly, 0: no better than chance). {inside[0]:.0%} of the observed ranks lie in "
            f"their 50% interval and {inside[1]:.0%} in their 90% interval (bars). Intervals of "
            "whole numbers cover at least their level if the model is right."
        )
        center = df["predicted"]
        bars = df.assign(above=df["upper_90"] - center, below=center - df["lower_90"])
        figure = px.scatter(
            bars,
            "observed",
            "predicted",
            error_y="above",
            error_y_minus="below",
            hover_name="arm_name",
        )
        last = int(df["num_compared"].max())
        figure.add_shape(type="line", x0=0, y0=0, x1=last, y1=last, line={"dash": "dot"})
        return "Rank calibration", subtitle, df, figure


def _predict(model: RankModel, order: Order, held_out: Tensor) -> pd.DataFrame:
    """Ranks of some points, as observed and as predicted by a model that has not seen them."""
    score, is_measured = order.score, bool(order.is_measured.all())
    data = order.X[~held_out], score[~held_out], order.variance[~held_out]
    rest = Order.from_scores(*data, is_measured=is_measured)
    posterior = model.with_order(rest).fit().rank_posterior(order.X[held_out], True)
    with torch.no_grad():
        ends = posterior.quantile(posterior.mean.new_tensor([*_ENDS.values()]))
        # A plain Poisson law also reaches beyond the worst rank.
        ranks = torch.stack([posterior.mean, *ends]).clamp_max(posterior.exposure).squeeze(-1)
    df = pd.DataFrame(ranks.T.tolist(), columns=["predicted", *_ENDS])
    better = (rest.score > score[held_out].unsqueeze(-1)).sum(-1).tolist()
    df = df.assign(observed=better, num_compared=rest.num_points)
    return df.set_axis(held_out.nonzero().squeeze(-1).tolist())
