"""What an experiment is after: values to maximize, and what is left of its constraints."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import torch
from botorch.utils.datasets import SupervisedDataset
from botorch.utils.sampling import sample_simplex
from torch import Tensor

from botorch_popbo._reproducible import derive_seed
from botorch_popbo.data import Order, from_constrained_outcomes
from botorch_popbo.data.objectives import trade_off
from botorch_popbo.search.trials import Trials


@dataclass(frozen=True)
class Goal:
    """Objectives to maximize under outcome constraints, for ``m`` metrics.

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
        weights = torch.cat([self.objective_weights, *(self.outcome_constraints or ())[:1]])
        return (weights != 0).any(0).nonzero().squeeze(-1).tolist()

    @property
    def key(self) -> Hashable:
        """Equal for equal goals."""
        constraints = self.outcome_constraints or ()
        parts = (self.objective_weights, *constraints, self.objective_thresholds)
        return str([None if part is None else part.tolist() for part in parts])

    @property
    def is_one_metric(self) -> bool:
        """Whether the goal is a single metric, larger being better, and nothing else."""
        is_larger_better = bool((self.objective_weights >= 0).all())
        return is_larger_better and len(self.metrics) == len(self.objective_weights) == 1

    def measured(self, datasets: Sequence[SupervisedDataset]) -> Trials:
        """The objectives and the slacks of every evaluated point.

        Args:
            datasets: One data set for each of the ``m`` metrics.

        Returns:
            The points with their objectives and slacks, NaN where a metric is missing.
        """
        X, Y, variance = _aligned([datasets[i] for i in self.metrics])
        weights = self.objective_weights[:, self.metrics]
        failed = Y[:, (weights != 0).any(0)].isneginf().any(-1)
        outcomes = torch.where(failed.unsqueeze(-1), 0.0, Y)
        objectives = _sums(outcomes, weights)
        slack = slack_variance = X[:, :0]
        if self.outcome_constraints is not None:
            A, b = self.outcome_constraints[0][:, self.metrics], self.outcome_constraints[1]
            slack, slack_variance = b.T - _sums(outcomes, A), _sums(variance, A.square())
        objectives[failed] = -torch.inf
        of_objectives = _sums(variance, weights.square())
        return Trials(X, objectives, of_objectives, slack, slack_variance, X[:0])

    def orders(self, measured: Trials) -> tuple[list[tuple[int, Order]], list[tuple[int, Order]]]:
        """The orders of the objectives, and those of the slacks of violated constraints.

        An objective is learned from every point that has all of them, a slack from every one that
        has it.

        Args:
            measured: What :meth:`measured` returns.

        Returns:
            Each with the first metric that it is about.

        Raises:
            InputDataError: If fewer than two points can be ranked.
        """
        objectives = zip(_first(self.objective_weights), measured.objective_orders(), strict=True)
        constrained = _first(self.outcome_constraints[0]) if self.outcome_constraints else []
        slacks = measured.slack_orders().items()
        return [*objectives], [(constrained[index], order) for index, order in slacks]

    def order_of_all(self, measured: Trials, seed: int) -> Order:
        """One order of the points that have every metric, feasible ones first.

        Thresholds are constraints. Several objectives are ordered by a random trade-off, another
        one for every number of points, so that a search visits all parts of the Pareto front; see
        :func:`~botorch_popbo.data.objectives.trade_off`.

        Args:
            measured: What :meth:`measured` returns.
            seed: Seed of the trade-offs.

        Raises:
            InputDataError: If fewer than two points can be ranked.
        """
        slack = measured.slack
        if self.objective_thresholds is not None:
            given = ~self.objective_thresholds.isnan()
            above = measured.objectives[:, given] - self.objective_thresholds[given]
            slack = torch.cat([slack, above], dim=-1)
        has_all = ~torch.cat([measured.objectives, slack], dim=-1).isnan().any(-1)
        X, objectives = measured.X[has_all], measured.objectives[has_all]
        value, number = objectives[:, 0], objectives.shape[-1]
        if number > 1:
            drawn = sample_simplex(number, seed=derive_seed(seed, len(X)), dtype=torch.double)
            value = trade_off(objectives, drawn.squeeze(0).to(X))
        return from_constrained_outcomes(X, value, -slack[has_all])


def _first(weights: Tensor) -> list[int]:
    """Of each row the first metric that has a weight."""
    return (weights != 0).long().argmax(-1).tolist()


def _sums(values: Tensor, weights: Tensor) -> Tensor:
    """Weighted sums of metrics.

    Args:
        values: Values of ``m`` metrics, ``N x m``, NaN where unknown.
        weights: Weights of ``k`` sums, ``k x m``.

    Returns:
        An ``N x k`` tensor, NaN where a metric of the sum is.
    """
    return torch.where(weights == 0.0, 0.0, weights * values.unsqueeze(-2)).sum(-1)


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
