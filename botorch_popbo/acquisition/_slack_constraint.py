"""The probability that a constraint is satisfied, from the utility of its slack."""

import math

import torch
from torch import Tensor
from torch.nn import Module

from botorch_popbo.acquisition._checks import check_model
from botorch_popbo.acquisition._known_utilities import place_of
from botorch_popbo.data._rows import is_row_of
from botorch_popbo.models._predict.predictor import MIN_VARIANCE
from botorch_popbo.models.ranking_gp import RankingGP


class SlackConstraint(Module):
    r"""A constraint whose slack was measured, and is at least zero where it is satisfied.

    The utility of a slack of zero lies between those of the worst evaluated point that satisfies
    the constraint and of the best that does not; see
    :func:`~botorch_popbo.acquisition._known_utilities.place_of`. What counts is the difference to
    the nearer of the two, which is known far better than the utility itself: that is relative to
    the average of all points, from which many gaps lead to the border. The last gap is as uncertain
    as any that is heard.

    Args:
        model: A fitted model of the slacks: every outcome of a point is at least zero where the
            constraint is satisfied.
        X_pending: Points being evaluated, an ``m x d`` tensor, which count as if they had turned
            out as expected, unless their slack was measured already.

    Raises:
        UnsupportedError: If the model has no uncertainty.
    """

    _satisfying: Tensor
    _measured: Tensor

    def __init__(self, model: RankingGP, X_pending: Tensor | None = None) -> None:
        super().__init__()
        check_model(model, needs_uncertainty=True)
        order = model.order
        # A point of several lists, or of repeats, satisfies it only if it always did.
        violated = torch.isin(order.item, order.item[order.score < 0.0])
        satisfying = order.X[order.item[~violated].unique()].to(model.known_X)
        self.register_buffer("_satisfying", satisfying, persistent=False)
        if X_pending is not None:
            X_pending = X_pending[~is_row_of(X_pending, model.known_X)]
        self.register_buffer("_measured", model.known_X, persistent=False)
        self._informed = informed = model.with_pending(X_pending)
        with torch.no_grad():
            known = informed.encode(informed.known_X).double()
            utility, border = informed.predictor.mean(known), place_of(informed, 0.0)
            nearest = (utility - border).abs().argmin()
            self._ahead = border - utility[nearest]
            # Half-way in places, or as other distances are believed.
            believed = 1.0 if informed.warp is None else informed.warp.concentration
            self._variance = self._ahead.square() / believed
        self._differences = informed.differences_from(known[nearest])

    def is_satisfied(self, X: Tensor) -> Tensor:
        """Whether points were measured and found to satisfy the constraint.

        Args:
            X: Points, an ``n x d`` tensor.

        Returns:
            A boolean tensor of shape ``n``.
        """
        return is_row_of(X, self._satisfying)

    @torch.no_grad()
    def is_expected(self, X: Tensor) -> Tensor:
        """Whether points whose slack was not measured are more likely than not to satisfy it.

        Args:
            X: Points, an ``n x d`` tensor.

        Returns:
            A boolean tensor of shape ``n``, false for points whose slack was measured.
        """
        found = ~is_row_of(X, self._measured)
        if bool(found.any()):
            found[found.clone()] = self(X[found]) > math.log(0.5)
        return found

    def forward(self, X: Tensor) -> Tensor:
        """Log-probability that points satisfy the constraint.

        Args:
            X: Points, a ``batch_shape x q x d`` tensor.

        Returns:
            A ``batch_shape x q`` tensor, in nats.
        """
        mean, variance, _ = self._differences.moments(self._informed.encode(X).double())
        if self._ahead.isinf():  # all satisfy it
            return torch.zeros_like(mean).to(X)
        deviation = (variance.clamp_min(MIN_VARIANCE) + self._variance).sqrt()
        return torch.special.log_ndtr((mean - self._ahead) / deviation).to(X)
