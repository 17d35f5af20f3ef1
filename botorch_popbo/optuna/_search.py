"""Models of what a study is after, and the most promising point by them."""

from dataclasses import dataclass

import torch
from torch import Tensor

from botorch_popbo.acquisition import (
    LogConstrainedExpectedUtilityImprovement,
    LogExpectedFrontImprovement,
    LogExpectedUtilityImprovement,
    RankAcquisitionFunction,
)
from botorch_popbo.data import Order
from botorch_popbo.data._measured import Measured
from botorch_popbo.data._rows import is_row_of
from botorch_popbo.models import RankingGP
from botorch_popbo.optim._maximize import Domain, maximize
from botorch_popbo.optim._tables import MAX_CANDIDATES, MAX_FRONT_CANDIDATES
from botorch_popbo.optuna._space import Space


@dataclass(frozen=True)
class Models:
    """Fitted models.

    Attributes:
        objectives: One of each objective.
        slacks: One of each constraint that a success violates.
    """

    objectives: list[RankingGP]
    slacks: list[RankingGP]

    @classmethod
    def fit(cls, measured: Measured, space: Space) -> "Models":
        """Fit them to at least two distinct points.

        Args:
            measured: Points with their objectives and slacks.
            space: The space of the points.

        Returns:
            The models.
        """

        def fitted(order: Order) -> RankingGP:
            return RankingGP(order=order, input_transform=space.input_transform()).fit()

        objectives = [fitted(order) for order in measured.objective_orders()]
        return cls(objectives, [fitted(order) for order in measured.slack_orders()])

    def suggest(self, domain: Domain, X_pending: Tensor, seed: int) -> Tensor:
        """The point of the highest expected improvement.

        Args:
            domain: Where to search.
            X_pending: Points not to be suggested again, a ``p x d`` tensor.
            seed: Seed of samples and starting points.

        Returns:
            A point, of shape ``d``.
        """
        known = self.objectives[0].known_X
        X_pending = X_pending.unique(dim=0)
        X_pending = X_pending[~is_row_of(X_pending, known)]
        inside = ((known >= domain.bounds[0]) & (known <= domain.bounds[1])).all(-1)
        acquisition = self._acquisition(X_pending, known[inside], seed)
        is_single = len(self.objectives) == 1
        number = MAX_CANDIDATES if is_single else MAX_FRONT_CANDIDATES
        return maximize(acquisition, domain, torch.cat([known, X_pending]), number, seed)

    def _acquisition(
        self, X_pending: Tensor, X_baseline: Tensor, seed: int
    ) -> RankAcquisitionFunction:
        pending = X_pending if len(X_pending) else None
        if len(self.objectives) > 1:
            return LogExpectedFrontImprovement(
                self.objectives,
                self.slacks,
                X_pending=pending,
                seed=seed,
                X_baseline=X_baseline,
            )
        (model,) = self.objectives
        if self.slacks:
            return LogConstrainedExpectedUtilityImprovement(model, self.slacks, pending, X_baseline)
        return LogExpectedUtilityImprovement(model, pending, X_baseline)
