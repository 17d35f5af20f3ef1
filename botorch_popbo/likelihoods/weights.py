r"""What comparisons count that say nearly the same.

Records that are tied for the best, or have failed, hang on one other record. Laplace's method in
logarithms of gaps takes each for a witness of its own: of ``n`` that are close to each other the
mode rises with the root of ``n``, though the second says nothing that the first has not said. So
such comparisons are taken for a composite likelihood (Varin, Reid and Firth, 2011), in which each
counts

.. math::

    w_i = \Big(\sum_j \rho_{ij}^2\Big)^{-1},

where :math:`\rho` are the prior correlations of the differences that hang on the same record, given
all other certain ones. That is one for a comparison alone, and one in all for witnesses of
the same.
"""

from dataclasses import replace

import torch
from torch import Tensor

from botorch_popbo.likelihoods.comparisons import Comparisons

#: Added to the diagonal of every covariance for the sake of its Cholesky factor.
JITTER = 1e-8


def stand_alone(comparisons: Comparisons) -> bool:
    """Whether no two comparisons hang on the same record, as those of a ranking without ties.

    Args:
        comparisons: An order.

    Returns:
        True only if all weights are one; quick.
    """
    if comparisons.has_answers or len(comparisons.intervals[0]):
        return False
    sides = (comparisons.better, comparisons.worse)
    return all(int(side.bincount().max()) < 2 for side in sides) if len(comparisons) else True


def weighted(comparisons: Comparisons, covariance: Tensor) -> Comparisons:
    """Weigh the comparisons that hang on the same record.

    Args:
        comparisons: An order.
        covariance: Prior covariance of the records, ``N x N``.

    Returns:
        The order with weights; those of answers and of comparisons that do not hang are one.
    """
    group = _group(comparisons, len(covariance))
    hangs = group >= 0
    # Of an interval either side says the same.
    is_first = comparisons.other_side >= torch.arange(len(comparisons), device=group.device)
    hanging = (hangs & is_first).nonzero().squeeze(-1)
    together = group[hanging].unsqueeze(-1) == group[hanging]
    if int(together.sum()) == len(hanging):  # each alone, as at the ends of a ranking
        return comparisons
    given = (~hangs & ~comparisons.is_answer).nonzero().squeeze(-1)
    left = _conditional(comparisons.covariance(covariance), hanging, given)
    # Of what is known already nothing is left, and rounding may say less than that.
    variance = left.diagonal().clamp_min(JITTER)
    squared = (left.square() / torch.outer(variance, variance)).clamp_max(1.0)
    share = 1.0 / (squared * together).sum(-1).clamp_min(1.0)
    weight = comparisons.weight.clone()
    for side in (hanging, comparisons.other_side[hanging]):
        weight[side] = share
    return replace(comparisons, weight=weight)


def _group(comparisons: Comparisons, num_records: int) -> Tensor:
    """A number for each set of comparisons that hang on the same record, -1 for others; ``M``."""
    better, worse = comparisons.better, comparisons.worse
    certain = comparisons.is_strict.long()
    number = torch.zeros(num_records, dtype=torch.long, device=better.device)
    number = number.index_add(0, better, certain).index_add(0, worse, certain)
    # A record of one certain comparison hangs on the other record of it.
    is_single = comparisons.is_strict & ~comparisons.is_side
    below = is_single & (number[worse] == 1)
    above = is_single & ~below & (number[better] == 1)
    group = torch.full_like(better, -1).where(~below, better).where(~above, worse + num_records)
    first, second = comparisons.intervals
    # One in an interval has two, its sides; what hangs between the same two hangs together.
    inside = number[worse[first]] == 2
    between = (2 + better[first]) * num_records + worse[second]
    for side in (first, second):
        group[side[inside]] = between[inside]
    return group


def _conditional(covariance: Tensor, index: Tensor, given: Tensor) -> Tensor:
    """Covariance of some variables given others."""
    within = covariance[given][:, given]
    within.diagonal().add_(JITTER)
    factor = torch.linalg.cholesky(within)
    half = torch.linalg.solve_triangular(factor, covariance[given][:, index], upper=False)
    return covariance[index][:, index] - half.T @ half
