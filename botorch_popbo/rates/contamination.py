"""Records whose rank says nothing about their point."""

import math

import torch
from torch import Tensor

from botorch_popbo.rates.ranking import Ranking

#: Share of records that are outliers, a priori.
SHARE = 0.1


def log_rank_probability(
    mean: Tensor, variance: Tensor, ranking: Ranking, levels: Tensor, is_fitted: Tensor
) -> Tensor:
    """How probable each record's rank is, given the others.

    A record has its rank if its utility lies between those of its two neighbours. For a normal
    utility that is a difference of two distribution functions.

    Args:
        mean: Expected utilities given all other fitted records, of shape ``N``.
        variance: Their variances with noise, of shape ``N``.
        ranking: All records.
        levels: Utilities of the fitted records' distinct ranks, best first.
        is_fitted: Whether a record is among the fitted ones, of shape ``N``.

    Returns:
        Log-probabilities, of shape ``N``.
    """
    known = ranking.level[is_fitted].unique()
    infinity = levels.new_full((1,), torch.inf)
    padded = torch.cat([infinity, levels, -infinity])
    above = torch.searchsorted(known, ranking.level)
    below = torch.searchsorted(known, ranking.level, right=True)
    deviation = variance.sqrt()
    upper = (padded[above] - mean) / deviation
    lower = (padded[below + 1] - mean) / deviation
    # In the left tail a difference of distribution functions keeps its digits.
    flip = lower > 0.0
    upper, lower = torch.where(flip, -lower, upper), torch.where(flip, -upper, lower)
    gap: Tensor = torch.special.ndtr(upper) - torch.special.ndtr(lower)
    return gap.clamp_min(torch.finfo(gap.dtype).tiny).log()


def log_outlier_probability(num_points: int) -> float:
    """Log-odds in favour of an outlier, before its rank's own probability is weighed against it.

    The rank of an outlier is any of ``1 .. N``, with the same probability: unlike its outcome it
    is bounded, so that no scale of the contamination has to be known.

    Args:
        num_points: Number of ranked points.

    Returns:
        The log-probability of a given rank plus the prior log-odds of an outlier.
    """
    return math.log(SHARE / (1.0 - SHARE)) - math.log(num_points)
