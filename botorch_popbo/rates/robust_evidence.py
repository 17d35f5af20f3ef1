"""Hyperparameters and outliers, found together."""

from dataclasses import dataclass

import torch
from torch import Tensor

from botorch_popbo.rates.contamination import log_outlier_probability, log_rank_probability
from botorch_popbo.rates.covariance import MEAN_VARIANCE, PairwiseDistances
from botorch_popbo.rates.evidence import Conditioned, LogNormal, maximize_evidence
from botorch_popbo.rates.prediction import Predictor
from botorch_popbo.rates.ranking import Ranking

# Outliers leave a trace in the noise variance. Below this one nothing is looked for, and few
# records cannot tell an outlier from a narrow optimum.
_SUSPICIOUS_NOISE = 3e-4
_MIN_RECORDS = 8
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
    """

    conditioned: Conditioned
    is_used: Tensor


def fit_robustly(X: Tensor, ranking: Ranking, prior: LogNormal, start: Tensor) -> RobustFit:
    """Maximise the evidence over hyperparameters and over sets of outliers.

    A set of outliers is proposed by the records' own probabilities given the others, and accepted
    only if it raises the posterior density of the whole, in which every outlier costs its prior
    odds and the logarithm of the number of ranks it might have had.

    Args:
        X: Encoded records, ``N x d``, in double precision.
        ranking: Their order.
        prior: The prior of the logarithms of the hyperparameters.
        start: Logarithms to start from, of shape ``d + 1``.

    Returns:
        The best fit found.
    """
    is_used = torch.ones(len(X), dtype=torch.bool, device=X.device)
    fit, value = _fit(X, ranking, is_used, prior, start, first_step=1.0)
    if float(fit.conditioned.log_theta[-1].exp()) < _SUSPICIOUS_NOISE or len(X) < _MIN_RECORDS:
        return fit
    best, best_value = fit, value
    for log_odds in _LOG_ODDS:
        is_used = plausible_records(X, ranking, fit, log_odds)
        if bool((is_used == fit.is_used).all()):
            break
        log_theta = fit.conditioned.log_theta
        fit, value = _fit(X, ranking, is_used, prior, log_theta, first_step=_REFITTING_STEP)
        if value > best_value:
            best, best_value = fit, value
    return best


def plausible_records(X: Tensor, ranking: Ranking, fit: RobustFit, log_odds: float) -> Tensor:
    """Which records have a rank that the others make credible.

    Args:
        X: Encoded records, ``N x d``.
        ranking: Their order.
        fit: A fit to some of them.
        log_odds: Logarithm of the odds against a record at which it is set aside.

    Returns:
        A mask of shape ``N``.
    """
    used, left = fit.is_used.nonzero().squeeze(-1), (~fit.is_used).nonzero().squeeze(-1)
    covariance, utilities = fit.conditioned.covariance, fit.conditioned.utilities
    # Leave-one-out moments come from the inverse of the covariance (Rasmussen and Williams, 5.4.2).
    variance = ranking.variance + fit.conditioned.log_theta[-1].exp()
    mean = torch.zeros_like(variance)
    own = covariance.precision.diagonal()
    mean[used] = utilities.utilities - utilities.weights / own
    variance[used] = 1.0 / own
    if len(left):
        predictor = Predictor.from_fit(X[used], fit.conditioned)
        mean[left], spread = predictor.moments(X[left])
        variance[left] += spread
    variance = variance.clamp(1e-12, MEAN_VARIANCE + 1.0)
    levels = utilities.levels
    log_prob = log_rank_probability(mean, variance, ranking, levels, fit.is_used)
    is_plausible = log_prob > log_outlier_probability(len(X)) + log_odds
    kept = max(int(_MIN_SHARE * len(X)), 2)
    if int(is_plausible.sum()) < kept:
        is_plausible = torch.zeros_like(fit.is_used)
        is_plausible[log_prob.topk(kept).indices] = True
    return is_plausible


def _fit(
    X: Tensor,
    ranking: Ranking,
    is_used: Tensor,
    prior: LogNormal,
    start: Tensor,
    first_step: float,
) -> tuple[RobustFit, float]:
    part = ranking.subset(is_used.nonzero().squeeze(-1))
    distances = PairwiseDistances(X[is_used])
    conditioned, value = maximize_evidence(distances, part, prior, start, first_step)
    num_outliers = int((~is_used).sum())
    return RobustFit(conditioned, is_used), value + num_outliers * log_outlier_probability(len(X))
