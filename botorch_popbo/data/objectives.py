r"""Orders of points with several objectives.

.. [Fonseca1993]
    C. M. Fonseca and P. J. Fleming. Genetic algorithms for multiobjective optimization:
    formulation, discussion and generalization. ICGA, 1993.

.. [Knowles2006]
    J. Knowles. ParEGO: a hybrid algorithm with on-line landscape approximation for expensive
    multiobjective optimization problems. IEEE Transactions on Evolutionary Computation, 2006.
"""

import torch
from torch import Tensor

from botorch_popbo.data._checks import check_outcomes
from botorch_popbo.data._replicates import mean_of_copies
from botorch_popbo.data._rows import distinct_points
from botorch_popbo.data.order import Order
from botorch_popbo.data.rank_counts import MAX_PAIRS

#: Of two points with the same worst objective the better one is ahead: Knowles' (2006, section 3).
_SUM_WEIGHT = 0.05


def from_objectives(X: Tensor, Y: Tensor) -> Order:
    """Order points by how many others dominate them.

    These are the ranks of Fonseca and Fleming (1993). A point dominates another if it is at least
    as good in all objectives and better in one. The points that none dominates, the Pareto set, tie
    at the top. Replicates are merged by their mean in each objective. With one objective this is
    :func:`from_outcomes`. O(N^2) time, O(N) memory.

    Assumption: the outcomes are exact, and only domination makes a point better: of two points
    that trade one objective for another neither is better, however large the gain.

    Args:
        X: Evaluated points, an ``N x d`` tensor.
        Y: Outcomes, an ``N x m`` tensor, each objective in any unit, larger being better. Minus
            infinity in any objective marks a failed evaluation: every success dominates it.

    Returns:
        One list of all distinct points.

    Raises:
        BotorchTensorDimensionError: If the shapes do not agree.
        InputDataError: As in :func:`from_outcomes`.
    """
    check_outcomes(X, Y, several=True)
    points, distinct = distinct_points(X)
    columns = [mean_of_copies(y, distinct.inverse) for y in Y.detach().unbind(-1)]
    means = torch.stack(columns, dim=-1)
    failed = means.isneginf().any(-1)
    means[failed] = -torch.inf
    score = (-_num_dominating(means).to(X)).masked_fill(failed, -torch.inf)
    return Order.from_scores(points, score)


def trade_off(Y: Tensor, weights: Tensor) -> Tensor:
    r"""Score points by how far behind they are in the objective that matters most.

    With :math:`b_j` the share of points that are better in objective :math:`j`, the score is the
    negated augmented Chebyshev norm
    :math:`\max_j w_j b_j + 0.05 \sum_j w_j b_j` ([Knowles2006]_ on shares instead of outcomes). A
    point that dominates another has a higher score if the weights are positive, so this completes
    the order of :func:`from_objectives` to one that compares all points. Which trade-off is
    preferred depends on the weights; different weights lead to different parts of the Pareto
    front. Increasing transforms of an objective change nothing. O(N log N).

    Args:
        Y: Outcomes, an ``N x m`` tensor, each objective in any unit, larger being better. Minus
            infinity in any objective marks a failed evaluation.
        weights: Importance of the objectives, positive, of shape ``m``.

    Returns:
        Scores, of shape ``N``, larger being better; minus infinity for failed evaluations.
    """
    num_points = len(Y)
    better = [
        num_points - torch.searchsorted(y.sort().values, y.contiguous(), right=True)
        for y in Y.unbind(-1)
    ]
    weighted = weights * torch.stack(better, dim=-1) / num_points
    score = -weighted.amax(-1) - _SUM_WEIGHT * weighted.sum(-1)
    return score.masked_fill(Y.isneginf().any(-1), -torch.inf)


def _num_dominating(means: Tensor) -> Tensor:
    """How many rows of the ``m x c`` tensor dominate each row, of shape ``m``."""
    counts = torch.empty_like(means[:, 0], dtype=torch.long)
    columns = means.unbind(-1)
    step = max(1, MAX_PAIRS // len(means))
    for rows in (slice(start, start + step) for start in range(0, len(means), step)):
        no_worse = torch.stack([y >= y[rows, None] for y in columns]).all(0)
        better = torch.stack([y > y[rows, None] for y in columns]).any(0)
        counts[rows] = (no_worse & better).sum(-1)
    return counts
