"""A fitted rank model together with the names that users know its points by."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import torch
from ax.adapter.torch import TorchAdapter
from ax.core.experiment import Experiment
from ax.core.observation import ObservationFeatures
from ax.core.parameter import TParamValue
from torch import Tensor

from botorch_popbo.models import RankModel
from botorch_popbo.posteriors.rank_posterior import RankPosterior


@dataclass(frozen=True)
class FittedRanks:
    """The model of one metric, with points in the user's parameters.

    Attributes:
        experiment: The experiment.
        adapter: Carries parameters over to the model's space.
        model: The fitted model of the metric's ranks.
        metric_name: Name of the metric.
    """

    experiment: Experiment
    adapter: TorchAdapter
    model: RankModel
    metric_name: str

    def points(self, parameters: Sequence[dict[str, TParamValue]]) -> Tensor:
        """Points of the model's space.

        Args:
            parameters: The ``n`` parameterizations.

        Returns:
            An ``n x d`` tensor.
        """
        features = [ObservationFeatures(parameters=dict(values)) for values in parameters]
        points: Tensor = self.adapter.transform_observation_features(features)
        return points

    def posterior(self, parameters: Sequence[dict[str, TParamValue]]) -> RankPosterior:
        """The law of the number of better points.

        Args:
            parameters: The ``n`` parameterizations.

        Returns:
            A posterior over counts of shape ``n x 1``.
        """
        with torch.no_grad():
            return self.model.rank_posterior(self.points(parameters))

    @cached_property
    def arm_names(self) -> list[str]:
        """Names of the ``m`` distinct evaluated points, in the order of ``model.rank_counts``."""
        arms = [
            arm
            for arm in self.experiment.arms_by_name.values()
            if self.adapter.model_space.check_membership(
                arm.parameters, check_all_parameters_present=True, check_range_bounds=False
            )
        ]
        # Log scales may round differently for one point than for a table of them.
        distances = torch.cdist(
            self.model.rank_counts.X,
            self.points([arm.parameters for arm in arms]),
            compute_mode="donot_use_mm_for_euclid_dist",
        )
        return [arms[i].name for i in distances.argmin(dim=-1).tolist()]

    @cached_property
    def best_arm_name(self) -> str:
        """Name of the arm that the model recommends."""
        is_incumbent = (self.model.incumbent == self.model.rank_counts.X).all(-1)
        return self.arm_names[int(is_incumbent.nonzero()[0])]

    @property
    def best_parameters(self) -> dict[str, TParamValue]:
        """The parameters of that arm, of which some may have no meaning beside the others."""
        return dict(self.experiment.arms_by_name[self.best_arm_name].parameters)
