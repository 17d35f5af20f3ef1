"""The Ax transform that makes every objective a maximised one."""

from typing import TYPE_CHECKING

from ax.adapter.data_utils import ExperimentData
from ax.adapter.transforms.base import Transform
from ax.core.objective import Objective
from ax.core.observation import ObservationData, ObservationFeatures
from ax.core.optimization_config import OptimizationConfig
from ax.core.search_space import SearchSpace
from ax.exceptions.core import UserInputError
from ax.generators.types import TConfig

if TYPE_CHECKING:
    from ax.adapter.base import Adapter


class MaximizeObjective(Transform):
    """Negate a minimised metric in the data, in the objective and back in the predictions.

    Ax hands the sign of the objective to the acquisition function only, after the surrogate was
    fitted. Ranks must know it before.

    Args:
        search_space: Not used.
        experiment_data: Not used.
        adapter: Supplies the optimization config.
        config: Not used.

    Raises:
        UserInputError: If the experiment has several objectives, a scalarised one, or outcome
            constraints.
    """

    def __init__(
        self,
        search_space: SearchSpace | None = None,
        experiment_data: ExperimentData | None = None,
        adapter: "Adapter | None" = None,
        config: TConfig | None = None,
    ) -> None:
        super().__init__(search_space, experiment_data, adapter, config)
        optimization_config = None if adapter is None else adapter._optimization_config
        self._negated: set[str] = set()
        if optimization_config is not None:
            _check_supported(optimization_config)
            [(signature, weight)] = optimization_config.objective.metric_weights
            if weight < 0:
                self._negated.add(signature)

    def transform_optimization_config(
        self,
        optimization_config: OptimizationConfig,
        adapter: "Adapter | None" = None,
        fixed_features: ObservationFeatures | None = None,
    ) -> OptimizationConfig:
        """Drop the minus sign of a minimised objective."""
        _check_supported(optimization_config)
        objective = optimization_config.objective
        [(signature, weight)] = objective.metric_weights
        if signature in self._negated:
            optimization_config.objective = Objective(
                expression=f"{-weight} * {objective.metric_names[0]}",
                metric_name_to_signature=objective.metric_name_to_signature,
            )
        return optimization_config

    def transform_experiment_data(self, experiment_data: ExperimentData) -> ExperimentData:
        """Negate the observed means of a minimised metric."""
        data = experiment_data.observation_data
        for signature in self._negated:
            if ("mean", signature) in data:
                data["mean", signature] = -data["mean", signature]
        return ExperimentData(arm_data=experiment_data.arm_data, observation_data=data)

    def _transform_observation_data(
        self, observation_data: list[ObservationData]
    ) -> list[ObservationData]:
        for data in observation_data:
            for index, signature in enumerate(data.metric_signatures):
                if signature in self._negated:
                    data.means[index] *= -1.0
                    data.covariance[index, :] *= -1.0
                    data.covariance[:, index] *= -1.0
        return observation_data

    # Negation is its own inverse.
    _untransform_observation_data = _transform_observation_data


def _check_supported(optimization_config: OptimizationConfig) -> None:
    if not optimization_config.objective.is_single_objective:
        raise UserInputError(
            "Rank-based strategies optimise one metric, but the objective is "
            f"{optimization_config.objective.expression!r}. Combine the metrics into one before "
            "reporting it, or use gp_generation_strategy."
        )
    if optimization_config.outcome_constraints:
        raise UserInputError(
            "Rank-based strategies take no outcome constraints yet. Report an infeasible trial as "
            "an infinitely bad objective, or use gp_generation_strategy."
        )
