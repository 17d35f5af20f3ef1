r"""The likelihood of any order, under a Gaussian prior of what is ordered.

An order says of some pairs of records which utility is larger, and nothing else, so it is the same
for every increasing transform of the outcomes. With the differences :math:`d = D z` of the pairs,
:math:`d \sim N(0, G)` and :math:`G = D K D^\top`: the level of the utilities cancels. A relation
is one of three.

*Strict*: :math:`d > 0`. Strict relations form a forest: then there are as many differences as
gaps, the probability is an integral over all positive gaps, and in the logarithms of the gaps its
integrand is log-concave where it matters. *Tied*: :math:`d = 0`, a density. *Answer*:
:math:`\Phi(d / \sigma)`, what a judge of noise :math:`\sigma` said, in any number and however
contradictory. Laplace's method gives, with :math:`a = G^{-1} \hat d` at the mode,

.. math::

    \log P(order) \approx -\tfrac12 a^\top G a + \sum_{answers} \log \Phi(\hat d / \sigma)
    - \tfrac12 \log |B|, \qquad B = I + W^{1/2} G W^{1/2},

where :math:`W` is :math:`\hat d^{-2}` for a strict relation and the curvature of any other. One
Cholesky factor a step of Newton's method is all that it takes.

The mode is the scale on which the outcomes look most like a draw of the prior: where a value-based
model has to be told the right transform of its outcomes, this one finds it. Without answers the
scale of :math:`K` cancels.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple, Self

import torch
from torch import Tensor

_MAX_ITERATIONS = 50
_TOLERANCE = 1e-8  # of half the squared Newton decrement, in nats
_TO_BOUNDARY = 0.9
_SHORTEST_STEP = 1e-3
_TIE_PRECISION = 1e10
_MIN_CURVATURE = 1e-10
_CYCLE_JITTER = 1e-10
_LOG_ROOT = 0.5 * math.log(2.0 * math.pi)


@dataclass(frozen=True)
class Relations:
    """Pairs of records, and what is known of each.

    Attributes:
        better: Index of the better record of each pair, of shape ``M``.
        worse: Index of the other one, of shape ``M``.
        is_tied: Whether the two are equal, of shape ``M``.
        answers: How many judges of some noise said so, of shape ``M``; zero for relations that are
            certain. Certain ones form a forest.
    """

    better: Tensor
    worse: Tensor
    is_tied: Tensor
    answers: Tensor

    @property
    def is_strict(self) -> Tensor:
        """Whether the better one certainly is, of shape ``M``."""
        return (self.answers == 0) & ~self.is_tied

    def __len__(self) -> int:
        return len(self.better)

    def differences(self, values: Tensor) -> Tensor:
        """``D`` times a tensor of shape ``N x ...``."""
        return values[self.better] - values[self.worse]

    def scatter(self, values: Tensor, num_records: int) -> Tensor:
        """The transpose of ``D`` times a tensor of shape ``M x ...``."""
        summed = values.new_zeros(num_records, *values.shape[1:])
        return summed.index_add_(0, self.better, values).index_add_(
            0, self.worse, values, alpha=-1.0
        )

    def covariance(self, matrix: Tensor) -> Tensor:
        """``D K D'`` of an ``N x N`` tensor, ``M x M``."""
        return self.differences(self.differences(matrix).T)

    def join(self, other: Self) -> Self:
        """These pairs and others of the same records."""
        return type(self)(*map(torch.cat, zip(self._parts(), other._parts(), strict=True)))

    def among(self, index: Tensor, num_records: int) -> Self:
        """The pairs of some of the records, in their new positions.

        Args:
            index: Indices of the records, without repetition.
            num_records: Number of all records.

        Returns:
            The pairs of which both records are left.
        """
        position = torch.full((num_records,), -1, device=index.device)
        position[index] = torch.arange(len(index), device=index.device)
        better, worse = position[self.better], position[self.worse]
        left = (better >= 0) & (worse >= 0)
        return type(self)(better[left], worse[left], self.is_tied[left], self.answers[left])

    def to(self, device: torch.device) -> Self:
        """The same pairs on another device."""
        return type(self)(*(part.to(device) for part in self._parts()))

    def _parts(self) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        return self.better, self.worse, self.is_tied, self.answers


@dataclass(frozen=True)
class OrderedUtilities:
    """The mode of the utilities of ordered records, and the likelihood of their order there.

    Attributes:
        relations: The order.
        utilities: Utilities of the records, of shape ``N``; where relations do not connect records,
            as the prior expects them.
        differences: Differences of the pairs, of shape ``M``.
        log_likelihood: Laplace's approximation, in nats; a scalar tensor.
        weights: ``K^-1 z`` at the mode, of shape ``N``; they sum to zero.
        by_log_noise: Derivative of the log-likelihood with respect to the logarithm of the answers'
            variance, a scalar tensor.
        prior_factor: Cholesky factor of the prior covariance of the differences, ``M x M``.
        factor: Cholesky factor of ``B``, ``M x M``.
        curvature_root: Square roots of the curvatures, of shape ``M``.
        by_covariance: Derivative with respect to the covariance of the differences, ``M x M``.
    """

    relations: Relations
    utilities: Tensor
    differences: Tensor
    log_likelihood: Tensor
    weights: Tensor
    by_log_noise: Tensor
    prior_factor: Tensor
    factor: Tensor
    curvature_root: Tensor
    by_covariance: Tensor

    def gradient(self) -> Tensor:
        """Derivative of the log-likelihood with respect to the covariance of the records.

        Returns:
            A symmetric ``N x N`` tensor.
        """
        number = len(self.utilities)
        rows = self.relations.scatter(self.by_covariance, number)
        return self.relations.scatter(rows.T.contiguous(), number)

    @property
    def root(self) -> Tensor:
        """Square root of what certain utilities would explain: ``R R'`` is ``D' G^-1 D``."""
        return self._root(self.prior_factor, torch.ones_like(self.differences))

    @property
    def ordered_root(self) -> Tensor:
        """Square root of what the order explains: ``R R'`` is ``D' (G + W^-1)^-1 D``, ``N x M``."""
        return self._root(self.factor, self.curvature_root)

    def _root(self, factor: Tensor, scale: Tensor) -> Tensor:
        eye = torch.diag(scale)
        half = torch.linalg.solve_triangular(factor, eye, upper=False)
        return self.relations.scatter(half.T.contiguous(), len(self.utilities))


class _Terms(NamedTuple):
    """First derivative of each relation's log-likelihood, minus the second, and minus the third."""

    slope: Tensor
    curvature: Tensor
    third: Tensor


class _Sites:
    """The log-likelihood of the relations, as a function of their differences."""

    def __init__(self, relations: Relations, noise: Tensor) -> None:
        self.is_strict = relations.is_strict
        self.is_tied = relations.is_tied
        self.answers = relations.answers.to(noise)
        self.is_answer = self.answers > 0
        self.has_answers = bool(self.is_answer.any())
        self.has_ties = bool(self.is_tied.any())
        self.deviation = noise.sqrt()

    def at(self, differences: Tensor) -> _Terms:
        """Derivatives; a strict relation's are those of ``log d``, the volume of its gap."""
        slope = 1.0 / differences
        curvature, third = slope.square(), torch.zeros_like(slope)
        if self.has_ties:
            slope = slope.where(~self.is_tied, -_TIE_PRECISION * differences)
            curvature = curvature.where(~self.is_tied, _TIE_PRECISION)
        if self.has_answers:
            score = differences / self.deviation
            ratio = torch.exp(-0.5 * score.square() - _LOG_ROOT - torch.special.log_ndtr(score))
            decay = ratio * (score + ratio)
            change = ratio - decay * (score + 2.0 * ratio)
            weight = self.answers / self.deviation
            slope = torch.where(self.is_answer, weight * ratio, slope)
            bent = (weight / self.deviation * decay).clamp_min(_MIN_CURVATURE)
            curvature = torch.where(self.is_answer, bent, curvature)
            third = torch.where(self.is_answer, weight * change / self.deviation**2, third)
        return _Terms(slope, curvature, third)

    def log_prob(self, differences: Tensor) -> Tensor:
        """Of answers and ties; strict relations are certain."""
        log_prob = torch.zeros_like(self.deviation)
        if self.has_ties:
            tied = differences[self.is_tied]
            log_prob = 0.5 * (math.log(_TIE_PRECISION) - _TIE_PRECISION * tied.square()).sum()
        if self.has_answers:
            log_answers = torch.special.log_ndtr(differences / self.deviation)
            log_prob = log_prob + self.answers @ log_answers
        return log_prob

    def step_length(
        self, differences: Tensor, slopes: Tensor, step: Tensor, by_slope: Tensor
    ) -> float:
        """At most one, so that no gap shrinks to nothing and answers become more probable."""
        shrinking = (-step / differences).where(self.is_strict, 0.0)
        longest = float(shrinking.max()) if len(step) else 0.0
        length = min(1.0, _TO_BOUNDARY / longest) if longest > 0.0 else 1.0
        if not self.has_answers:  # gaps alone need no more
            return length
        value = self._objective(differences, slopes)
        while length > _SHORTEST_STEP:
            reached = self._objective(differences + length * step, slopes + length * by_slope)
            if reached <= value + 1e-9 * abs(value):
                break
            length /= 2.0
        return length

    def _objective(self, differences: Tensor, slopes: Tensor) -> float:
        """What is minimised: the quadratic form less the sites, and the volume of the gaps."""
        volume = differences[self.is_strict].log().sum()
        return float(0.5 * slopes @ differences - volume - self.log_prob(differences))


def _by_log_noise(
    sites: _Sites, site: _Terms, differences: Tensor, spread: Tensor, pull: Tensor, inverse: Tensor
) -> Tensor:
    """Derivative with respect to the logarithm of the answers' variance, mode included."""
    if not sites.has_answers:
        return torch.zeros_like(sites.deviation)
    root = site.curvature.sqrt()
    direct = -0.5 * site.slope * differences
    direct = direct + 0.5 * spread * (site.curvature + 0.5 * site.third * differences)
    of_slope = 0.5 * (site.curvature * differences - site.slope)
    through_mode = (pull / root - inverse @ (pull / root)) / root * of_slope
    return (direct + through_mode)[sites.is_answer].sum()


def order_utilities(
    covariance: Tensor, relations: Relations, start: Tensor, noise: Tensor | float = 0.0
) -> OrderedUtilities:
    """Find the mode by Newton's method.

    The problem is convex, and in the scaled gaps its Hessian is the identity plus a positive
    matrix however small the gaps are.

    Args:
        covariance: Prior covariance of the records, ``N x N``, in double precision.
        relations: Their order.
        start: Utilities to start from, in order, of shape ``N``.
        noise: Variance of an answer, a scalar.

    Returns:
        The mode.

    Raises:
        torch.linalg.LinAlgError: If the covariance is not positive definite.
    """
    sites = _Sites(relations, torch.as_tensor(noise).to(covariance))
    prior = relations.covariance(covariance)
    if sites.has_answers:  # which need not form a forest
        prior.diagonal().add_(_CYCLE_JITTER)
    prior_factor = torch.linalg.cholesky(prior)
    differences = relations.differences(start)
    slopes = torch.cholesky_solve(differences.unsqueeze(-1), prior_factor).squeeze(-1)
    for _ in range(_MAX_ITERATIONS):
        site = sites.at(differences)
        root = site.curvature.sqrt()
        matrix = (prior * root).mul_(root.unsqueeze(-1))
        matrix.diagonal().add_(1.0)
        factor = torch.linalg.cholesky(matrix)
        residual = (slopes - site.slope) / root
        solved = torch.cholesky_solve(residual.unsqueeze(-1), factor).squeeze(-1)
        step, by_slope = (solved - residual) / root, -root * solved
        if float(-(residual * root) @ step) < 2.0 * _TOLERANCE:
            break
        length = sites.step_length(differences, slopes, step, by_slope)
        differences, slopes = differences + length * step, slopes + length * by_slope
    inverse = torch.cholesky_inverse(factor)
    weights = relations.scatter(slopes, len(covariance))
    left = inverse.diagonal()
    spread = (1.0 - left) / site.curvature
    # How the determinants pull at the mode; of a strict relation also that of log d.
    pull = torch.where(sites.is_strict, -left / differences, -0.5 * spread * site.third)
    pulled = root * (inverse @ (pull / root))
    outer = torch.outer(pulled + 0.5 * slopes, slopes)
    log_answers = sites.log_prob(differences)
    return OrderedUtilities(
        relations=relations,
        utilities=covariance @ weights,
        differences=differences,
        log_likelihood=log_answers - 0.5 * slopes @ differences - factor.diagonal().log().sum(),
        weights=weights,
        by_log_noise=_by_log_noise(sites, site, differences, spread, pull, inverse),
        prior_factor=prior_factor,
        factor=factor,
        curvature_root=root,
        by_covariance=0.5 * (outer + outer.T) - 0.5 * (inverse * root).mul_(root.unsqueeze(-1)),
    )
