r"""What relations count that say nearly the same.

Records that are tied for the best, or have failed, hang on one other record. Laplace's method in
logarithms of gaps takes each for a witness of its own: of ``n`` that are close to each other the
mode rises with the root of ``n``, though the second says nothing that the first has not said. So
such relations are taken for a composite likelihood (Varin, Reid and Firth, 2011), in which each
counts

.. math::

    w_i = \Big(\sum_j \rho_{ij}^2\Big)^{-1},

where :math:`\rho` are the prior correlations of the differences that hang on the same record, given
all other certain ones. That is one for a relation alone, and one in all for witnesses of the same.
"""

from dataclasses import replace

import torch
from torch import Tensor

from botorch_popbo.likelihoods.relations import Relations

_JITTER = 1e-8


def stand_alone(relations: Relations) -> bool:
    """Whether no two relations hang on the same record, as those of a ranking without ties.

    Args:
        relations: An order.

    Returns:
        True only if all weights are one; quick.
    """
    if relations.has_answers or len(relations.intervals[0]):
        return False
    sides = (relations.better, relations.worse)
    return all(int(side.bincount().max()) < 2 for side in sides) if len(relations) else True


def weighted(relations: Relations, covariance: Tensor) -> Relations:
    """Weigh the relations that hang on the same record.

    Args:
        relations: An order.
        covariance: Prior covariance of the records, ``N x N``.

    Returns:
        The order with weights; those of answers and of relations that do not hang are one.
    """
    group = _group(relations, len(covariance))
    hangs = group >= 0
    # Of an interval either side says the same.
    is_first = relations.other_side >= torch.arange(len(relations), device=group.device)
    hanging = (hangs & is_first).nonzero().squeeze(-1)
    together = group[hanging].unsqueeze(-1) == group[hanging]
    if int(together.sum()) == len(hanging):  # each alone, as at the ends of a ranking
        return relations
    given = (~hangs & ~relations.is_answer).nonzero().squeeze(-1)
    left = _conditional(relations.covariance(covariance), hanging, given)
    # Of what is known already nothing is left, and rounding may say less than that.
    variance = left.diagonal().clamp_min(_JITTER)
    squared = (left.square() / torch.outer(variance, variance)).clamp_max(1.0)
    share = 1.0 / (squared * together).sum(-1).clamp_min(1.0)
    weight = relations.weight.clone()
    for side in (hanging, relations.other_side[hanging]):
        weight[side] = share
    return replace(relations, weight=weight)


def _group(relations: Relations, num_records: int) -> Tensor:
    """A number for each set of relations that hang on the same record, -1 for others; ``M``."""
    better, worse = relations.better, relations.worse
    certain = (~relations.is_answer).long()
    number = torch.zeros(num_records, dtype=torch.long, device=better.device)
    number = number.index_add(0, better, certain).index_add(0, worse, certain)
    # A record of one certain relation hangs on the other record of it.
    is_single = ~relations.is_answer & ~relations.is_side
    below = is_single & (number[worse] == 1)
    above = is_single & ~below & (number[better] == 1)
    group = torch.full_like(better, -1).where(~below, better).where(~above, worse + num_records)
    first, second = relations.intervals
    # One in an interval has two, its sides; what hangs between the same two hangs together.
    inside = number[worse[first]] == 2
    between = (2 + better[first]) * num_records + worse[second]
    for side in (first, second):
        group[side[inside]] = between[inside]
    return group


def _conditional(covariance: Tensor, index: Tensor, given: Tensor) -> Tensor:
    """Covariance of some variables given others."""
    within = covariance[given][:, given]
    within.diagonal().add_(_JITTER)
    factor = torch.linalg.cholesky(within)
    half = torch.linalg.solve_triangular(factor, covariance[given][:, index], upper=False)
    left: Tensor = covariance[index][:, index] - half.T @ half
    return left
