"""Evaluated points with what is to be maximised and what is left of constraints."""

from dataclasses import dataclass

import torch
from torch import Tensor

from botorch_popbo._seeds import derive_seed
from botorch_popbo.data.constraints import from_constrained_outcomes
from botorch_popbo.data.objectives import random_weights, trade_off
from botorch_popbo.data.order import Order
from botorch_popbo.data.outcomes import from_outcomes


@dataclass(frozen=True)
class Measured:
    """What a goal says of evaluated points.

    Attributes:
        X: Points, an ``N x d`` tensor.
        objectives: What to maximise, ``N x c``; minus infinity for failed evaluations.
        variance: Variances of the objectives, ``N x c``, NaN where unknown.
        slack: Slacks of the ``k`` constraints, ``N x k``, negative where violated; of failed
            evaluations without meaning.
        slack_variance: Variances of the slacks, ``N x k``, NaN where unknown.
        excess: How far objectives are above their thresholds, one column for each threshold,
            likewise.
    """

    X: Tensor
    objectives: Tensor
    variance: Tensor
    slack: Tensor
    slack_variance: Tensor
    excess: Tensor

    def feasible_first(self, seed: int) -> Order:
        """One order of all points, feasible ones first; see :func:`from_constrained_outcomes`.

        Thresholds are constraints. Several objectives are ordered by a random trade-off, another
        one for every number of points, so that a search visits all parts of the Pareto front; see
        :func:`trade_off`.

        Args:
            seed: Seed of the trade-offs.

        Returns:
            The order.

        Raises:
            InputDataError: If fewer than two points can be ranked.
        """
        value, number = self.objectives[:, 0], self.objectives.shape[-1]
        if number > 1:
            generator = torch.Generator().manual_seed(derive_seed(seed, len(self.X)))
            value = trade_off(self.objectives, random_weights(number, generator).to(self.X))
        violation = -torch.cat([self.slack, self.excess], dim=-1)
        return from_constrained_outcomes(self.X, value, violation)

    def objective_orders(self) -> list[Order]:
        """The order of every objective by itself.

        Raises:
            InputDataError: If fewer than two points can be ranked.
        """
        columns = zip(self.objectives.T, self.variance.T, strict=True)
        return [_order(self.X, values, variance) for values, variance in columns]

    def slack_orders(self) -> list[Order]:
        """The order of the slacks of each constraint that a point violates which did not fail.

        None if there are not two points to compare.
        """
        succeeded = ~self.objectives[:, 0].isneginf()
        X = self.X[succeeded]
        if len(X.unique(dim=0)) < 2:
            return []
        columns = zip(self.slack[succeeded].T, self.slack_variance[succeeded].T, strict=True)
        return [_order(X, *column) for column in columns if bool((column[0] < 0.0).any())]


def _order(X: Tensor, values: Tensor, variance: Tensor) -> Order:
    return from_outcomes(X, values, None if bool(variance.isnan().all()) else variance)
