"""Trials as tensors: what every interface fills, and what the models learn from."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import torch
from torch import Tensor

from botorch_popbo.data.order import Order
from botorch_popbo.data.outcomes import from_outcomes


@dataclass(frozen=True)
class Trial:
    """A trial that has ended.

    Attributes:
        x: Its point, of shape ``d``.
        objectives: What to maximize; minus infinity if it failed.
        slack: What is left of each constraint, negative where violated; infinite where it does not
            apply, and NaN where it is unknown.
        variance: The variance of each objective and of each slack; NaN if unknown.
        rest: The variance of each objective for what was not evaluated of it, beside noise; empty
            if that is nothing.
    """

    x: Tensor
    objectives: Sequence[float]
    slack: Sequence[float] = ()
    variance: float = math.nan
    rest: Sequence[float] = ()

    @property
    def has_failed(self) -> bool:
        """Whether it has no outcome."""
        return -math.inf in self.objectives


@dataclass(frozen=True)
class Trials:
    """What is known of points.

    Attributes:
        X: Evaluated points, an ``N x d`` tensor.
        objectives: What to maximize, ``N x c``; minus infinity for failed evaluations, NaN where
            unknown.
        variance: Variances of the objectives, ``N x c``, NaN where unknown.
        slack: Slacks of the ``k`` constraints, ``N x k``, negative where violated, infinite where a
            constraint does not apply, NaN where it is unknown; of failed evaluations without
            meaning.
        slack_variance: Variances of the slacks, ``N x k``, NaN where unknown.
        pending: Points not to be suggested again, a ``p x d`` tensor.
    """

    X: Tensor
    objectives: Tensor
    variance: Tensor
    slack: Tensor
    slack_variance: Tensor
    pending: Tensor

    @property
    def known_X(self) -> Tensor:  # noqa: N802
        """Points that are evaluated or pending, an ``m x d`` tensor."""
        return torch.cat([self.X, self.pending])

    @classmethod
    def gather(
        cls, ended: Sequence[Trial], pending: Sequence[Tensor], shape: Sequence[int]
    ) -> Self:
        """Trials in a row.

        A failure does not count if the same point succeeded at another time.

        Args:
            ended: Trials that have ended.
            pending: Points of others, each of shape ``d``.
            shape: The numbers of parameters, objectives and constraints.

        Returns:
            What is known.
        """
        succeeded = {tuple(trial.x.tolist()) for trial in ended if not trial.has_failed}
        ended = [t for t in ended if not (t.has_failed and tuple(t.x.tolist()) in succeeded)]

        def matrix(rows: Sequence[Sequence[float]], width: int) -> Tensor:
            return torch.tensor(rows, dtype=torch.double).reshape(len(rows), width)

        dim, num_objectives, num_constraints = shape
        slack = matrix([trial.slack for trial in ended], num_constraints)
        variance = matrix([[trial.variance] for trial in ended], 1)
        rest = matrix([trial.rest or [0.0] * num_objectives for trial in ended], num_objectives)
        # Beside what is foreseen, noise that is unknown is for the model to infer.
        noise = variance.nan_to_num(0.0) if bool(rest.any()) else variance
        return cls(
            X=matrix([trial.x.tolist() for trial in ended], dim),
            objectives=matrix([trial.objectives for trial in ended], num_objectives),
            variance=noise + rest,
            slack=slack,
            slack_variance=variance.expand_as(slack),
            pending=matrix([x.tolist() for x in pending], dim),
        )

    @property
    def num_successes(self) -> int:
        """The number of evaluations that did not fail."""
        return int((~self.objectives.isneginf().any(-1)).sum())

    def objective_orders(self) -> list[Order]:
        """The order of every objective by itself, of the points that have all of them.

        Raises:
            InputDataError: If fewer than two points can be ranked.
        """
        known = ~self.objectives.isnan().any(-1)
        columns = zip(self.objectives[known].T, self.variance[known].T, strict=True)
        return [from_outcomes(self.X[known], values, variance) for values, variance in columns]

    def slack_orders(self) -> dict[int, Order]:
        """The order of the slacks of each constraint that a point violates which did not fail.

        A point to which a constraint does not apply satisfies it by as much as any violates or
        satisfies it: no part of the space where it never applies is taken for infeasible, whatever
        the unit. One of which it is unknown teaches nothing of it.
        """
        columns, orders = zip(self.slack.T, self.slack_variance.T, strict=True), {}
        for index, (slack, variance) in enumerate(columns):
            known = ~(self.objectives[:, 0].isneginf() | slack.isnan())
            X, slack = self.X[known], slack[known]
            if bool((slack < 0.0).any()) and len(X.unique(dim=0)) > 1:
                furthest = slack.abs().where(slack.isfinite(), 0.0).amax().item() or 1.0
                slack = slack.nan_to_num(posinf=furthest, neginf=-torch.inf)
                orders[index] = from_outcomes(X, slack, variance[known])
        return orders
