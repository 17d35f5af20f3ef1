"""The Ax transform that tells the surrogate which way is better."""

from typing import Any

from ax.adapter.base import Adapter
from ax.adapter.data_utils import ExperimentData
from ax.adapter.transforms.base import Transform
from ax.core.outcome_constraint import ScalarizedOutcomeConstraint
from ax.exceptions.core import UserInputError

from botorch_popbo.ax.acquisition import RankAcquisition
from botorch_popbo.ax.surrogate import RankSurrogate


class MaximizeObjective(Transform):
    """Tell the surrogate which metrics are minimised.

    Ax hands the signs of the objectives to the acquisition function only, after the surrogate was
    fitted. Ranks must know them before.
    """

    def transform_experiment_data(self, experiment_data: ExperimentData) -> ExperimentData:
        """Leave the data as they are, of which the surrogate learns the signs.

        Raises:
            UserInputError: If the objective was changed after the strategy's model was built, or if
                a constraint is on a sum of metrics.
        """
        adapter = self.adapter
        if adapter is None or adapter._optimization_config is None:
            return experiment_data
        goal = adapter._optimization_config
        if goal != adapter._experiment.optimization_config:
            raise UserInputError(
                "The objective was changed after the model of this generation strategy was built. "
                "Set a strategy anew, for example with client.set_generation_strategy("
                "popbo_generation_strategy(...)): it continues with all trials."
            )
        for constraint in goal.outcome_constraints:
            # Ax's own model would take it for one on the first of them.
            scalarized = isinstance(constraint, ScalarizedOutcomeConstraint)
            if len(constraint.metric_names) > 1 and not scalarized:
                raise UserInputError(
                    f"A constraint on several metrics is not understood: {constraint}. Report what "
                    "it limits as a metric of its own."
                )
        weights = goal.objective.metric_weights
        rank_surrogate(adapter).minimized = frozenset(
            signature for signature, weight in weights if weight < 0
        )
        return experiment_data


def rank_surrogate(adapter: Adapter) -> RankSurrogate:
    """The surrogate of an adapter, in place of Ax's own where a ``surrogate_spec`` was given.

    Raises:
        UserInputError: If another surrogate was given.
    """
    generator: Any = adapter.generator
    if generator._surrogate is None:
        spec, refit_on_cv = generator.surrogate_spec, generator.refit_on_cv
        generator._surrogate = RankSurrogate(spec, refit_on_cv=refit_on_cv)
        generator.acquisition_class = RankAcquisition
    surrogate = generator.surrogate
    if not isinstance(surrogate, RankSurrogate):
        raise UserInputError(
            "RANK_TRANSFORMS need surrogate=RankSurrogate(SurrogateSpec(...)), or surrogate_spec, "
            "in the generator_kwargs."
        )
    return surrogate
