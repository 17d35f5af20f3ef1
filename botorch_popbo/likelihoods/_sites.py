"""What each relation of an order says of its difference, and how sharply."""

import math

import torch
from torch import Tensor

from botorch_popbo.likelihoods._roots import IntervalRoot, Root
from botorch_popbo.likelihoods.relations import Relations

_TO_BOUNDARY = 0.9
_SHORTEST_STEP = 1e-3
_MIN_CURVATURE = 1e-10
_LOG_ROOT = 0.5 * math.log(2.0 * math.pi)


class Sites:
    """The log-density of all relations as a function of their differences.

    That of a gap is its volume ``log d``, and that of an interval of sides ``d`` and ``e`` is
    ``-log(1/d + 1/e)``: what the change to the logarithm of a gap, or to the log-odds of a place in
    an interval, brings along.

    Args:
        relations: The relations.
        noise: Variance of an answer, a scalar tensor.

    Attributes:
        are_gaps: Whether there are neither answers nor intervals, which most orders have not; then
            every method is a line.
    """

    def __init__(self, relations: Relations, noise: Tensor) -> None:
        self.is_answer, self.has_answers = relations.is_answer, relations.has_answers
        self.answers, self.weight = relations.answers.to(noise), relations.weight.to(noise)
        self.log_noise = noise.log()
        self.other, self.is_side = relations.other_side, relations.is_side
        self.first, self.second = relations.intervals
        self.are_gaps = not (self.has_answers or len(self.first))
        self._weight_root = self.weight.sqrt()

    def slope(self, differences: Tensor) -> Tensor:
        """Derivatives, of shape ``M``."""
        if self.are_gaps:
            return self.weight / differences
        inverse = self._inverse(differences)
        slope = self.weight * inverse * self._share(inverse)
        if self.has_answers:
            deviation = (0.5 * self.log_noise).exp()
            by_score = self.answers / deviation * _hazard(differences / deviation)
            slope = slope.where(~self.is_answer, by_score)
        return slope

    def curvature(self, differences: Tensor, log_noise: Tensor) -> tuple[Tensor, Tensor]:
        """Minus the second derivatives, of shape ``M``, and those across intervals, ``p``."""
        inverse = self._inverse(differences)
        share = self._share(inverse)
        own = self.weight * inverse.square() * share * (2.0 - share)
        if self.has_answers:
            score = differences * torch.exp(-0.5 * log_noise)
            hazard = _hazard(score)
            bent = self.answers * torch.exp(-log_noise) * hazard * (score + hazard)
            own = own.where(~self.is_answer, bent.clamp_min(_MIN_CURVATURE))
        first, second = self.first, self.second
        across = self.weight[first] * (inverse * share)[first] * (inverse * share)[second]
        return own, -across

    def root(self, differences: Tensor) -> Root:
        """A square root of the curvature."""
        if self.are_gaps:
            return Root(self._weight_root / differences)
        own, cross = self.curvature(differences, self.log_noise)
        root = own.sqrt()
        if not len(self.first):
            return Root(root)
        across = cross / root[self.first]
        root[self.second] = (own[self.second] - across.square()).sqrt()
        return IntervalRoot(root, across, self.first, self.second)

    def log_volume(self, differences: Tensor) -> Tensor:
        """Of gaps and intervals, a scalar."""
        is_gap = ~self.is_answer & ~self.is_side
        gaps = self.weight[is_gap] @ differences[is_gap].log()
        upper, lower = differences[self.first], differences[self.second]
        volume: Tensor = gaps - self.weight[self.first] @ (1.0 / upper + 1.0 / lower).log()
        return volume

    def log_prob(self, differences: Tensor, log_noise: Tensor) -> Tensor:
        """Of the answers, a scalar; all else is certain."""
        if not self.has_answers:
            return torch.zeros_like(log_noise)
        score = differences * torch.exp(-0.5 * log_noise)
        log_prob: Tensor = self.answers @ torch.special.log_ndtr(score)
        return log_prob

    def step_length(
        self,
        differences: Tensor,
        step: Tensor,
        slopes: Tensor | None = None,
        by_slope: Tensor | None = None,
    ) -> float:
        """At most one, so that no gap shrinks to nothing and the objective falls.

        Gaps alone need no slopes.
        """
        shrinking = -step / differences
        if self.has_answers:
            shrinking = shrinking.where(~self.is_answer, 0.0)
        longest = float(shrinking.max()) if len(step) else 0.0
        length = min(1.0, _TO_BOUNDARY / longest) if longest > 0.0 else 1.0
        if slopes is None or by_slope is None or self.are_gaps:
            return length
        value = self._objective(differences, slopes)
        while length > _SHORTEST_STEP:
            reached = self._objective(differences + length * step, slopes + length * by_slope)
            if reached <= value + 1e-9 * abs(value):
                break
            length /= 2.0
        return length

    def _objective(self, differences: Tensor, slopes: Tensor) -> float:
        """What is minimised: the quadratic form less all that the relations say."""
        said = self.log_volume(differences) + self.log_prob(differences, self.log_noise)
        return float(0.5 * slopes @ differences - said)

    def _inverse(self, differences: Tensor) -> Tensor:
        """Of gaps; an answer may be about no difference at all, and has its own derivatives."""
        return 1.0 / differences.where(~self.is_answer, 1.0)

    def _share(self, inverse: Tensor) -> Tensor:
        """How much nearer a bound is than the other of the same interval; one without another."""
        if not len(self.first):
            return torch.ones_like(inverse)
        return torch.where(self.is_side, inverse / (inverse + inverse[self.other]), 1.0)


def _hazard(score: Tensor) -> Tensor:
    """Derivative of the logarithm of the normal distribution function."""
    return torch.exp(-0.5 * score.square() - _LOG_ROOT - torch.special.log_ndtr(score))
