"""Ranks of new points among the evaluated ones, at the hyperparameters that are plausible."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor
from torch.quasirandom import SobolEngine

from botorch_popbo.data._rows import distinct_rows, lexicographic_order
from botorch_popbo.likelihoods.propagation import JITTER
from botorch_popbo.models.evidence import Evidence, Sample
from botorch_popbo.models.outliers import fit_without
from botorch_popbo.models.predictor import ROUNDING_VARIANCE, Predictor
from botorch_popbo.models.records import Records, interpolate


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

    def __init__(self, records: Records, used: Tensor, utilities: Tensor) -> None:
        are_censored = bool((records.exposure != records.exposure[0]).any())  # among each other
        if are_censored or bool(records.is_judged.any()) or bool((records.task > 0).any()):
            # An answer is about the point itself, an outcome has noise of its own.
            exactest = lexicographic_order(~records.is_judged[used], records.known_variance[used])
            first = exactest[distinct_rows(records.item[used][exactest]).rows]
            self.record = first[utilities[first].argsort(descending=True, stable=True)]
            self.place = torch.arange(len(self.record), device=first.device)
            # Those without one come where they rank among the others.
            none, each = records.better.new_zeros(records.num_points), records.better
            better = none.scatter_reduce(0, records.item, each, "mean", include_self=False)
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
        predictor: Utilities of new points.
        target: All records of the target, among whose points new ones are ranked.
        used: Indices of those that the predictor begins with, of shape ``n``.
        noise: Variance of the noise of an outcome, a scalar tensor.

    Attributes:
        buckets: All evaluated points.
        utility: Utilities of the known buckets' records, of shape ``J``.
        explained: What the statements explain of them, ``J x M``.
        variance: Their variances with the arbitrary level that the prior gives, of shape ``J``.
    """

    def __init__(self, predictor: Predictor, target: Records, used: Tensor, noise: Tensor) -> None:
        self.predictor, self.noise = predictor, noise
        # With the noise of the records: a rank is one among outcomes as they were.
        known = len(used)  # those of the target come first
        covariance = (predictor.prior + (predictor.noise + JITTER).diag())[:known]
        utilities = covariance @ predictor.weights + predictor.trend(predictor.X[:known])
        self.buckets = Buckets(target, used, utilities)
        record = self.buckets.record
        # Where many tie, neighbours may be out of order within the errors of their utilities.
        self.utility = utilities[record].cummin(0).values
        self.explained = covariance[record] @ predictor.root
        self.variance = covariance.diagonal()[record] - self.explained.square().sum(-1)

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
        explained = cross @ self.predictor.root
        own = self.predictor.kernel(points, diag=True) - explained.square().sum(-1)
        if observation_noise:
            own = own + self.noise
        # Buckets are of the target, whose records come first and have the prior's covariance.
        shared = cross[:, self.buckets.record] - explained @ self.explained.T
        variance = own.unsqueeze(-1) + self.variance - 2.0 * shared
        deviation = variance.clamp_min(ROUNDING_VARIANCE).sqrt()
        mean = cross @ self.predictor.weights + self.predictor.trend(points)
        short = self.utility - mean.unsqueeze(-1)
        # With one deviation for all the scores fall as the utilities do.
        reference = short / deviation.mean(-1, keepdim=True)
        return _falling(short / deviation, reference).reshape(*X.shape[:-1], len(self.utility))


def plausible_ranks(
    sample: Sample, is_used: Tensor, target: Records, chosen: Tensor
) -> list[RankPredictor]:
    """Predictions whose average is that of a rank.

    A search needs one prediction, and fast. Ranks that a user reads have to be as uncertain as they
    are, and with few records most of that is the uncertainty of lengthscales and noise. So the
    evidence is maximized once more, with a prior of the noise that does not serve a search, and
    around its maximum hyperparameters are drawn from the normal law of the same curvature.

    Args:
        sample: The ``n`` records that stand for all, with hyperparameters whose current values are
            near the best ones.
        is_used: Which of these the model has not set aside as outliers, of shape ``n``.
        target: All records of the target.
        chosen: Which of these are among the ``n``, where they come first.

    Returns:
        The predictions, all equally plausible.
    """
    some = sample.records.representatives(sample.settings.num_fitted)
    fitted = sample.subset(some)
    fit = fit_without(fitted)
    is_left = torch.ones_like(is_used)
    if not bool(is_used[some].all()):
        robust = fit_without(fitted, is_used[some])
        # Outliers are the worst of many, so that a little is always gained without them.
        if robust.total > fit.total + 3.0:
            fit, is_left = robust, is_used
    left = sample.subset(is_left)
    evidence, used = Evidence(left), chosen[is_left[: len(chosen)]]
    predictions = []
    for coordinates in _draw(Evidence(fitted.subset(fit.is_used)), fit.conditioned.coordinates):
        conditioned = evidence.condition(coordinates)
        # A copy, as the next law sets the same modules to hyperparameters of its own.
        modules = sample.hyperparameters.assign(coordinates).copy().requires_grad_(False)
        predictor = Predictor.from_fit(left.X, conditioned, modules)
        predictions.append(RankPredictor(predictor, target, used, conditioned.noise))
    return predictions


def _draw(evidence: Evidence, centre: Tensor) -> Tensor:
    """Hyperparameters from Laplace's approximation, quasi-random and always the same, ``n x p``."""
    if not len(centre):  # nothing is left to be uncertain of
        return centre.unsqueeze(0)
    limits, settings = evidence.hyperparameters.limits, evidence.settings
    curvature, directions = torch.linalg.eigh(_curvature(evidence, centre))
    engine = SobolEngine(len(centre), scramble=True, seed=0)
    # In double precision the engine would round its first point to torch's default dtype.
    uniform = engine.draw(settings.num_draws, dtype=torch.float32).to(centre)
    normal = torch.special.ndtri(uniform.clamp(1e-6, 1.0 - 1e-6))  # at 0 and 1 it is infinite
    deviation = settings.widening * curvature.clamp_min(1.0).rsqrt()  # the prior's
    # The symmetric root, as the signs of eigenvectors turn on last digits.
    return (centre + normal @ (directions * deviation) @ directions.T).clamp(*limits)


def _curvature(evidence: Evidence, centre: Tensor) -> Tensor:
    """Minus the second derivative of evidence times prior, from differences of gradients."""
    limits = evidence.hyperparameters.limits
    unit = torch.eye(len(centre)).to(centre)
    curvature = unit.clone()
    for i, step in enumerate(0.1 * unit):
        ahead, behind = ((centre + sign * step).clamp(*limits) for sign in (1.0, -1.0))
        if bool(ahead[i] > behind[i]):  # otherwise the limits leave no room
            first, second = (evidence.value_and_gradient(at)[2] for at in (behind, ahead))
            curvature[i] = (first - second) / (ahead[i] - behind[i])
    # Of differences the matrix is symmetric up to their error only.
    return 0.5 * (curvature + curvature.T)


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


def _falling(score: Tensor, reference: Tensor) -> Tensor:
    """Scores that fall, as those of a law do; those of differences taken one by one need not.

    Where they rise away from the centre, they stay as they are at the point nearer to it, but for a
    tenth of the reference, which falls.
    """
    least = 0.1 * reference
    rest = score - least
    worse = rest.clamp_max(0.0).cummin(-1).values
    better = rest.clamp_min(0.0).flip(-1).cummax(-1).values.flip(-1)
    return worse + better + least
