"""What each comparison of an order says of its difference, and how sharply."""

from typing import NamedTuple

import torch
from torch import Tensor

from botorch_popbo.likelihoods.comparisons import Comparisons
from botorch_popbo.likelihoods.normal import hazard


class Distances(NamedTuple):
    """How far apart outcomes are, which says how far apart utilities may be.

    Attributes:
        log_gap: Logarithm of what the gap of each comparison is expected to be, of shape ``M``; NaN
            where no distance is known.
        concentration: How far that is believed, a positive scalar: a gap is what is expected times
            a gamma variable of this shape and of mean one.
    """

    log_gap: Tensor
    concentration: Tensor


class Terms:
    """The log-density of ``M`` comparisons as a function of their differences ``d``.

    That of a gap is its volume ``log d``, and that of an interval of sides ``d`` and ``e`` is
    ``-log(1/d + 1/e)``: what the change to the logarithm of a gap, or to the log-odds of a place in
    an interval, brings along. That of an answer is its log-probability. The differences follow from
    those of a spanning forest, ``d = C u``; see ``docs/derivations.md``.

    Args:
        comparisons: The comparisons.
        noise: Variance of an answer, a scalar tensor.
        distances: How far apart outcomes are, if that is to be heard.

    Attributes:
        are_gaps: Whether there are neither answers nor intervals, which most orders have not; then
            ``C`` is the identity and every method is a line.
    """

    def __init__(
        self, comparisons: Comparisons, noise: Tensor, distances: Distances | None = None
    ) -> None:
        self.comparisons, self.log_noise = comparisons, noise.log()
        self.is_answer, self.has_answers = comparisons.is_answer, comparisons.has_answers
        self.is_equal, self.has_ties = comparisons.is_equal, bool(comparisons.is_equal.any())
        self.stiffness = comparisons.tie.to(noise) ** -2
        self.answers, self.weight = comparisons.answers.to(noise), comparisons.weight.to(noise)
        # As long as all judges err alike it is no vector, whose exponentials take longer.
        err_alike = bool((comparisons.noise == 1.0).all())
        self._log_ratio = 0.0 if err_alike else comparisons.noise.to(noise).log()
        self.first, self.second = comparisons.intervals
        self.are_gaps = not (self.has_answers or len(self.first))
        self.kept, self.rest = comparisons.forest_and_rest
        # Rankings, and answers without cycles, are their own forest: nothing is to be added up.
        self.is_forest = not (len(self.rest) or len(self.first))
        self.paths = comparisons.paths if not self.is_forest else comparisons.weight.new_zeros(0)
        self.distances, self.total = distances, self.weight
        if distances is not None:
            log_gap, concentration = distances
            # Of what is tied a distance is heard as often as the comparison.
            self.heard = self.weight * log_gap.isfinite()
            self.log_gap = log_gap.nan_to_num()
            self.mass = concentration * self.heard
            self.rate = self.mass * torch.exp(-self.log_gap)
            self.total = self.weight + self.mass

    def differences(self, gaps: Tensor) -> Tensor:
        """``C u``, of shape ``M``, from ``u``, of shape ``n``."""
        if self.is_forest:
            return gaps
        # Those in the forest are themselves, to the last digit.
        return (self.paths @ gaps).index_copy(0, self.kept, gaps)

    def corrected(self, gaps: Tensor) -> Tensor:
        """A guess of the gaps of a ranking, once distances are heard that it did not know of."""
        if self.distances is None or not self.are_gaps:
            return gaps
        # As if the guess were a distance, too: Newton's method takes a fifth of the steps.
        return gaps.where(self.is_equal, self.total / (self.weight / gaps + self.rate))

    def gather(self, values: Tensor) -> Tensor:
        """The transpose of ``C`` times a vector of shape ``M``."""
        return values if self.is_forest else self.paths.T @ values

    def slope(self, differences: Tensor) -> Tensor:
        """Derivatives with respect to the differences, of shape ``M``."""
        if self.are_gaps:  # most orders, in the inner loop of a fit
            slope = self.total / differences
            slope = slope if self.distances is None else slope - self.rate
        else:
            inverse = self._inverse(differences)
            slope = self.weight * inverse * self._share(inverse)
            if self.distances is not None:
                slope = slope + self.mass * inverse - self.rate
        if self.has_ties:
            slope = slope.where(~self.is_equal, -self.stiffness * differences)
        if self.has_answers:
            deviation = (0.5 * (self.log_noise + self._log_ratio)).exp()
            by_score = self.answers / deviation * hazard(differences / deviation)
            slope = slope.where(~self.is_answer, by_score)
        return slope

    def slope_by_log_noise(self, differences: Tensor) -> Tensor:
        """Derivatives of the slopes by the logarithm of the answers' variance, of shape ``M``."""
        curvature, _ = self.curvature(differences, self.log_noise)
        change = 0.5 * (curvature * differences - self.slope(differences))
        return change.where(self.is_answer, 0.0)

    def curvature(self, differences: Tensor, log_noise: Tensor) -> tuple[Tensor, Tensor]:
        """Minus the second derivatives, of shape ``M``, and those across ``p`` intervals, ``p``."""
        inverse = self._inverse(differences)
        share = self._share(inverse)
        # Of a gap the share is one, and what is left is the square of the inverse.
        own = self.weight * inverse.square() * share * (2.0 - share)
        if self.distances is not None:
            own = own + self.mass * inverse.square()
        own = own.where(~self.is_equal, self.stiffness)
        if self.has_answers:
            log_noise = log_noise + self._log_ratio
            score = differences * torch.exp(-0.5 * log_noise)
            rate = hazard(score)
            bent = self.answers * torch.exp(-log_noise) * rate * (score + rate)
            # Of an answer that is certain of itself. Less would be lost among curvatures of 1e4,
            # and is nothing beside a prior of unit variance.
            own = own.where(~self.is_answer, bent.clamp_min(1e-6))
        near = inverse * share
        return own, -self.weight[self.first] * near[self.first] * near[self.second]

    def root(self, differences: Tensor) -> Tensor:
        """``R`` with ``R R' = C' W C``: its diagonal, of shape ``n``, or lower triangular."""
        if self.are_gaps:
            of_gaps = self.total.sqrt() / differences
            return (
                of_gaps.where(~self.is_equal, self.stiffness.sqrt()) if self.has_ties else of_gaps
            )
        own, across = self.curvature(differences, self.log_noise)
        if self.is_forest:
            return own.sqrt()
        # What is in the forest is on the diagonal, however sharp; the others mix.
        others = self.paths[self.rest]
        bent = others.T @ (own[self.rest].unsqueeze(-1) * others)
        bent.diagonal().add_(own[self.kept])
        if len(self.first):
            mixed = self.paths[self.first].T @ (across.unsqueeze(-1) * self.paths[self.second])
            bent += mixed + mixed.T
        return torch.linalg.cholesky(bent)

    def bending(self, differences: Tensor, left_open: Tensor, log_noise: Tensor) -> Tensor:
        """The trace of ``C' W C`` times a covariance of the forest's differences, a scalar."""
        own, across = self.curvature(differences, log_noise)
        if self.is_forest:
            return own @ left_open.diagonal()
        spread = self.paths @ left_open
        shared = (spread[self.first] * self.paths[self.second]).sum(-1)
        return own @ (spread * self.paths).sum(-1) + 2.0 * across @ shared

    def log_density(self, differences: Tensor) -> Tensor:
        """Of all comparisons, a scalar."""
        return self.log_volume(differences) + self.log_prob(differences, self.log_noise)

    def log_volume(self, differences: Tensor) -> Tensor:
        """Of gaps and intervals, a scalar."""
        is_gap = self.comparisons.is_strict & ~self.comparisons.is_side
        gaps = self.weight[is_gap] @ differences[is_gap].log()
        upper, lower = differences[self.first], differences[self.second]
        return gaps - self.weight[self.first] @ (1.0 / upper + 1.0 / lower).log()

    def log_prob(self, differences: Tensor, log_noise: Tensor) -> Tensor:
        """Of answers, distances and equals, a scalar; all else is certain."""
        told = self._log_prob_of_distances(differences)
        if self.has_ties:
            score = differences[self.is_equal] / self.comparisons.tie[self.is_equal]
            told = told - 0.5 * score.square().sum()
        if not self.has_answers:
            return told
        score = differences * torch.exp(-0.5 * (log_noise + self._log_ratio))
        return told + self.answers @ torch.special.log_ndtr(score)

    def _log_prob_of_distances(self, differences: Tensor) -> Tensor:
        """Of the logarithms of all distances: those of inverse gamma variables."""
        if self.distances is None:
            return torch.zeros_like(self.log_noise)
        a = self.distances.concentration
        log_ratio = self.log_gap - differences.where(self.heard > 0.0, 1.0).log()
        told = a * a.log() - torch.lgamma(a)
        return self.heard.sum() * told - self.mass @ log_ratio - self.rate @ differences

    def by_distances(
        self, differences: Tensor, left_open: Tensor, moved: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Derivatives of the log-evidence by what :class:`Distances` holds.

        Args:
            differences: The mode, of shape ``M``.
            left_open: Variances that the order leaves open, of shape ``M``.
            moved: How the evidence changes with a slope at each, of shape ``M``.

        Returns:
            Of the logarithms, ``M``, and of the concentration, a scalar.
        """
        assert self.distances is not None
        a, inverse = self.distances.concentration, self._inverse(differences)
        log_ratio = self.log_gap + inverse.log()
        by_log_gap = self.rate * (differences + moved) - self.mass
        told = a.log() + 1.0 - torch.digamma(a) - log_ratio - differences * self.rate / self.mass
        bent = 0.5 * left_open * inverse.square()
        each = told - bent + moved * (inverse - torch.exp(-self.log_gap))
        return by_log_gap, each.where(self.heard > 0.0, 0.0) @ self.heard

    def longest_step(self, differences: Tensor, step: Tensor) -> float:
        """At most one, so that no gap shrinks to nothing."""
        shrinking = -step / differences
        if self.has_answers or self.has_ties:
            shrinking = shrinking.where(self.comparisons.is_strict, 0.0)
        longest = float(shrinking.max()) if len(step) else 0.0
        # Not all the way to the boundary, where the logarithm of the gap ends.
        return min(1.0, 0.9 / longest) if longest > 0.0 else 1.0

    def _inverse(self, differences: Tensor) -> Tensor:
        """Of gaps; of answers and equals a difference may be none, and they have derivatives."""
        return 1.0 / differences.where(self.comparisons.is_strict, 1.0)

    def _share(self, inverse: Tensor) -> Tensor:
        """How much nearer a bound is than the other of the same interval; one without another."""
        if not len(self.first):
            return torch.ones_like(inverse)
        other = inverse[self.comparisons.other_side]
        return torch.where(self.comparisons.is_side, inverse / (inverse + other), 1.0)
