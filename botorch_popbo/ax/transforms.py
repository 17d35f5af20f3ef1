"""The Ax transform that makes every objective a maximised one."""

from typing import Any

from ax.adapter.base import Adapter
from ax.adapter.data_utils import ExperimentData
from ax.adapter.transforms.base import Transform
from ax.core.objective import Objective
from ax.core.observation import ObservationData, ObservationFeatures
from ax.core.optimization_config import MultiObjectiveOptimizationConfig, OptimizationConfig
from ax.core.outcome_constraint import OutcomeConstraint, ScalarizedOutcomeConstraint
from ax.core.search_space import SearchSpace
from ax.core.types import ComparisonOp
from ax.exceptions.core import UserInputError
from ax.generators.types import TConfig
from ax.utils.common.sympy import build_constraint_expression_str


class MaximizeObjective(Transform):
    """Negate minimised metrics in the data, in the goal and back in the predictions.

    Ax hands the signs of the objectives to the acquisition function only, after the surrogate was
    fitted. Ranks must know them before.

    Args:
        search_space: Not used.
        experiment_data: Not used.
        adapter: Supplies the optimization config.
        config: Not used.

    Raises:
        UserInputError: If the objective was changed after the strategy's model was built, or if a
            constraint is on a sum of metrics.
    """

    def __init__(
        self,
        search_space: SearchSpace | None = None,
        experiment_data: ExperimentData | None = None,
        adapter: Adapter | None = None,
        config: TConfig | None = None,
    ) -> None:
        super().__init__(search_space, experiment_data, adapter, config)
        self.negated: set[str] = set()
        if adapter is None or adapter._optimization_config is None:
            return
        if adapter._optimization_config != adapter._experiment.optimization_config:
            raise UserInputError(
                "The objective was changed after the model of this generation strategy was built. "
                "Set a strategy anew, for example with client.set_generation_strategy("
                "popbo_generation_strategy(...)): it continues with all trials."
            )
        for constraint in adapter._optimization_config.outcome_constraints:
            # Ax's own model would take it for one on the first of them.
            scalarized = isinstance(constraint, ScalarizedOutcomeConstraint)
            if len(constraint.metric_names) > 1 and not scalarized:
                raise UserInputError(
                    f"A constraint on several metrics is not understood: {constraint}. Report what "
                    "it limits as a metric of its own."
                )
        weights = adapter._optimization_config.objective.metric_weights
        self.negated = {signature for signature, weight in weights if weight < 0}

    def transform_optimization_config(
        self,
        optimization_config: OptimizationConfig,
        adapter: Adapter | None = None,
        fixed_features: ObservationFeatures | None = None,
    ) -> OptimizationConfig:
        """Turn the signs of negated metrics and mirror their thresholds.

        A goal of other directions than the experiment's, as ``adapter.gen`` takes it, keeps them.
        """
        objective = optimization_config.objective
        names, parts = objective._parsed
        signs = {
            name: -1.0 if signature in self.negated else 1.0
            for name, signature in objective.metric_name_to_signature.items()
        }
        parts = [[(name, signs[name] * weight) for name, weight in part] for part in parts]
        sums = [" + ".join(f"{weight} * {name}" for name, weight in part) for part in parts]
        mirrored: dict[str, Any] = {
            "objective": Objective(
                expression=", ".join(sums),
                metric_name_to_signature=objective.metric_name_to_signature,
                _parsed=(names, parts),
            )
        }
        if isinstance(optimization_config, MultiObjectiveOptimizationConfig):
            mirrored["objective_thresholds"] = self._mirrored(
                optimization_config.objective_thresholds
            )
        return optimization_config.clone_with_args(**mirrored)

    def untransform_outcome_constraints(
        self,
        outcome_constraints: list[OutcomeConstraint],
        fixed_features: ObservationFeatures | None = None,
    ) -> list[OutcomeConstraint]:
        """Mirror the thresholds of minimised metrics back."""
        return self._mirrored(outcome_constraints)

    def _mirrored(self, constraints: list[OutcomeConstraint]) -> list[OutcomeConstraint]:
        """Bounds on negated metrics: an upper one on a metric is a lower one on its negative."""
        return [
            _mirror(c) if self.negated.intersection(c.metric_signatures) else c for c in constraints
        ]

    def transform_experiment_data(self, experiment_data: ExperimentData) -> ExperimentData:
        """Negate the observed means of minimised metrics."""
        data = experiment_data.observation_data
        for signature in self.negated:
            if ("mean", signature) in data:
                data["mean", signature] = -data["mean", signature]
        return ExperimentData(arm_data=experiment_data.arm_data, observation_data=data)

    def _transform_observation_data(
        self, observation_data: list[ObservationData]
    ) -> list[ObservationData]:
        for data in observation_data:
            for index, signature in enumerate(data.metric_signatures):
                if signature in self.negated:
                    data.means[index] *= -1.0
                    data.covariance[index, :] *= -1.0
                    data.covariance[:, index] *= -1.0
        return observation_data

    # Negation is its own inverse.
    _untransform_observation_data = _transform_observation_data


def _mirror(constraint: OutcomeConstraint) -> OutcomeConstraint:
    return OutcomeConstraint(
        expression=build_constraint_expression_str(
            metric_weights=[
                (name, weight)
                for name, (_, weight) in zip(
                    constraint.metric_names, constraint.metric_weights, strict=True
                )
            ],
            op="<=" if constraint.op == ComparisonOp.GEQ else ">=",
            bound=-constraint.bound,
            relative=constraint.relative,
        ),
        metric_name_to_signature=dict(
            zip(constraint.metric_names, constraint.metric_signatures, strict=True)
        ),
        relative=constraint.relative,
    )
