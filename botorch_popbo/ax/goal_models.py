"""Fit the models that a goal of several metrics is searched with."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ax.core.search_space import SearchSpaceDigest
from botorch.utils.datasets import SupervisedDataset
from torch import Tensor

from botorch_popbo.ax.goal import Goal
from botorch_popbo.ax.inputs import rank_model_inputs
from botorch_popbo.models.poisson_rank import PoissonRankModel


@dataclass(frozen=True)
class GoalModels:
    """Fitted rank models.

    Attributes:
        value: Of what is maximised.
        slacks: Of the constraints that an evaluated point violates, unless they are part of the
            order that ``value`` was fitted to.
    """

    value: PoissonRankModel
    slacks: list[PoissonRankModel] = field(default_factory=list)


def fit_goal(
    goal: Goal,
    datasets: Sequence[SupervisedDataset],
    digest: SearchSpaceDigest,
    options: Mapping[str, Any],
    seed: int,
    has_uncertainty: bool,
) -> GoalModels:
    """Fit a model to the goal's values and one to the slacks of each constraint.

    Without uncertainty no probability of feasibility can be told. All points are then put into one
    order, feasible ones first.

    Args:
        goal: The goal.
        datasets: One data set for each metric.
        digest: The search space.
        options: The ``model_options`` of Ax's ``ModelConfig``.
        seed: Seed of the trade-offs between objectives.
        has_uncertainty: Whether the acquisition function asks for more than ranks.

    Returns:
        The models.

    Raises:
        InputDataError: If fewer than two points can be ranked.
    """

    def fit(X: Tensor, **data: Any) -> PoissonRankModel:
        return PoissonRankModel(**data, **rank_model_inputs(digest, X, options)).fit()

    measured = goal.measured(datasets, seed)
    if not has_uncertainty:
        return GoalModels(fit(measured.X, rank_counts=measured.rank_counts))
    value = fit(measured.X, train_X=measured.X, train_Y=measured.value.unsqueeze(-1))
    X, slacks = measured.violated_slacks
    return GoalModels(value, [fit(X, train_X=X, train_Y=slack) for slack in slacks])
