"""What the analyses of ranks share as parts of Ax."""

from abc import abstractmethod

import pandas as pd
from ax.adapter.base import Adapter
from ax.analysis.analysis import Analysis
from ax.analysis.plotly.plotly_analysis import PlotlyAnalysisCard, create_plotly_analysis_card
from ax.core.experiment import Experiment
from ax.exceptions.core import UserInputError
from ax.generation_strategy.generation_strategy import GenerationStrategy
from plotly import graph_objects as go

from botorch_popbo.ax.analyses.fitted_ranks import FittedRanks
from botorch_popbo.ax.analyses.fitting import fitted_ranks


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
            ranks = fitted_ranks(experiment, generation_strategy, adapter, self.metric_name)
            self.check(ranks)
        except UserInputError as error:
            return str(error.message)
        except Exception:
            # Ax makes a card of what compute() raises, but nothing catches an error raised here.
            return None
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
            generation_strategy: A rank-based strategy; it is fitted if it lacks the latest data.
            adapter: A fitted adapter to use instead of the strategy's.

        Returns:
            A card with a figure and a data frame.

        Raises:
            UserInputError: If the card does not apply, for the reason that
                :meth:`validate_applicable_state` gives.
        """
        ranks = fitted_ranks(experiment, generation_strategy, adapter, self.metric_name)
        self.check(ranks)
        return self.card(ranks)

    def check(self, ranks: FittedRanks) -> None:
        """Check what the analysis needs beyond a fitted model.

        Args:
            ranks: The fitted model.

        Raises:
            UserInputError: If it is not given.
        """
        return

    @abstractmethod
    def card(self, ranks: FittedRanks) -> PlotlyAnalysisCard:
        """Make the card.

        Args:
            ranks: The fitted model.

        Returns:
            The card.
        """

    def make_card(
        self, title: str, subtitle: str, df: pd.DataFrame, fig: go.Figure
    ) -> PlotlyAnalysisCard:
        """Put a figure on a card named after the analysis.

        Args:
            title: Title of the card.
            subtitle: What it shows and how to read it.
            df: Its numbers.
            fig: Its figure.

        Returns:
            The card.
        """
        return create_plotly_analysis_card(
            name=type(self).__name__, title=title, subtitle=subtitle, df=df, fig=fig
        )
