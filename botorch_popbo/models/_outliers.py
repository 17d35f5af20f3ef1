"""Hyperparameters and outliers, that is records whose rank says nothing, found together."""

import math
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from botorch_popbo.models._evidence import Conditioned, Evidence
from botorch_popbo.models._hyperparameters import Hyperparameters
from botorch_popbo.models._predictor import Predictor
from botorch_popbo.models._records import Records

# Of records that are outliers, a priori.
_SHARE = 0.1

# Outliers leave a trace in the noise variance. Below this one nothing is looked for, and few
# records cannot tell an outlier from a narrow optimum.
_SUSPICIOUS_NOISE = 3e-4
_MIN_RECORDS = 8
_MAX_VARIANCE = 25.0  # of a utility of which nothing is known
_MIN_SHARE = 0.6  # of the records, which are never all outliers

# Logarithms of the odds against a record at which it is set aside, round by round. Large ones
# first: the noise variance is still inflated by the worst outliers, which makes the others look
# probable; what was set aside too soon comes back in a later round.
_LOG_ODDS = (2.3, 1.1, 0.0, 0.0)
_REFITTING_STEP = 0.25  # without a few records the hyperparameters move little


@dataclass(frozen=True)
class RobustFit:
    """A fit to the records that are not outliers.

    Attributes:
        conditioned: The records that are not outliers, at the hyperparameters found.
        is_used: Whether a record is not an outlier, of shape ``N``.
        value: Logarithm of the posterior density of the records that are not outliers.
    """

    conditioned: Conditioned
    is_used: Tensor
    value: float


def fit_robustly(
    X: Tensor,
    records: Records,
    hyperparameters: Hyperparameters,
    start: Tensor,
    may_err: bool = True,
) -> RobustFit:
    """Maximise the evidence over hyperparameters and over sets of outliers.

    A set of outliers is proposed by the records' own probabilities given the others, and accepted
    only if it raises the posterior density of the whole, in which every outlier costs its prior
    odds and the logarithm of the number of ranks it might have had.

    Args:
        X: Encoded records, ``N x d``, in double precision.
        records: Their order.
        hyperparameters: What to fit.
        start: Hyperparameters to start from, of shape ``p + 1``.
        may_err: Whether there may be outliers.

    Returns:
        The best fit found.
    """
    is_used = torch.ones(len(X), dtype=torch.bool, device=X.device)
    fit, value = _fit(X, records, is_used, hyperparameters, start, first_step=1.0)
    if float(fit.conditioned.noise) < _SUSPICIOUS_NOISE or len(X) < _MIN_RECORDS:
        return fit
    # An answer may be wrong, but no item is set aside for it.
    if not may_err or bool(records.is_judged.any()):
        return fit
    best, best_value = fit, value
    for log_odds in _LOG_ODDS:
        is_used = plausible_records(X, records, hyperparameters, fit, log_odds)
        if bool((is_used == fit.is_used).all()):
            break
        theta = fit.conditioned.theta
        fit, value = _fit(X, records, is_used, hyperparameters, theta, _REFITTING_STEP)
        if value > best_value:
            best, best_value = fit, value
    return best


def without_outliers(
    X: Tensor, records: Records, chosen: Tensor, fit: RobustFit, hyperparameters: Hyperparameters
) -> Tensor:
    """Which records are no outliers, by a fit to some of them.

    Args:
        X: Encoded records, ``N x d``, in double precision.
        records: Their order.
        chosen: Indices of the records of the fit.
        fit: The fit.
        hyperparameters: What was fitted.

    Returns:
        A mask of shape ``N``.
    """
    is_used = torch.ones(len(X), dtype=torch.bool, device=X.device)
    is_used[chosen] = fit.is_used
    if len(chosen) == len(X) or bool(fit.is_used.all()):
        return is_used
    used = is_used.nonzero().squeeze(-1)
    evidence = Evidence(X[used], records.subset(used), hyperparameters)
    every = replace(fit, conditioned=evidence.condition(fit.conditioned.theta), is_used=is_used)
    return plausible_records(X, records, hyperparameters, every, 0.0)


def plausible_records(
    X: Tensor, records: Records, hyperparameters: Hyperparameters, fit: RobustFit, log_odds: float
) -> Tensor:
    """Which records have a rank that the others make credible.

    Args:
        X: Encoded records, ``N x d``.
        records: Their order.
        hyperparameters: What was fitted.
        fit: A fit to some of them.
        log_odds: Logarithm of the odds against a record at which it is set aside.

    Returns:
        A mask of shape ``N``.
    """
    used, left = fit.is_used.nonzero().squeeze(-1), (~fit.is_used).nonzero().squeeze(-1)
    utilities = fit.conditioned.utilities
    # Leave-one-out moments come from the inverse of the covariance (Rasmussen and Williams, 5.4.2),
    # here of the differences, so that the level of the utilities is unknown.
    variance = records.known_variance + fit.conditioned.noise
    mean = torch.zeros_like(variance)
    own = utilities.root.square().sum(-1)
    mean[used] = utilities.utilities - utilities.weights / own
    variance[used] = 1.0 / own
    if len(left):
        kernel = hyperparameters.kernel(fit.conditioned.theta)
        predictor = Predictor.from_fit(X[used], fit.conditioned, kernel)
        mean[left], spread = predictor.moments(X[left])
        variance[left] += spread
    variance = variance.clamp(1e-12, _MAX_VARIANCE)
    log_prob = log_rank_probability(mean, variance, records, utilities.utilities, fit.is_used)
    is_plausible = log_prob > log_outlier_probability(records) + log_odds
    return _most_stay(is_plausible, log_prob, records)


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
    upper = (bounds[0] - mean) / deviation
    lower = (bounds[1] - mean) / deviation
    # In the left tail a difference of distribution functions keeps its digits.
    flip = lower > 0.0
    upper, lower = torch.where(flip, -lower, upper), torch.where(flip, -upper, lower)
    gap: Tensor = torch.special.ndtr(upper) - torch.special.ndtr(lower)
    return gap.clamp_min(torch.finfo(gap.dtype).tiny).log()


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
    share = records.level.bincount()[records.level] / len(records.level)
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


def _fit(
    X: Tensor,
    records: Records,
    is_used: Tensor,
    hyperparameters: Hyperparameters,
    start: Tensor,
    first_step: float,
) -> tuple[RobustFit, float]:
    part = records.subset(is_used.nonzero().squeeze(-1))
    evidence = Evidence(X[is_used], part, hyperparameters)
    conditioned, value = evidence.maximize(start, first_step)
    penalty = float(log_outlier_probability(records)[~is_used].sum())
    return RobustFit(conditioned, is_used, value), value + penalty
