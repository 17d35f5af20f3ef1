"""The probability that a constraint is satisfied, from the utility of its slack."""

import math

import torch
from torch import Tensor
from torch.nn import Module

from botorch_popbo.acquisition._log_improvement import MIN_VARIANCE
from botorch_popbo.data._rows import is_row_of
from botorch_popbo.models.ranking_gp import RankingGP


class SlackConstraint(Module):
    r"""A constraint whose slack was measured, and is at least zero where it is satisfied.

    The utility of a slack of zero lies between those of the worst evaluated point that satisfies
    the constraint and of the best that does not; see :func:`place_of`. What counts is the
    difference to the nearer of the two, which is known far better than the utility itself: that is
    relative to the average of all points, from which many gaps lead to the border. The last gap is
    as uncertain as any that counts.

    Args:
        model: A fitted model of the slacks: every outcome of a point is at least zero where the
            constraint is satisfied.
        X_pending: Points being evaluated, an ``m x d`` tensor, which count as if they had turned
            out as expected, unless their slack was measured already.
    """

    _satisfying: Tensor
    _measured: Tensor

    def __init__(self, model: RankingGP, X_pending: Tensor | None = None) -> None:
        super().__init__()
        order = model.order
        # A point of several lists, or of repeats, satisfies it only if it always did.
        violated = torch.isin(order.item, order.item[order.score < 0.0])
        satisfying = order.X[order.item[~violated].unique()].to(model.known_X)
        self.register_buffer("_satisfying", satisfying, persistent=False)
        self.register_buffer("_measured", model.known_X, persistent=False)
        if X_pending is not None:
            X_pending = X_pending[~is_row_of(X_pending, model.known_X)]
        self._informed = informed = model.with_pending(X_pending)
        with torch.no_grad():
            known = informed.encode(informed.known_X).double()
            utility, border = informed.predictor.mean(known), place_of(informed, 0.0)
            nearest = (utility - border).abs().argmin()
            self._ahead = border - utility[nearest]
            # Half-way in places, or as certain as other distances.
            certainty = 1.0 if informed.warp is None else informed.warp.concentration
            self._variance = self._ahead.square() / certainty
        self._differences = informed.differences_from(known[nearest])

    @torch.no_grad()
    def is_satisfied(self, X: Tensor, is_success: Tensor) -> Tensor:
        """Whether points satisfy the constraint as measured.

        Of a success whose slack was not measured, what is more likely than not counts.

        Args:
            X: Points, an ``n x d`` tensor.
            is_success: Which of them were evaluated and have not failed, of shape ``n``.

        Returns:
            A boolean tensor of shape ``n``.
        """
        satisfied = is_row_of(X, self._satisfying)
        unmeasured = is_success & ~is_row_of(X, self._measured)
        if bool(unmeasured.any()):
            satisfied[unmeasured] = self(X[unmeasured]) > math.log(0.5)
        return satisfied

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


def place_of(model: RankingGP, value: float) -> Tensor:
    """The utility of an outcome: between its neighbours' in the order, nearer to the closer one.

    From either neighbour the utility is as steep as in the gap beyond it. A line from one to the
    other would be too flat beside the one whose outcomes are dense, and a search for a feasible
    point would creep.

    Where all outcomes are larger it is minus infinity, as a new one will be larger, too. Where none
    is, the slope of the better half of the outcomes continues, for three deviations of the prior at
    most.

    Args:
        model: A fitted model.
        value: The outcome, in the unit of the model's.

    Returns:
        A scalar tensor.
    """
    order, predictor = model.order, model.predictor
    with torch.no_grad():
        utility = predictor.mean(model.encode(order.X).double())[order.item]
    succeeded = order.score.isfinite()
    utility, score = utility[succeeded], order.score[succeeded].to(utility)
    if model.settings.order_only:  # half-way, in places
        levels, score = score.unique(return_inverse=True)
        value, score = float((levels < value).sum()) - 0.5, score.to(utility)
    is_above = score >= value
    if bool(is_above.all()):
        return utility.new_tensor(-torch.inf)
    if bool(is_above.any()):
        return _between(score, utility, value)
    best = score.argmax()
    half = score.topk(len(score) // 2 + 1).indices
    gap, rise = score[best] - score[half], utility[best] - utility[half]
    slope = (gap @ rise) / gap.square().sum().clamp_min(torch.finfo(gap.dtype).tiny)
    return utility.max() + ((value - score[best]) * slope).clamp(0.0, 3.0)


def _between(score: Tensor, utility: Tensor, value: float) -> Tensor:
    """The utility of a value between two levels, where its slope is that of the gaps beyond."""
    level, index = score.unique(return_inverse=True)
    mean = torch.zeros_like(level).scatter_reduce(0, index, utility, "mean", include_self=False)
    slope = mean.diff() / level.diff()
    below = int((level < value).sum()) - 1
    beyond = slope[[max(below - 1, 0), min(below + 1, len(slope) - 1)]]
    # Of what noise has turned round the gap itself says more.
    beyond = beyond.where(beyond > 0.0, slope[below].clamp_min(torch.finfo(slope.dtype).tiny))
    rise = (value - level[below]) * beyond[0]
    share = rise / (rise + (level[below + 1] - value) * beyond[1])
    return mean[below].lerp(mean[below + 1], share)
