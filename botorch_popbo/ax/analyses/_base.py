"""A fitted rank model with the names that users know its points by, and a card about it."""

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd
import torch
from ax.adapter.base import Adapter
from ax.adapter.torch import TorchAdapter
from ax.analysis.analysis import Analysis
from ax.analysis.plotly.plotly_analysis import PlotlyAnalysisCard, create_plotly_analysis_card
from ax.core.arm import Arm
from ax.core.experiment import Experiment
from ax.core.observation import ObservationFeatures
from ax.exceptions.core import AxError, UserInputError
from ax.generation_strategy.generation_strategy import GenerationStrategy
from botorch.exceptions import BotorchError
from plotly import graph_objects as go

from botorch_popbo.ax.surrogate import RankSurrogate
from botorch_popbo.data import Order
from botorch_popbo.models import RankModel

_HINT = (
    "With client.set_generation_strategy(popbo_generation_strategy(...)) this card is available "
    "as soon as the initial design is complete."
)


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
            self.check(_fitted(self.metric_name, *state, **named))
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
        ranks = _fitted(self.metric_name, *state, **named)
        self.check(ranks)
        return create_plotly_analysis_card(type(self).__name__, *self.contents(ranks))

    def check(self, ranks: FittedRanks) -> None:
        """Raise a ``UserInputError`` if the analysis needs what is not given."""

    @abstractmethod
    def contents(self, ranks: FittedRanks) -> tuple[str, str, pd.DataFrame, go.Figure]:
        """Title, subtitle, numbers and figure of the card."""


def _fitted(
    metric_name: str | None,
    experiment: Experiment | None = None,
    generation_strategy: GenerationStrategy | None = None,
    adapter: Adapter | None = None,
) -> FittedRanks:
    """Fit the strategy's model to all data and pick out the model of one metric.

    Raises:
        UserInputError: If there is no experiment, objective, data or rank model; says what to do.
    """
    if experiment is None:
        raise UserInputError("Pass an experiment: this card shows what a model learned from one.")
    if experiment.optimization_config is None:
        raise UserInputError("The experiment has no objective: call client.configure_optimization.")
    names = list(experiment.optimization_config.objective.metric_names)
    name = metric_name or names[0]
    if name not in names:
        raise UserInputError(
            f"{name!r} is no metric of the objective, whose metrics are {', '.join(names)}: "
            "better and worse is known of those only."
        )
    if experiment.lookup_data().df.empty:
        raise UserInputError("The experiment has no data yet: complete some trials first.")
    if adapter is None and generation_strategy is None:
        raise UserInputError(f"There is no generation strategy. {_HINT}")
    if adapter is None and generation_strategy is not None:
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
    return FittedRanks(experiment, adapter, model, model.order, name)
