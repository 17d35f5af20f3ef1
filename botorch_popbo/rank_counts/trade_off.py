"""One order of points with several objectives, in which domination decides first."""

import torch
from torch import Tensor

_SUM_WEIGHT = 0.05  # Knowles (2006), section 3


def trade_off(Y: Tensor, weights: Tensor) -> Tensor:
    r"""Score points by how far behind they are in the objective that matters most.

    With :math:`b_j` the share of points that are better in objective :math:`j`, the score is the
    negated augmented Chebyshev norm
    :math:`\max_j w_j b_j + 0.05 \sum_j w_j b_j` (Knowles, 2006, on shares instead of outcomes). A
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


def random_weights(num_objectives: int, generator: torch.Generator) -> Tensor:
    """Draw importances of objectives, uniformly from the simplex.

    Args:
        num_objectives: Their number ``m``.
        generator: Source of randomness, on the CPU.

    Returns:
        Positive weights with sum one, of shape ``m`` and double precision.
    """
    exponential = torch.empty(num_objectives, dtype=torch.double).exponential_(generator=generator)
    return exponential / exponential.sum()
