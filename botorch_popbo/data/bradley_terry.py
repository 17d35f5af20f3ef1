r"""Orders of pairwise comparisons whose opponents were chosen on purpose.

The strengths of [Bradley1952]_ explain every comparison at once: losing to the best item says less
against an item than losing to the worst. Items are ordered by their estimated strengths.

.. [Bradley1952]
    R. A. Bradley and M. E. Terry. Rank analysis of incomplete block designs: I. The method of
    paired comparisons. Biometrika, 39(3/4):324-345, 1952.
"""

import torch
from torch import Tensor

from botorch_popbo.data.comparisons import compared_items
from botorch_popbo.data.order import Order

_PRIOR_DEVIATION = 2.0  # of a strength, in log-odds: weak, but enough for an undefeated item
_MAX_STEPS = 100
_TOLERANCE = 1e-10
_DIGITS = 10  # strengths equal to so many decimals are tied


def from_adaptive_comparisons(X: Tensor, comparisons: Tensor, ties: Tensor | None = None) -> Order:
    """Order items by the strengths that explain their comparisons best.

    Strengths are the posterior mode of the Bradley-Terry model, in which the log-odds of winning
    are the difference of two strengths, under a normal prior; a tie is half a win and half a loss.
    Their variances are those of Laplace's approximation: fifty answers leave less open than one.
    Equal rows of ``X`` are one item. Items that were never compared are left out. O(N^3) for ``N``
    compared items.

    Assumption: one strength per item decides its comparisons, with independent noise. Opponents
    may have been chosen in any way, such as each new item against the best so far.

    Args:
        X: Items, an ``N x d`` tensor.
        comparisons: Indices of rows of ``X``, an ``m x 2`` integer tensor: the winner and the
            loser of each comparison. Of shape ``0 x 2`` where all were ties.
        ties: Indices of rows of ``X``, an ``m' x 2`` integer tensor: pairs judged equal.

    Returns:
        One list of all compared items, by strength in log-odds.

    Raises:
        BotorchTensorDimensionError: If the shapes are wrong.
        InputDataError: If ``X`` is not finite or not of a floating-point dtype, if an index is not
            an integer or out of range, if an item is compared with itself, if there is no
            comparison, or if the devices differ.
    """
    points, decided, drawn = compared_items(X, comparisons, ties)
    wins = torch.zeros(points.shape[0], points.shape[0], dtype=torch.float64, device=X.device)
    for pairs, weight in ((decided, 1.0), (drawn, 0.5), (drawn.flip(-1), 0.5)):
        values = wins.new_full((pairs.shape[0],), weight)
        wins.index_put_((pairs[:, 0], pairs[:, 1]), values, accumulate=True)
    strengths, variances = _strengths(wins)
    return Order.from_scores(points, strengths.round(decimals=_DIGITS), variances)


def _strengths(wins: Tensor) -> tuple[Tensor, Tensor]:
    """Mode and variances of a strictly log-concave posterior, by Newton's method."""
    precision = _PRIOR_DEVIATION**-2
    games = wins + wins.T
    strengths = wins.new_zeros(wins.shape[0])
    hessian = precision * torch.eye(len(wins)).to(wins)
    for _ in range(_MAX_STEPS):
        win = torch.sigmoid(strengths.unsqueeze(-1) - strengths)
        gradient = (wins - games * win).sum(-1) - precision * strengths
        weight = games * win * (1.0 - win)
        hessian = torch.diag(weight.sum(-1) + precision) - weight
        step = torch.linalg.solve(hessian, gradient).clamp(-1.0, 1.0)
        strengths = strengths + step
        if bool(step.abs().max() < _TOLERANCE):
            break
    return strengths, torch.linalg.inv(hessian).diagonal()
