"""What each comparison of an order says of its difference, and how sharply."""

import math

import torch
from torch import Tensor

from botorch_popbo.likelihoods.comparisons import Comparisons


class Terms:
    """The log-density of ``M`` comparisons as a function of their differences ``d``.

    That of a gap is its volume ``log d``, and that of an interval of sides ``d`` and ``e`` is
    ``-log(1/d + 1/e)``: what the change to the logarithm of a gap, or to the log-odds of a place in
    an interval, brings along. That of an answer is its log-probability. The differences follow from
    those of a spanning forest, ``d = C u``; see ``docs/derivations.md``.

    Args:
        comparisons: The comparisons.
        noise: Variance of an answer, a scalar tensor.

    Attributes:
        are_gaps: Whether there are neither answers nor intervals, which most orders have not; then
            ``C`` is the identity and every method is a line.
    """

    def __init__(self, comparisons: Comparisons, noise: Tensor) -> None:
        self.comparisons, self.log_noise = comparisons, noise.log()
        self.is_answer, self.has_answers = comparisons.is_answer, comparisons.has_answers
        self.answers, self.weight = comparisons.answers.to(noise), comparisons.weight.to(noise)
        # As long as all judges err alike it is no vector, whose exponentials take longer.
        differ = bool((comparisons.noise != 1.0).any())
        self._log_ratio = comparisons.noise.to(noise).log() if differ else 0.0
        self.first, self.second = comparisons.intervals
        self.are_gaps = not (self.has_answers or len(self.first))
        self.gaps = (~(self.is_answer | comparisons.is_side)).nonzero().squeeze(-1)
        self.kept, self.rest = comparisons.forest_and_rest
        # Rankings, and answers without cycles, are their own forest: nothing is to be added up.
        self.is_forest = not (len(self.rest) or len(self.first))
        self.paths = comparisons.paths if not self.is_forest else comparisons.weight.new_zeros(0)

    def differences(self, gaps: Tensor) -> Tensor:
        """``C u``, of shape ``M``, from ``u``, of shape ``n``."""
        if self.is_forest:
            return gaps
        # Those in the forest are themselves, to the last digit.
        return (self.paths @ gaps).index_copy(0, self.kept, gaps)

    def gather(self, values: Tensor) -> Tensor:
        """The transpose of ``C`` times a vector of shape ``M``."""
        return values if self.is_forest else self.paths.T @ values

    def slope(self, differences: Tensor) -> Tensor:
        """Derivatives with respect to the differences, of shape ``M``."""
        if self.are_gaps:  # most orders, in the inner loop of a fit
            return self.weight / differences
        inverse = self._inverse(differences)
        slope = self.weight * inverse * self._share(inverse)
        if self.has_answers:
            deviation = (0.5 * (self.log_noise + self._log_ratio)).exp()
            by_score = self.answers / deviation * _hazard(differences / deviation)
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
        if self.has_answers:
            log_noise = log_noise + self._log_ratio
            score = differences * torch.exp(-0.5 * log_noise)
            hazard = _hazard(score)
            bent = self.answers * torch.exp(-log_noise) * hazard * (score + hazard)
            # Of an answer that is certain of itself. Less would be lost among curvatures of 1e4,
            # and is nothing beside a prior of unit variance.
            own = own.where(~self.is_answer, bent.clamp_min(1e-6))
        near = inverse * share
        return own, -self.weight[self.first] * near[self.first] * near[self.second]

    def root(self, differences: Tensor) -> Tensor:
        """``R`` with ``R R' = C' W C``: its diagonal, of shape ``n``, or lower triangular."""
        if self.are_gaps:
            return self.weight.sqrt() / differences
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
        root: Tensor = torch.linalg.cholesky(bent)
        return root

    def bending(self, differences: Tensor, left_open: Tensor, log_noise: Tensor) -> Tensor:
        """The trace of ``C' W C`` times a covariance of the forest's differences, a scalar."""
        own, across = self.curvature(differences, log_noise)
        if self.is_forest:
            return own @ left_open.diagonal()
        spread = self.paths @ left_open
        shared = (spread[self.first] * self.paths[self.second]).sum(-1)
        trace: Tensor = own @ (spread * self.paths).sum(-1) + 2.0 * across @ shared
        return trace

    def log_density(self, differences: Tensor) -> Tensor:
        """Of all comparisons, a scalar."""
        return self.log_volume(differences) + self.log_prob(differences, self.log_noise)

    def log_volume(self, differences: Tensor) -> Tensor:
        """Of gaps and intervals, a scalar."""
        gaps = self.weight[self.gaps] @ differences[self.gaps].log()
        upper, lower = differences[self.first], differences[self.second]
        volume: Tensor = gaps - self.weight[self.first] @ (1.0 / upper + 1.0 / lower).log()
        return volume

    def log_prob(self, differences: Tensor, log_noise: Tensor) -> Tensor:
        """Of the answers, a scalar; all else is certain."""
        if not self.has_answers:
            return torch.zeros_like(log_noise)
        score = differences * torch.exp(-0.5 * (log_noise + self._log_ratio))
        log_prob: Tensor = self.answers @ torch.special.log_ndtr(score)
        return log_prob

    def longest_step(self, differences: Tensor, step: Tensor) -> float:
        """At most one, so that no gap shrinks to nothing."""
        shrinking = -step / differences
        if self.has_answers:
            shrinking = shrinking.where(~self.is_answer, 0.0)
        longest = float(shrinking.max()) if len(step) else 0.0
        # Not all the way to the boundary, where the logarithm of the gap ends.
        return min(1.0, 0.9 / longest) if longest > 0.0 else 1.0

    def _inverse(self, differences: Tensor) -> Tensor:
        """Of gaps; an answer may be about no difference at all, and has its own derivatives."""
        return 1.0 / differences.where(~self.is_answer, 1.0)

    def _share(self, inverse: Tensor) -> Tensor:
        """How much nearer a bound is than the other of the same interval; one without another."""
        if not len(self.first):
            return torch.ones_like(inverse)
        other = inverse[self.comparisons.other_side]
        return torch.where(self.comparisons.is_side, inverse / (inverse + other), 1.0)


def _hazard(score: Tensor) -> Tensor:
    """Derivative of the logarithm of the normal distribution function."""
    # A quotient of logarithms: far below zero density and distribution function both underflow.
    log_density = -0.5 * score.square() - 0.5 * math.log(2.0 * math.pi)
    return torch.exp(log_density - torch.special.log_ndtr(score))
