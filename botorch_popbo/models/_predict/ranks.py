"""Ranks of new points among the evaluated ones, at certain hyperparameters."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from botorch_popbo.data._rows import distinct_rows, lexicographic_order
from botorch_popbo.models._fit.evidence import Evidence, Sample
from botorch_popbo.models._observations.from_order import interpolate
from botorch_popbo.models._observations.observations import Observations
from botorch_popbo.models._predict.predictor import MIN_VARIANCE, Predictor


class Buckets:
    """All evaluated points in buckets, and the records by which they are known.

    Those of one ranking are its distinct ranks. Where answers or several tasks leave no such
    ranking, the points are ranked by their utilities, and those without one come evenly between
    the others. Of a point with several records the one with the least noise counts.

    Args:
        records: All records.
        used: Indices of those whose utilities are known, of shape ``n``.
        utilities: Utilities of these, of shape ``n``.

    Attributes:
        size: Number of points in each bucket, best first, of shape ``K``.
        place: Position of each known bucket among them, rising, of shape ``J``.
        record: The worst record of each known bucket, of shape ``J``.
    """

    def __init__(self, records: Observations, used: Tensor, utilities: Tensor) -> None:
        are_censored = bool((records.exposure != records.exposure[0]).any())  # among each other
        if are_censored or bool(records.is_judged.any()) or bool((records.task > 0).any()):
            # An answer is about the point itself, an outcome has noise of its own.
            exactest = lexicographic_order(~records.is_judged[used], records.known_variance[used])
            first = exactest[distinct_rows(records.item[used][exactest]).rows]
            self.record = first[utilities[first].argsort(descending=True, stable=True)]
            self.place = torch.arange(len(self.record), device=first.device)
            # Those without one come where they rank among the others.
            better = records.better.new_zeros(records.num_points).scatter_reduce(
                0, records.item, records.better, "mean", include_self=False
            )
            rank = better.argsort(stable=True).argsort()
            ends = rank[records.item[used[self.record]]].sort().values + 1
            ends[-1] = records.num_points
            self.size = ends.diff(prepend=ends.new_zeros(1)).to(utilities)
        else:
            self.size = records.level.bincount().to(utilities)
            by_utility = utilities.argsort(stable=True)
            level = records.level[used]
            self.record = by_utility[distinct_rows(level[by_utility]).rows]
            self.place = level[self.record]

    def interpolate(self, known: Tensor) -> Tensor:
        """Values of all buckets from those of the known ones, by their places.

        Args:
            known: Values, ``... x J``.

        Returns:
            A ``... x K`` tensor.
        """
        if len(self.place) == len(self.size):
            return known
        wanted = torch.arange(len(self.size), device=self.place.device)
        return interpolate(wanted, self.place, known)


class RankPredictor:
    r"""By how many standard deviations a point is expected to fall short of evaluated ones.

    The difference of a new utility :math:`z` and that of a record :math:`t_k`, noise included, is
    normal. What the two have in common is not part of its variance, and the uncertainty of
    :math:`t_k` that the order leaves open is. With the prior covariance :math:`k` of the new point
    and that of the records :math:`K`,

    .. math::

        \mathrm{Var}(z - t_k) = k(x, x) - 2 k_k + K_{kk}
        - \lVert R^\top (k - K_{\cdot k}) \rVert^2,

    where :math:`R R^\top` is what the order explains.

    Args:
        coordinates: The hyperparameters, of shape ``p``.
        sample: All records, among whose points new ones are ranked.
        index: Indices of those to condition on, of shape ``n``.

    Attributes:
        predictor: Utilities of new points.
        noise: Variance of the noise of an outcome, a scalar tensor.
        utility: Utilities of the known buckets' records, of shape ``J``.
        explained: What the order explains of them, ``J x M``.
        variance: Their variances with the arbitrary level that the prior gives, of shape ``J``.
        buckets: All evaluated points.
        least_step: See :func:`_falling`.
    """

    def __init__(self, coordinates: Tensor, sample: Sample, index: Tensor) -> None:
        records, known = sample.records, sample.subset(index)
        conditioned = Evidence(known).condition(coordinates)
        # A copy, as the next law sets the same modules to hyperparameters of its own.
        modules = sample.hyperparameters.assign(coordinates).copy().requires_grad_(False)
        self.predictor = Predictor.from_fit(known.X, conditioned, modules)
        target = records.is_target.nonzero().squeeze(-1)
        own = index[records.is_target[index]]  # they come first
        utilities = conditioned.utilities.utilities
        self.buckets = Buckets(records.subset(target), own, utilities[: len(own)])
        self.noise, self.utility = conditioned.noise, utilities[self.buckets.record]
        # With the noise of the records: a rank is one among outcomes as they were.
        covariance = conditioned.covariance[self.buckets.record]
        self.explained = covariance @ self.predictor.ordered_root
        variance = covariance.gather(-1, self.buckets.record.unsqueeze(-1)).squeeze(-1)
        self.variance = variance - self.explained.square().sum(-1)
        self.least_step = sample.settings.least_step

    def thresholds(self, X: Tensor, observation_noise: bool) -> Tensor:
        """Standard normal scores from which on points are at least as good as each known bucket.

        Args:
            X: Encoded points, ``batch_shape x d``.
            observation_noise: Whether an outcome is meant, which has noise of its own.

        Returns:
            A falling ``batch_shape x J`` tensor.
        """
        points = X.reshape(-1, X.shape[-1])
        cross = self.predictor.cross(points)
        explained = cross @ self.predictor.ordered_root
        own = self.predictor.kernel(points, diag=True) - explained.square().sum(-1)
        if observation_noise:
            own = own + self.noise
        # Buckets are of the target, whose records come first and have the prior's covariance.
        shared = cross[:, self.buckets.record] - explained @ self.explained.T
        variance = own.unsqueeze(-1) + self.variance - 2.0 * shared
        deviation = variance.clamp_min(MIN_VARIANCE).sqrt()
        short = self.utility - (cross @ self.predictor.weights).unsqueeze(-1)
        # With one deviation for all the scores fall as the utilities do.
        reference = short / deviation.mean(-1, keepdim=True)
        scores = _falling(short / deviation, reference, self.least_step)
        return scores.reshape(*X.shape[:-1], len(self.utility))


@dataclass
class Prepared:
    """What predictions need, as long as all that it was made of is the same.

    Attributes:
        parts: The modules that it was made of.
        values: Copies of their parameters and buffers.
        ranks: Ranks and utilities of new points.
        plausible: The same at plausible hyperparameters, once it was asked for.
    """

    parts: list[Any]
    values: list[Tensor]
    ranks: RankPredictor
    plausible: list[RankPredictor] | None = None

    def is_of(self, parts: list[Any], values: list[Tensor]) -> bool:
        """Whether parts and their values still are the same."""
        if self.parts != parts or len(self.values) != len(values):
            return False
        pairs = zip(self.values, values, strict=True)
        return all(one.device == other.device and torch.equal(one, other) for one, other in pairs)


def averaged(thresholds: Sequence[Tensor]) -> Tensor:
    """Scores of the average of several laws of the same points.

    Args:
        thresholds: Scores, all of one shape.

    Returns:
        Scores of that shape whose probabilities are the averages.
    """
    if len(thresholds) == 1:
        return thresholds[0]
    scores = torch.stack(list(thresholds))
    # The smaller of the two tails keeps its digits, as a logarithm.
    least = math.log(torch.finfo(scores.dtype).tiny)
    below, above = (
        (torch.special.log_ndtr(side).logsumexp(0) - math.log(len(scores))).clamp_min(least).exp()
        for side in (scores, -scores)
    )
    is_low = below < 0.5
    score: Tensor = torch.special.ndtri(torch.where(is_low, below, above))
    return torch.where(is_low, score, -score)


def _falling(score: Tensor, reference: Tensor, least_step: float) -> Tensor:
    """Scores that fall, as those of a law do; those of differences taken one by one need not.

    Where they rise away from the centre, they stay as they are at the point nearer to it, but for a
    small share of the reference, which falls.
    """
    rest = score - least_step * reference
    worse = rest.clamp_max(0.0).cummin(-1).values
    better = rest.clamp_min(0.0).flip(-1).cummax(-1).values.flip(-1)
    return worse + better + least_step * reference
