"""Hyperparameters and outliers, that is records whose rank says nothing, found together."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from botorch_popbo.models._fit.evidence import Conditioned, Evidence
from botorch_popbo.models._fit.plausible_records import log_outlier_probability, plausible_records
from botorch_popbo.models._hyperparameters.base import Hyperparameters
from botorch_popbo.models._records.records import Records

# Outliers leave a trace in the noise variance. Below this one nothing is looked for, and few
# records cannot tell an outlier from a narrow optimum.
_SUSPICIOUS_NOISE = 3e-4
_MIN_RECORDS = 8

# Logarithms of the odds against a record at which it is set aside, round by round. Large ones
# first: the noise variance is still inflated by the worst outliers, which makes the others look
# probable; what was set aside too soon comes back in a later round.
_LOG_ODDS = (2.3, 1.1, 0.0, 0.0)


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
    fit, value = _fit(X, records, is_used, hyperparameters, start)
    if float(fit.conditioned.noise) < _SUSPICIOUS_NOISE or len(X) < _MIN_RECORDS:
        return fit
    # An answer may be wrong, but no item is set aside for it.
    if not may_err or bool(records.is_judged.any()):
        return fit
    best, best_value = fit, value
    for log_odds in _LOG_ODDS:
        odds = log_odds if fit is best else 0.0  # else too many were set aside
        is_used = plausible_records(X, records, hyperparameters, fit.conditioned, fit.is_used, odds)
        if any(is_used.equal(known.is_used) for known in (fit, best)):
            break
        fit, value = _fit(
            X,
            records,
            is_used,
            hyperparameters,
            fit.conditioned.theta,
            best_value,
            _utilities_of(is_used, fit),
        )
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
    every = evidence.condition(fit.conditioned.theta)
    return plausible_records(X, records, hyperparameters, every, is_used, 0.0)


def _fit(
    X: Tensor,
    records: Records,
    is_used: Tensor,
    hyperparameters: Hyperparameters,
    start: Tensor,
    least: float = -math.inf,
    near: Tensor | None = None,
) -> tuple[RobustFit, float]:
    part = records.subset(is_used.nonzero().squeeze(-1))
    evidence = Evidence(X[is_used], part, hyperparameters)
    penalty = float(log_outlier_probability(records)[~is_used].sum())
    conditioned, value = evidence.maximize(start, least - penalty, near)
    return RobustFit(conditioned, is_used, value), value + penalty


def _utilities_of(is_used: Tensor, fit: RobustFit) -> Tensor | None:
    """Utilities of some records as they were fitted, if all of these were."""
    if bool((is_used & ~fit.is_used).any()):
        return None
    return fit.conditioned.utilities.utilities[is_used[fit.is_used]]
