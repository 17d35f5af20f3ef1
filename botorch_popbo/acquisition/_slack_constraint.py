"""The probability that a constraint is satisfied, from the law of a rank."""

import torch
from torch import Tensor
from torch.nn import Module

from botorch_popbo.acquisition._checks import check_model
from botorch_popbo.data._rows import is_row_of
from botorch_popbo.models.ranking_gp import RankingGP


class SlackConstraint(Module):
    r"""A constraint whose slack was measured, known by the order of the slacks alone.

    Zero is a place in this order, between the worst evaluated point that satisfies the constraint
    and the best that does not; see
    :meth:`~botorch_popbo.posteriors._thresholds.Thresholds.border`.

    Args:
        model: A fitted model of the slacks: every outcome of a point is at least zero where the
            constraint is satisfied.

    Raises:
        UnsupportedError: If the model has no uncertainty.
    """

    _satisfying: Tensor

    def __init__(self, model: RankingGP) -> None:
        super().__init__()
        check_model(model, needs_uncertainty=True)
        self.slack = model
        order = model.order
        # A point of several lists, or of repeats, satisfies it only if it always did.
        violated = torch.isin(order.item, order.item[order.score < 0.0])
        satisfying = order.X[order.item[~violated].unique()].to(model.known_X)
        self.register_buffer("_satisfying", satisfying, persistent=False)
        self.set_X_pending(None)

    def set_X_pending(self, X_pending: Tensor | None) -> None:  # noqa: N802
        """Count on what points being evaluated will tell: that they turn out as expected.

        Args:
            X_pending: The points, an ``m x d`` tensor, or ``None``.
        """
        self._informed, self._num_satisfying = self.slack, len(self._satisfying)
        if X_pending is None or not X_pending.numel():
            return
        with torch.no_grad():
            rank = self.slack.rank_law(self.slack.encode(X_pending)).mean
        if self._num_satisfying:  # those that come before the best point that violates it
            self._num_satisfying += int((rank <= self._num_satisfying).sum())
        self._informed = self.slack.with_pending(X_pending)

    def is_satisfied(self, X: Tensor) -> Tensor:
        """Whether points were measured and found to satisfy the constraint.

        Args:
            X: Points, an ``n x d`` tensor.

        Returns:
            A boolean tensor of shape ``n``.
        """
        return is_row_of(X, self._satisfying)

    def forward(self, X: Tensor) -> Tensor:
        """Log-probability that points satisfy the constraint.

        Args:
            X: Points, a ``batch_shape x q x d`` tensor.

        Returns:
            A ``batch_shape x q`` tensor, in nats.
        """
        thresholds = self._informed.rank_law(self._informed.encode(X)).thresholds
        log_prob: Tensor = torch.special.log_ndtr(-thresholds.border(self._num_satisfying))
        return log_prob
