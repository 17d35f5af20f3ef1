"""Hyperparameters and outliers, that is records whose rank says nothing, found together.

The place of an outlier is any of ``1 .. N``, with the same probability: unlike its outcome it is
bounded, so that no scale of the contamination has to be known. A set of outliers is proposed by the
probabilities of the records' ranks given all others, and accepted if it raises the posterior
density of the whole, in which every outlier costs its prior odds and the logarithm of the number of
ranks it might have had.
"""

import math
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from botorch_popbo.likelihoods import normal
from botorch_popbo.models.evidence import Conditioned, Evidence, Sample
from botorch_popbo.models.predictor import ROUNDING_VARIANCE, Predictor
from botorch_popbo.models.records import Records
from botorch_popbo.settings import ModelSettings


@dataclass(frozen=True)
class RobustFit:
    """A fit to the records that are not outliers.

    Attributes:
        conditioned: The records that are not outliers, at the hyperparameters found.
        is_used: Whether a record is not an outlier, of shape ``N``.
        value: Logarithm of the posterior density of the records that are not outliers.
        total: The same of the whole: with the logarithm of the probability of the others.
    """

    conditioned: Conditioned
    is_used: Tensor
    value: float
    total: float


def fit_robustly(sample: Sample, may_err: bool) -> RobustFit:
    """Maximise the evidence over hyperparameters and over sets of outliers.

    Args:
        sample: What to fit.
        may_err: Whether there may be outliers.

    Returns:
        The best fit found.
    """
    settings = sample.settings
    best = fit = fit_without(sample)
    is_suspicious = float(fit.conditioned.noise) >= settings.suspicious_noise
    # Few records cannot tell an outlier from a narrow optimum. An answer may be wrong, but no item
    # is set aside for it.
    may_err = may_err and len(sample) >= 8 and not bool(sample.records.is_judged.any())
    if not may_err or not is_suspicious:
        return fit
    for log_odds in settings.outlier_log_odds:
        odds = log_odds if fit is best else 0.0  # else too many were set aside
        is_used = plausible_records(sample, fit.conditioned, fit.is_used, odds)
        if any(is_used.equal(known.is_used) for known in (fit, best)):
            break
        fit = fit_without(sample, is_used, fit.conditioned.coordinates, best.total)
        if fit.total > best.total:
            best = fit
    return best


def fit_without(
    sample: Sample,
    is_used: Tensor | None = None,
    start: Tensor | None = None,
    least: float = -math.inf,
) -> RobustFit:
    """Fit to the records without certain outliers.

    Args:
        sample: What to fit.
        is_used: Which records are not outliers, a mask of shape ``N``; by default all.
        start: Hyperparameters to start from; by default the current values.
        least: The search ends where the posterior density of the whole does not reach this.

    Returns:
        The fit.
    """
    if is_used is None:
        is_used = torch.ones(len(sample), dtype=torch.bool, device=sample.X.device)
    records, hyperparameters = sample.records, sample.hyperparameters
    penalty = float(_log_outlier_probability(records, sample.settings)[~is_used].sum())
    if hyperparameters.modules.warp is not None:
        # Of one gap an outlier makes two, and where it comes in between is uniform. Of a uniform p
        # the logarithm of p (1 - p), the density of both parts' logarithms, is -2 on average.
        penalty -= 2.0 * int((~is_used & records.outcome.isfinite()).sum())
    start = hyperparameters.start if start is None else start
    # What is reached is of the whole, to which those set aside add their penalty.
    conditioned, value = Evidence(sample.subset(is_used)).maximize(start, least - penalty)
    return RobustFit(conditioned, is_used, value, value + penalty)


def without_outliers(sample: Sample, chosen: Tensor, fit: RobustFit) -> Tensor:
    """Which records are not outliers, by a fit to some of them.

    Args:
        sample: All records.
        chosen: Indices of those of the fit.
        fit: The fit.

    Returns:
        A mask of shape ``N``.
    """
    is_used = torch.ones(len(sample), dtype=torch.bool, device=sample.X.device)
    is_used[chosen] = fit.is_used
    # Where the best and their scale need no outliers, none is looked for among the others.
    if len(chosen) == len(sample) or bool(fit.is_used.all()):
        return is_used
    # By its distances a single outlier among the others would move all utilities.
    outcome = torch.full_like(sample.records.outcome, torch.nan)
    ranked = replace(sample, records=replace(sample.records, outcome=outcome))
    every = Evidence(ranked.subset(is_used)).condition(fit.conditioned.coordinates)
    return plausible_records(sample, every, is_used)


def lone_surprise(sample: Sample, is_used: Tensor) -> Tensor:
    """The best record, if it was set aside and nothing near it has been evaluated.

    It may be a glitch or the find of the search. The others doubt it from afar, by a surface that
    is as smooth as they are: what contradicts it has to come from near it.

    Args:
        sample: The records.
        is_used: Which ones are not outliers, of shape ``N``.

    Returns:
        Its index, of shape 1, or of shape 0 if there is none.
    """
    X, records = sample.hyperparameters.modules.encode(sample.X), sample.records
    target = _index(records.is_target)
    if bool(is_used[target].all()):
        return target[:0]
    is_used = is_used | ~records.is_target
    better = _index(~is_used & (records.level < records.level[is_used].min()))
    is_near = torch.cdist(X[better], X[target]) <= near_radius(X[target], sample.settings)
    lone = better[~(is_near & (better.unsqueeze(-1) != target)).any(-1)]
    return lone[records.level[lone].argsort()[:1]]


def near_radius(X: Tensor, settings: ModelSettings) -> float:
    """How far from a point another one counts as near it.

    Args:
        X: Encoded points, ``N x d``, two of which differ.
        settings: The distance per root of the number of columns.

    Returns:
        A distance.
    """
    gaps = X.sort(0).values.diff(dim=0)
    # Where all is a choice nothing is nearer than another one, which changes two columns by one.
    return max(1.5 * float(gaps[gaps > 0.0].min()), settings.nearness * X.shape[-1] ** 0.5)


def plausible_records(
    sample: Sample, conditioned: Conditioned, is_used: Tensor, log_odds: float = 0.0
) -> Tensor:
    """Which records have a rank that the others make credible.

    A record has its rank if its utility lies between those of its two neighbours. For a normal
    utility that is a difference of two distribution functions.

    Args:
        sample: All records.
        conditioned: Some of them, conditioned on their order.
        is_used: Which ones, of shape ``N``.
        log_odds: Logarithm of the odds against a record at which it is set aside.

    Returns:
        A mask of shape ``N``.
    """
    records, settings = sample.records, sample.settings
    variance = records.known_variance + conditioned.noise
    mean = torch.zeros_like(variance)
    # No record may vouch for itself: one that is fitted is predicted from the others, and one that
    # is set aside like a new point.
    mean[is_used], variance[is_used] = _moments_of_each(conditioned)
    if not bool(is_used.all()):
        modules = sample.hyperparameters.assign(conditioned.coordinates)
        with torch.no_grad():
            predictor = Predictor.from_fit(sample.X[is_used], conditioned, modules)
            mean[~is_used], spread = predictor.moments(modules.encode(sample.X[~is_used]))
        variance[~is_used] += spread
    utilities = conditioned.posterior.utilities
    bounds = _neighbouring_utilities(records, records.subset(_index(is_used)), utilities)
    # Of a record far from all others nothing is known, but not more than that.
    upper, lower = (bounds - mean) / variance.clamp(ROUNDING_VARIANCE, 25.0).sqrt()
    log_prob = normal.log_prob_between(lower, upper)
    is_plausible = log_prob > _log_outlier_probability(records, settings) + log_odds
    return _most_stay(is_plausible, log_prob, records)


def _log_outlier_probability(records: Records, settings: ModelSettings) -> Tensor:
    """Log-probabilities of the records' ranks plus the prior log-odds of an outlier, ``N``."""
    # Of a tie with others every place would have been the same rank.
    share = records.level.bincount()[records.level] / records.task.bincount()[records.task]
    return math.log(settings.outlier_share / (1.0 - settings.outlier_share)) + share.log()


def _index(mask: Tensor) -> Tensor:
    return mask.nonzero().squeeze(-1)


def _moments_of_each(conditioned: Conditioned) -> tuple[Tensor, Tensor]:
    """Mean and variance of each conditioned record's noisy utility, given the others'.

    They come from the inverse of the covariance (Rasmussen and Williams, 5.4.2), here of the
    differences, so that the level of the utilities is unknown.
    """
    posterior, inverse = conditioned.posterior, torch.linalg.inv(conditioned.covariance)
    level = inverse.sum(-1)
    precision = inverse.diagonal() - level.square() / level.sum()
    return posterior.utilities - posterior.weights / precision, 1.0 / precision


def _neighbouring_utilities(records: Records, known: Records, utilities: Tensor) -> Tensor:
    """Utilities of the next better and the next worse known records of the same task.

    Args:
        records: All records.
        known: Some of them.
        utilities: Their utilities.

    Returns:
        A ``2 x N`` tensor; infinite beyond the ends.
    """
    # Of tied neighbours the nearest counts: the worst of those above, the best of those below.
    bounds = utilities.new_empty(2, len(records))
    bounds[0], bounds[1] = torch.inf, -torch.inf
    for task in records.task.unique():
        of_task, of_known = records.task == task, known.task == task
        share, at = known.share[of_known].unique(return_inverse=True)
        value = utilities[of_known]
        empty = value.new_zeros(len(share) + 1)
        worst = empty.scatter_reduce(0, at + 1, value, "amin", include_self=False)
        best = empty.scatter_reduce(0, at, value, "amax", include_self=False)
        worst[0], best[-1] = torch.inf, -torch.inf
        place = records.share[of_task]
        bounds[0, of_task] = worst[torch.searchsorted(share, place)]
        bounds[1, of_task] = best[torch.searchsorted(share, place, right=True)]
    return bounds


def _most_stay(is_plausible: Tensor, log_prob: Tensor, records: Records) -> Tensor:
    """Keep the most plausible ones, three of five at least: more are doubted than outliers are.

    Those tied for the worst are counted by themselves: the few others are all that is known.
    """
    is_worst = (records.level == records.level.max()) & (records.level.bincount()[-1] > 1)
    for group in (is_worst, ~is_worst):
        # Fewer than two have no order.
        kept = min(max(int(0.6 * int(group.sum())), 2), int(group.sum()))
        if int(is_plausible[group].sum()) < kept:
            is_plausible = is_plausible & ~group
            is_plausible[log_prob.where(group, -torch.inf).topk(kept).indices] = True
    return is_plausible
