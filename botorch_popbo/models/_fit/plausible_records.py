"""Which records have a rank that the others make credible."""

import math

import torch
from torch import Tensor

from botorch_popbo.likelihoods import normal_interval
from botorch_popbo.models._fit.evidence import Conditioned
from botorch_popbo.models._hyperparameters.base import Hyperparameters
from botorch_popbo.models._records.records import Records

# Of records that are outliers, a priori.
_SHARE = 0.1

_MAX_VARIANCE = 25.0  # of a utility of which nothing is known
_MIN_SHARE = 0.6  # of the records, which are never all outliers


def plausible_records(
    X: Tensor,
    records: Records,
    hyperparameters: Hyperparameters,
    conditioned: Conditioned,
    is_used: Tensor,
    log_odds: float,
) -> Tensor:
    """Which records of a task have a rank that the others make credible.

    Args:
        X: Encoded records, ``N x d``.
        records: Their order.
        hyperparameters: What was fitted.
        conditioned: Some of the records, conditioned on their order.
        is_used: Which ones, of shape ``N``.
        log_odds: Logarithm of the odds against a record at which it is set aside.

    Returns:
        A mask of shape ``N``.
    """
    used, left = is_used.nonzero().squeeze(-1), (~is_used).nonzero().squeeze(-1)
    variance = records.known_variance + conditioned.noise
    mean = torch.zeros_like(variance)
    mean[used], variance[used] = _moments_of_each(conditioned)
    if len(left):
        function = hyperparameters.covariance_function(X, records.source)
        prior = function.covariance(conditioned.theta[:-1], torch.zeros_like(variance)).matrix
        mean[left], spread = _moments_left_out(prior, used, left, conditioned)
        variance[left] += spread
    variance = variance.clamp(1e-12, _MAX_VARIANCE)
    utilities = conditioned.utilities.utilities
    log_prob = log_rank_probability(mean, variance, records, utilities, is_used)
    is_plausible = log_prob > log_outlier_probability(records) + log_odds
    return _most_stay(is_plausible, log_prob, records)


def _moments_of_each(conditioned: Conditioned) -> tuple[Tensor, Tensor]:
    """Mean and variance of each conditioned record's noisy utility, given the others'.

    They come from the inverse of the covariance (Rasmussen and Williams, 5.4.2), here of the
    differences, so that the level of the utilities is unknown.

    Args:
        conditioned: The ``n`` records, conditioned on their order.

    Returns:
        Two tensors of shape ``n``.
    """
    utilities = conditioned.utilities
    precision = utilities.root.square().sum(-1)
    return utilities.utilities - utilities.weights / precision, 1.0 / precision


def _moments_left_out(
    prior: Tensor, used: Tensor, left: Tensor, conditioned: Conditioned
) -> tuple[Tensor, Tensor]:
    """Mean and variance of utilities relative to the average of the ``n`` conditioned records.

    Args:
        prior: Prior covariance of all records, ``N x N``.
        used: Indices of the conditioned ones, of shape ``n``.
        left: Indices of the ``m`` others.
        conditioned: The records, conditioned on their order.

    Returns:
        Two tensors of shape ``m``.
    """
    utilities = conditioned.utilities
    cross, average = prior[left][:, used], prior[used][:, used].mean(0)
    explained = (cross - average) @ utilities.ordered_root
    relative = prior.diagonal()[left] - 2.0 * cross.mean(-1) + average.mean()
    return cross @ utilities.weights, relative - explained.square().sum(-1)


def log_rank_probability(
    mean: Tensor, variance: Tensor, records: Records, utilities: Tensor, is_fitted: Tensor
) -> Tensor:
    """How probable each record's rank is, given the others.

    A record has its rank if its utility lies between those of its two neighbours. For a normal
    utility that is a difference of two distribution functions.

    Args:
        mean: Expected utilities given all other fitted records, of shape ``N``.
        variance: Their variances with noise, of shape ``N``.
        records: All records.
        utilities: Utilities of the fitted records.
        is_fitted: Whether a record is among the fitted ones, of shape ``N``.

    Returns:
        Log-probabilities, of shape ``N``.
    """
    bounds = torch.full_like(mean, -torch.inf).expand(2, -1).clone()
    for task in records.task.unique():
        own = records.task == task
        fitted = own[is_fitted]
        bounds[:, own] = _neighbouring_utilities(
            records.level[own], records.level[is_fitted][fitted], utilities[fitted]
        )
    deviation = variance.sqrt()
    upper, lower = (bounds - mean) / deviation
    return normal_interval.log_prob(lower, upper)


def _neighbouring_utilities(level: Tensor, known_level: Tensor, utilities: Tensor) -> Tensor:
    """Utilities of the next better and the next worse known records.

    Args:
        level: Levels of ``n`` records of one ranking.
        known_level: Levels of its ``m`` known records.
        utilities: Their utilities, of shape ``m``.

    Returns:
        A ``2 x n`` tensor; infinite beyond the ends.
    """
    infinity = utilities.new_full((1,), torch.inf)
    known, position = known_level.unique(return_inverse=True)
    ends = torch.stack([utilities, -utilities])
    worst, best = (
        ends.new_full((2, len(known)), torch.inf)
        .scatter_reduce(1, position.expand(2, -1), ends, "amin")
        .unbind()
    )
    above = torch.cat([infinity, worst])[torch.searchsorted(known, level)]
    below = torch.cat([-best, -infinity])[torch.searchsorted(known, level, right=True)]
    return torch.stack([above, below])


def log_outlier_probability(records: Records) -> Tensor:
    """Log-odds in favour of outliers, before their ranks' own probabilities are weighed against it.

    The place of an outlier is any of ``1 .. N``, with the same probability, and records of one rank
    share theirs: unlike its outcome it is bounded, so that no scale of the contamination has to be
    known.

    Args:
        records: The ranking.

    Returns:
        Log-probabilities of the records' ranks plus the prior log-odds of an outlier, of shape
        ``N``.
    """
    share = records.level.bincount()[records.level] / records.task.bincount()[records.task]
    return math.log(_SHARE / (1.0 - _SHARE)) + share.log()


def _most_stay(is_plausible: Tensor, log_prob: Tensor, records: Records) -> Tensor:
    """Keep the most plausible ones where more are doubted than outliers are.

    Those tied for the worst are counted by themselves: the few others are all that is known.
    """
    size = records.level.bincount()
    is_worst = (records.level == records.level.max()) & (size[-1] > 1)
    for group in (is_worst, ~is_worst):
        kept = min(max(int(_MIN_SHARE * int(group.sum())), 2), int(group.sum()))
        if int(is_plausible[group].sum()) < kept:
            best = log_prob.where(group, -torch.inf).topk(kept).indices
            is_plausible = is_plausible & ~group
            is_plausible[best] = True
    return is_plausible
