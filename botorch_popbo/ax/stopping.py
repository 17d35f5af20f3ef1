"""Global stopping: whether anything better is left for an experiment to find."""

from dataclasses import dataclass
from typing import cast

from ax.adapter.torch import TorchAdapter
from ax.core.experiment import Experiment
from ax.exceptions.core import UserInputError
from ax.generation_strategy.generation_strategy import GenerationStrategy
from ax.generators.torch.botorch_modular.generator import BoTorchGenerator
from ax.global_stopping.strategies.base import BaseGlobalStoppingStrategy

from botorch_popbo.ax.acquisition import RankAcquisition
from botorch_popbo.ax.nodes import maximizes_improvement
from botorch_popbo.space import is_number


@dataclass(eq=False)  # Ax stores the fields of a dataclass
class RankGlobalStopping(BaseGlobalStoppingStrategy):
    """Stop an experiment once it is unlikely that anything better is left.

    The chance is that of the strategy's model, with which it shares the fit. It never stops before
    the strategy's design has ended; running trials do not delay it. Ax's ``Orchestrator`` takes it;
    with a ``Client`` ask :meth:`should_stop_optimization` before each trial.

    Args:
        generation_strategy: A rank-based strategy that maximizes ``"logei"``: the experiment's, or
            beside another kind of strategy one that only models its trials.
        chance: The chance at which to stop.
        margin: By how much to be better, in the unit of the objective; by default a hundredth of
            the distance between the best value and the median of the first twelve. Of several
            objectives it is a share of the front's hypervolume, by default a hundredth. Where the
            order alone counts, any margin above zero is half a place.

    Raises:
        UserInputError: If the chance is not between 0 and 1, or the strategy maximizes no expected
            improvement of utilities.

    Example:
        >>> stopping = RankGlobalStopping(strategy)
        >>> is_over, reason = stopping.should_stop_optimization(strategy.experiment)
    """

    generation_strategy: GenerationStrategy
    chance: float = 0.05
    margin: float | None = None

    def __post_init__(self) -> None:
        super().__init__(min_trials=0, inactive_when_pending_trials=False)
        if not (is_number(self.chance) and 0.0 < self.chance < 1.0):
            raise UserInputError(f"chance must be a number between 0 and 1, not {self.chance!r}.")
        if not any(map(maximizes_improvement, self.generation_strategy.nodes_by_name.values())):
            raise UserInputError(
                "The chance needs a strategy of popbo_generation_strategy(), with "
                'acquisition="logei" and preset="default".'
            )

    def _should_stop_optimization(self, experiment: Experiment) -> tuple[bool, str]:
        """See the base class."""
        strategy = self.generation_strategy
        adapter = strategy.fit(experiment)
        if not maximizes_improvement(strategy.current_node):
            return False, "The initial design has not ended."
        found = _acquisition_of(cast(TorchAdapter, adapter)).outlook(self.margin)
        return found.chance <= self.chance, f"{found}."


def _acquisition_of(adapter: TorchAdapter) -> RankAcquisition:
    """What a suggestion would maximize if nothing was running."""
    asked = adapter._get_transformed_gen_args(adapter._search_space)
    digest, config = adapter._get_transformed_model_gen_args(**vars(asked))
    generator = cast(BoTorchGenerator, adapter.generator)
    options = generator._botorch_acqf_options, generator.acquisition_options
    return cast(RankAcquisition, generator._instantiate_acquisition(digest, config, *options))
