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
from botorch_popbo.models._fit.evidence import Conditioned, Evidence, Sample
from botorch_popbo.models._observations.observations import Observations
from botorch_popbo.models._predict.predictor import MIN_VARIANCE, Predictor
from botorch_popbo.settings import ModelSettings


@dataclass(frozen=True)
class RobustFit:
    """A fit to the records that are not outliers.

    Attributes:
        conditioned: The records that are not outliers, at the hyperparameters found.
        is_used: Whether a record is not an outlier, of shape ``N``.
        value: Logarithm of the posterior density of the records that are not outliers.
        penalty: Logarithm of the probability of the others.
    """

    conditioned: Conditioned
    is_used: Tensor
    value: float
    penalty: float

    @property
    def total(self) -> float:
        """Logarithm of the posterior density of the whole."""
        return self.value + self.penalty


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
    are_few = len(sample) < settings.min_records
    # An answer may be wrong, but no item is set aside for it.
    if not may_err or are_few or not is_suspicious or bool(sample.records.is_judged.any()):
        return fit
    for log_odds in settings.outlier_log_odds:
        odds = log_odds if fit is best else 0.0  # else too many were set aside
        is_used = plausible_records(sample, fit.conditioned, fit.is_used, odds)
        if any(is_used.equal(known.is_used) for known in (fit, best)):
            break
        fit = fit_without(sample, is_used, fit, best.total)
        if fit.total > best.total:
            best = fit
    return best


def fit_without(
    sample: Sample,
    is_used: Tensor | None = None,
    before: RobustFit | None = None,
    least: float = -math.inf,
) -> RobustFit:
    """Fit to the records without certain outliers.

    Args:
        sample: What to fit.
        is_used: Which records are no outliers, a mask of shape ``N``; by default all.
        before: A fit to start from; by default the current values.
        least: The search ends where the posterior density of the whole does not reach this.

    Returns:
        The fit.
    """
    if is_used is None:
        is_used = torch.ones(len(sample), dtype=torch.bool, device=sample.X.device)
    records, hyperparameters = sample.records, sample.hyperparameters
    penalty = float(log_outlier_probability(records, sample.settings)[~is_used].sum())
    if hyperparameters.modules.warp is not None:
        # Of one gap an outlier makes two, and where it comes in between is uniform. Of a uniform p
        # the logarithm of p (1 - p), the density of both parts' logarithms, is -2 on average.
        penalty -= 2.0 * int((~is_used & records.outcome.isfinite()).sum())
    start, near = hyperparameters.start, None
    if before is not None:
        start = before.conditioned.coordinates
        # Utilities in order stay so without some of them; of a new one there is none yet.
        if not bool((is_used & ~before.is_used).any()):
            near = before.conditioned.utilities.utilities[is_used[before.is_used]]
    # What is reached is of the whole, to which those set aside add their penalty.
    conditioned, value = Evidence(sample.subset(is_used)).maximize(start, least - penalty, near)
    return RobustFit(conditioned, is_used, value, penalty)


def without_outliers(sample: Sample, chosen: Tensor, fit: RobustFit) -> Tensor:
    """Which records are no outliers, by a fit to some of them.

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
    unheard = torch.full_like(sample.records.outcome, torch.nan)
    ranked = replace(sample, records=replace(sample.records, outcome=unheard))
    every = Evidence(ranked.subset(is_used)).condition(fit.conditioned.coordinates)
    return plausible_records(sample, every, is_used)


def lone_surprise(sample: Sample, is_used: Tensor) -> Tensor:
    """The best record, if it was set aside and nothing near it has been evaluated.

    It may be a glitch or the find of the search. The others doubt it from afar, by a surface that
    is as smooth as they are: what contradicts it has to come from near it.

    Args:
        sample: The records.
        is_used: Which ones are no outliers, of shape ``N``.

    Returns:
        Its index, of shape 1, or of shape 0 if there is none.
    """
    X, records = sample.X, sample.records
    own = records.is_target
    if bool(is_used[own].all()):
        return _index(own)[:0]
    best_used = records.level[own & is_used].min()
    better, others = _index(own & ~is_used & (records.level < best_used)), _index(own)
    is_near = torch.cdist(X[better], X[others]) <= near_radius(X[others], sample.settings)
    lone = better[~(is_near & (better.unsqueeze(-1) != others)).any(-1)]
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
    least = 1.5 * float(gaps[gaps > 0.0].min())
    return max(least, settings.nearness * X.shape[-1] ** 0.5)


def plausible_records(
    sample: Sample, conditioned: Conditioned, is_used: Tensor, log_odds: float = 0.0
) -> Tensor:
    """Which records have a rank that the others make credible.

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
            mean[~is_used], spread = predictor.moments(sample.X[~is_used])
        variance[~is_used] += spread
    variance = variance.clamp(MIN_VARIANCE, settings.max_variance)
    utilities = conditioned.utilities.utilities
    log_prob = log_rank_probability(mean, variance, records, utilities, is_used)
    is_plausible = log_prob > log_outlier_probability(records, settings) + log_odds
    return _most_stay(is_plausible, log_prob, records, settings.min_share)


def log_rank_probability(
    mean: Tensor, variance: Tensor, records: Observations, utilities: Tensor, is_fitted: Tensor
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
    upper, lower = (bounds - mean) / variance.sqrt()
    return normal.log_prob_between(lower, upper)


def log_outlier_probability(records: Observations, settings: ModelSettings) -> Tensor:
    """Log-odds in favour of outliers, before their ranks' own probabilities are weighed against it.

    Args:
        records: The ranking. Observations of one rank share the probabilities of their places.
        settings: The prior odds.

    Returns:
        Log-probabilities of the records' ranks plus the prior log-odds of an outlier, of shape
        ``N``.
    """
    # Of a tie with others every place would have been the same rank.
    share = records.level.bincount()[records.level] / records.task.bincount()[records.task]
    return math.log(settings.outlier_share / (1.0 - settings.outlier_share)) + share.log()


def _index(mask: Tensor) -> Tensor:
    return mask.nonzero().squeeze(-1)


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
    # Of tied neighbours the nearest counts: the worst of those above, the best of those below.
    ends = torch.stack([utilities, -utilities])
    worst, best = (
        ends.new_full((2, len(known)), torch.inf)
        .scatter_reduce(1, position.expand(2, -1), ends, "amin")
        .unbind()
    )
    above = torch.cat([infinity, worst])[torch.searchsorted(known, level)]
    below = torch.cat([-best, -infinity])[torch.searchsorted(known, level, right=True)]
    return torch.stack([above, below])


def _most_stay(
    is_plausible: Tensor, log_prob: Tensor, records: Observations, min_share: float
) -> Tensor:
    """Keep the most plausible ones where more are doubted than outliers are.

    Those tied for the worst are counted by themselves: the few others are all that is known.
    """
    size = records.level.bincount()
    is_worst = (records.level == records.level.max()) & (size[-1] > 1)
    for group in (is_worst, ~is_worst):
        # Fewer than two have no order.
        kept = min(max(int(min_share * int(group.sum())), 2), int(group.sum()))
        if int(is_plausible[group].sum()) < kept:
            best = log_prob.where(group, -torch.inf).topk(kept).indices
            is_plausible = is_plausible & ~group
            is_plausible[best] = True
    return is_plausible
