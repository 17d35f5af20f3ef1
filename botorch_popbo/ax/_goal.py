"""What an experiment is after: values to maximise, and what is left of its constraints."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import torch
from botorch.utils.datasets import SupervisedDataset
from torch import Tensor

from botorch_popbo.search.trials import Trials


@dataclass(frozen=True)
class Goal:
    """Objectives to maximise under outcome constraints, for ``m`` metrics.

    Args:
        objective_weights: Each of the ``c`` objectives is a weighted sum of metrics; ``c x m``.
        outcome_constraints: A ``k x m`` and a ``k x 1`` tensor ``A`` and ``b``; an outcome ``y`` is
            feasible if ``A y <= b``.
        objective_thresholds: Values below which an objective is not worth having, of shape ``c``;
            NaN where there is none.
    """

    objective_weights: Tensor
    outcome_constraints: tuple[Tensor, Tensor] | None = None
    objective_thresholds: Tensor | None = None

    @property
    def metrics(self) -> list[int]:
        """The metrics that decide, in rising order."""
        decides = (self.objective_weights != 0).any(0)
        if self.outcome_constraints is not None:
            decides = decides | (self.outcome_constraints[0] != 0).any(0)
        return decides.nonzero().squeeze(-1).tolist()

    @property
    def key(self) -> Hashable:
        """Equal for equal goals."""
        constraints = self.outcome_constraints or ()
        parts = (self.objective_weights, *constraints, self.objective_thresholds)
        return str([None if part is None else part.tolist() for part in parts])

    @property
    def is_one_metric(self) -> bool:
        """Whether the goal is a single metric, larger being better, and nothing else."""
        return len(self.metrics) == len(self.objective_weights) == 1 and bool(
            (self.objective_weights >= 0).all()
        )

    def measured(self, datasets: Sequence[SupervisedDataset]) -> Trials:
        """The objectives and the slacks of every evaluated point.

        A point that lacks one of the metrics takes no part: it can be compared with none.

        Args:
            datasets: One data set for each of the ``m`` metrics.

        Returns:
            The points with their objectives and slacks.
        """
        X, Y, variance = _aligned([datasets[i] for i in self.metrics])
        weights = self.objective_weights[:, self.metrics]
        failed = Y[:, (weights != 0).any(0)].isneginf().any(-1)
        usable = failed | ~Y.isnan().any(-1)
        X, Y, variance, failed = X[usable], Y[usable], variance[usable], failed[usable]
        outcomes = torch.where(failed.unsqueeze(-1), 0.0, Y)
        objectives = outcomes @ weights.T
        slack = slack_variance = excess = X[:, :0]
        if self.outcome_constraints is not None:
            A, b = self.outcome_constraints[0][:, self.metrics], self.outcome_constraints[1]
            slack, slack_variance = b.T - outcomes @ A.T, _of_sums(variance, A)
        if self.objective_thresholds is not None:
            given = ~self.objective_thresholds.isnan()
            excess = objectives[:, given] - self.objective_thresholds[given]
        objectives[failed] = -torch.inf
        of_objectives = _of_sums(variance, weights)
        return Trials(X, objectives, of_objectives, slack, slack_variance, excess, X[:0])


def _of_sums(variance: Tensor, weights: Tensor) -> Tensor:
    """Variances of weighted sums of independent metrics.

    Args:
        variance: Variances of ``m`` metrics, ``N x m``, NaN where unknown.
        weights: Weights of ``k`` sums, ``k x m``.

    Returns:
        An ``N x k`` tensor, NaN where a metric of the sum is.
    """
    parts = torch.where(weights == 0.0, 0.0, weights.square() * variance.unsqueeze(-2))
    return parts.sum(-1)


def _aligned(datasets: Sequence[SupervisedDataset]) -> tuple[Tensor, Tensor, Tensor]:
    """Points, their outcomes in every data set and the variances; NaN where there is none.

    An outcome belongs to a point of one trial, so replicates in several trials stay apart. Of
    several outcomes of one metric at a point of one trial the last counts.
    """
    keys = [torch.column_stack([torch.as_tensor(d.group_indices).to(d.X), d.X]) for d in datasets]
    rows, position = torch.unique(torch.cat(keys), dim=0, return_inverse=True)
    Y = rows.new_full((len(rows), len(datasets)), torch.nan)
    variance = torch.full_like(Y, torch.nan)
    start = 0
    for column, dataset in enumerate(datasets):
        place = position[start : start + len(dataset.Y)].tolist()
        known = torch.full_like(dataset.Y, torch.nan) if dataset.Yvar is None else dataset.Yvar
        for row, y, v in zip(place, dataset.Y[:, 0].tolist(), known[:, 0].tolist(), strict=True):
            Y[row, column], variance[row, column] = y, v
        start += len(dataset.Y)
    return rows[:, 1:], Y, variance
