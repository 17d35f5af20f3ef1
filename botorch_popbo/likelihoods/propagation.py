r"""The posterior of utilities given what is said of their differences.

Utilities have a normal prior, :math:`z \sim N(0, C)`, and each of the ``M`` statements is a
likelihood of one difference :math:`u_i = (D z)_i`. Expectation propagation (Minka, 2001) replaces
it by a normal factor, its site, with the precision :math:`\tau_i` and the mean
:math:`\nu_i / \tau_i`, chosen so that the mean and the variance of :math:`u_i` are those under the
statement itself and the sites of all others. What is left is a regression: the differences were
observed as :math:`\nu / \tau`, with variances :math:`1 / \tau`. ``docs/derivations.md`` derives
what is computed here.
"""

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import torch
from linear_operator.utils.warnings import NumericalWarning
from torch import Tensor

from botorch_popbo.likelihoods import sites
from botorch_popbo.likelihoods.normal import hazard
from botorch_popbo.likelihoods.sites import Site, Tilted
from botorch_popbo.likelihoods.statements import Statements

#: Added to the diagonal of every covariance for the sake of its Cholesky factor.
JITTER = 1e-8
#: Largest change of a difference, in its posterior deviations, at which sites have settled.
TOLERANCE = 1e-6


class Distances(NamedTuple):
    """How far apart outcomes are, which says how far apart utilities may be.

    Attributes:
        log_gap: Logarithm of what the difference of each statement is expected to be, of shape
            ``M``; NaN where no distance is known.
        concentration: How far that is believed, a positive scalar: a gap is what is expected times
            a gamma variable of this shape and of mean one.
    """

    log_gap: Tensor
    concentration: Tensor


class Sites(NamedTuple):
    """The normal factors that stand for statements.

    Attributes:
        precision: Of each difference, of shape ``M``.
        shift: Precision times mean, of shape ``M``.
    """

    precision: Tensor
    shift: Tensor


@dataclass(frozen=True)
class Posterior:
    """Utilities of the records given all statements.

    Attributes:
        utilities: Posterior means, of shape ``N``; of records that no statement is about, as the
            prior expects them.
        log_evidence: Logarithm of the probability of all statements, in nats; a scalar tensor.
        by_log_noise: Its derivative by the logarithm of the answers' variance, a scalar tensor.
        by_distances: Its derivatives by what :class:`Distances` holds; empty where there are none.
        law: The regression that is left.
    """

    utilities: Tensor
    log_evidence: Tensor
    by_log_noise: Tensor
    by_distances: tuple[Tensor, ...]
    law: "Law"

    @property
    def sites(self) -> Sites:
        """The factors that stand for the statements."""
        return self.law.site

    @property
    def weights(self) -> Tensor:
        """``C^-1`` times the posterior less the prior means, of shape ``N``; their sum is zero."""
        return self.law.weights

    @cached_property
    def root(self) -> Tensor:
        """``A`` with the posterior covariance ``C - C A A' C``, of shape ``N x k``."""
        return self.law.root()

    def by_covariance(self) -> Tensor:
        """Derivative of the log-evidence by the prior covariance of the records, ``N x N``."""
        return torch.outer(self.weights, self.weights).sub_(self.law.explained()).mul_(0.5)


def propagate(
    covariance: Tensor,
    statements: Statements,
    noise: Tensor | float = 1.0,
    tie: float = 1.0,
    distances: Distances | None = None,
    start: Sites | None = None,
    tolerance: float = TOLERANCE,
    mean: Tensor | None = None,
    answer: Site = sites.truncate,
) -> Posterior:
    """Condition utilities on statements, all sites in parallel.

    Args:
        covariance: Prior covariance of the records, ``N x N``, in double precision.
        statements: What is said of them.
        noise: Variance of an answer, a scalar.
        tie: Variance of the difference of two that tie for certain.
        distances: How far apart outcomes are, if that counts.
        start: Factors to start from.
        tolerance: See :data:`TOLERANCE`.
        mean: Prior means of the records, of shape ``N``; zero by default.
        answer: What an answer does to a law, given its noise.

    Returns:
        The posterior.

    Raises:
        torch.linalg.LinAlgError: If the covariance is not positive definite.

    Warns:
        NumericalWarning: If the sites did not settle.
    """
    noise = torch.as_tensor(noise, dtype=covariance.dtype, device=covariance.device)
    mean = torch.zeros_like(covariance[0]) if mean is None else mean
    offset = statements.differences(mean)  # sites are about what is above it
    likelihood = _Likelihood(statements, noise, tie, distances, answer)
    # Answers may be far more than the records they are about, and none is sharp.
    by_records = len(statements) > len(covariance) and bool(statements.is_answer.all())
    regression = (_OfRecords if by_records else _OfDifferences)(covariance, statements)
    # At first each as if one difference was all that is known.
    site = start or Sites(1.0 / regression.prior, regression.prior.rsqrt())
    share, last = 1.0, torch.inf
    for sweep in range(200):
        law = regression.given(site)
        above, variance = law.cavity
        cavity = above + offset, variance
        whole = likelihood.tilt(*cavity)
        tilted = whole._replace(mean=whole.mean - offset)
        change = law.change_to(tilted)
        # Rounding may keep very sharp sites from coming closer, so that in the end less will do.
        allowed = max(tolerance, min(tolerance * 1.1 ** (sweep - 100), 1e-2))
        if change < allowed:
            break
        # Steps that do not shrink the error go too far.
        share = max(0.5 * share, 0.05) if change > last else min(1.0, 1.2 * share)
        site, last = law.toward(tilted, share), change
    else:
        text = (
            "The posterior of utilities did not settle in 200 sweeps; the result is approximate. "
            "Statements that contradict each other may be the reason."
        )
        warnings.warn(text, NumericalWarning, stacklevel=2)
    return Posterior(
        utilities=mean + covariance @ law.weights,
        log_evidence=law.log_evidence(tilted),
        by_log_noise=likelihood.by_log_noise(*cavity),
        by_distances=likelihood.by_distances(whole),
        law=law,
    )


class Law(NamedTuple):
    """Differences under the prior and all sites, and under all sites but their own.

    Attributes:
        site: The sites.
        mean: Means, of shape ``M``.
        variance: Variances, of shape ``M``.
        rest: Precisions without the own site, of shape ``M``.
        rest_shift: These times the means without it, of shape ``M``.
        weights: ``C^-1`` times the means of the records, of shape ``N``.
        log_determinant: Half that of ``I + S G S``, where ``G`` is the prior covariance of the
            differences and ``S`` the diagonal of the roots of the sites' precisions; a scalar.
        explained: Makes ``A A'``, ``N x N``: what the sites explain.
        root: Makes ``A``.
    """

    site: Sites
    mean: Tensor
    variance: Tensor
    rest: Tensor
    rest_shift: Tensor
    weights: Tensor
    log_determinant: Tensor
    explained: Callable[[], Tensor]
    root: Callable[[], Tensor]

    @property
    def cavity(self) -> tuple[Tensor, Tensor]:
        """Mean and variance of each difference without its own site."""
        return self.rest_shift / self.rest, 1.0 / self.rest

    def change_to(self, tilted: Tilted) -> float:
        """How far moments are from those under the statements themselves, in deviations."""
        if not len(self.mean):
            return 0.0
        moved = (tilted.mean - self.mean).abs() / self.variance.sqrt()
        return float(torch.maximum(moved, (tilted.variance / self.variance - 1.0).abs()).max())

    def toward(self, tilted: Tilted, share: float) -> Sites:
        """Sites that go so far towards those which give the differences these moments."""
        # Each statement is log-concave, so that it never makes a difference less certain.
        precision = (1.0 / tilted.variance - self.rest).maximum(1e-9 * self.rest)
        shift = tilted.mean / tilted.variance - self.rest_shift
        precision = torch.lerp(self.site.precision, precision, share)
        return Sites(precision, torch.lerp(self.site.shift, shift, share))

    def log_evidence(self, tilted: Tilted) -> Tensor:
        """Of all statements, a scalar; at a fixed point it does not change with the sites."""
        precision, shift = self.site
        joint = (shift + self.rest_shift).square() / (precision + self.rest)
        ratio = torch.log1p(precision / self.rest) + self.rest_shift.square() / self.rest - joint
        each = tilted.log_normalizer + 0.5 * (ratio + shift * self.mean)
        return each.sum() - self.log_determinant


class _Regression(ABC):
    """The prior law of the differences that statements are about.

    Attributes:
        prior: Prior variances of the differences, of shape ``M``.
    """

    prior: Tensor

    def __init__(self, covariance: Tensor, statements: Statements) -> None:
        self.covariance, self.statements = covariance, statements

    @abstractmethod
    def given(self, site: Sites) -> Law:
        """The law of the differences given sites."""

    def _scatter(self, values: Tensor) -> Tensor:
        return self.statements.scatter(values, len(self.covariance))


class _OfDifferences(_Regression):
    """A regression in the ``M`` differences, exact however sharp some of them are known."""

    def __init__(self, covariance: Tensor, statements: Statements) -> None:
        super().__init__(covariance, statements)
        self.matrix = statements.differences(statements.differences(covariance).T)
        self.prior = self.matrix.diagonal().clamp_min(JITTER)

    def given(self, site: Sites) -> Law:
        scale = site.precision.sqrt()
        matrix = torch.outer(scale, scale).mul_(self.matrix)
        matrix.diagonal().add_(1.0)
        factor = torch.linalg.cholesky(matrix)
        inverse = torch.cholesky_inverse(factor)
        weights = scale * (inverse @ (site.shift / scale))
        # Of a sharp site what the others leave open is small, and keeps its digits this way.
        left = inverse.diagonal()
        is_sharp = left < 0.5
        variance = (1.0 - left) / site.precision
        rest = site.precision * left / (1.0 - left)
        if len(vague := (1.0 - left < 1e-7).nonzero().squeeze(-1)):
            # What such a site adds has no digits here. Others may say more of its difference, so
            # sharply that no digit is left, and then any small variance gives the same site.
            rows, prior = self.matrix[vague] * scale, self.prior[vague]
            variance[vague] = (prior - ((rows @ inverse) * rows).sum(-1)).maximum(1e-10 * prior)
            rest[vague] = 1.0 / variance[vague] - site.precision[vague]
        mean = ((site.shift - weights) / site.precision).where(is_sharp, self.matrix @ weights)
        rest_shift = (site.shift * left - weights) / (1.0 - left)
        rest_shift = rest_shift.where(is_sharp, mean / variance - site.shift)

        def explained() -> Tensor:
            rows = self._scatter(torch.outer(scale, scale).mul_(inverse))
            return self._scatter(rows.T.contiguous())

        def root() -> Tensor:
            half = torch.linalg.solve_triangular(factor, scale.diag(), upper=False)
            return self._scatter(half.T.contiguous())

        log_determinant = factor.diagonal().log().sum()
        law = mean, variance, rest, rest_shift, self._scatter(weights), log_determinant
        return Law(site, *law, explained, root)


class _OfRecords(_Regression):
    """A regression in the ``N`` records, for far more differences of which none is sharp."""

    def __init__(self, covariance: Tensor, statements: Statements) -> None:
        super().__init__(covariance, statements)
        self.factor, self.prior = torch.linalg.cholesky(covariance), self._variances(covariance)

    def given(self, site: Sites) -> Law:
        precision = self._precision(site)
        matrix = self.factor.T @ precision @ self.factor
        matrix.diagonal().add_(1.0)
        factor = torch.linalg.cholesky(matrix)
        half = torch.linalg.solve_triangular(factor, self.factor.T, upper=False)
        posterior = half.T @ half
        utilities = posterior @ self._scatter(site.shift)
        mean, variance = self.statements.differences(utilities), self._variances(posterior)
        rest = (1.0 / variance - site.precision).maximum(1e-9 / variance)
        weights = self._scatter(site.shift) - precision @ utilities

        def explained() -> Tensor:
            return precision - precision @ posterior @ precision

        law = mean, variance, rest, mean / variance - site.shift, weights
        log_determinant = factor.diagonal().log().sum()
        return Law(site, *law, log_determinant, explained, lambda: square_root(explained()))

    def _precision(self, site: Sites) -> Tensor:
        """``D' T D``, ``N x N``."""
        better, worse = self.statements.better, self.statements.worse
        number = len(self.covariance)
        between = site.precision.new_zeros(number * number)
        between.index_add_(0, better * number + worse, site.precision)
        between = between.view(number, number)
        between = between + between.T
        return between.sum(-1).diag() - between

    def _variances(self, covariance: Tensor) -> Tensor:
        better, worse = self.statements.better, self.statements.worse
        each = covariance.diagonal()
        return each[better] + each[worse] - 2.0 * covariance[better, worse]


class _Likelihood:
    """What the statements say of their differences."""

    def __init__(
        self,
        statements: Statements,
        noise: Tensor,
        tie: float,
        distances: Distances | None,
        answer: Site,
    ) -> None:
        self.answer, self.distances = answer, distances
        self.noise = statements.noise * noise
        self.mean_log = noise.new_zeros(0)  # of each distance, as it was tilted last
        # A draw of a judge is about as sharp as half an answer for either side.
        self.tolerance = torch.where(statements.is_answer, 0.5 * torch.pi * self.noise, tie)
        self.is_answer, self.is_tie = statements.is_answer, statements.is_tie
        is_gap = torch.zeros_like(self.is_tie)
        if distances is not None:
            is_gap = distances.log_gap.isfinite()
        self.ties, self.gaps, self.others = (
            kind.nonzero().squeeze(-1) for kind in (self.is_tie, is_gap, ~(is_gap | self.is_tie))
        )

    def tilt(self, mean: Tensor, variance: Tensor) -> Tilted:
        """The laws of the differences under their statements."""
        tilted = torch.stack([mean, mean, variance])
        if len(at := self.others):
            tilted[:, at] = torch.stack(self.answer(mean[at], variance[at], self.noise[at]))
        if len(at := self.ties):
            tilted[:, at] = torch.stack(sites.tie(mean[at], variance[at], self.tolerance[at]))
        if self.distances is not None and len(at := self.gaps):
            log_gap, concentration = self.distances
            law, self.mean_log = sites.distance(mean[at], variance[at], log_gap[at], concentration)
            if len(at) == len(mean):
                return law
            tilted[:, at] = torch.stack(law)
        return Tilted(*tilted)

    def by_log_noise(self, mean: Tensor, variance: Tensor) -> Tensor:
        """Derivative of the log-evidence by the logarithm of the answers' variance."""
        if not bool(self.is_answer.any()):
            return mean.new_zeros(())
        spread = torch.where(self.is_tie, self.tolerance, self.noise)
        total = variance + spread
        score = mean / total.sqrt()
        of_tie = 0.5 * (variance + score.square() * spread) / total
        of_answer = -0.5 * score * hazard(score) * spread / total
        return torch.where(self.is_tie, of_tie, of_answer) @ self.is_answer.to(mean)

    def by_distances(self, tilted: Tilted) -> tuple[Tensor, ...]:
        """Derivatives by what :class:`Distances` holds."""
        if self.distances is None:
            return ()
        log_gap, c = self.distances.log_gap[self.gaps], self.distances.concentration
        ratio = torch.exp(-log_gap) * tilted.mean[self.gaps]
        by_log_gap = torch.zeros_like(self.distances.log_gap)
        by_log_gap[self.gaps] = c * (ratio - 1.0)
        each = c.log() + 1.0 - torch.digamma(c) - log_gap + self.mean_log - ratio
        return by_log_gap, each.sum()


def square_root(matrix: Tensor) -> Tensor:
    """Of a covariance, which rounding may have made singular: points may be all but equal."""
    values, vectors = torch.linalg.eigh(matrix)
    return vectors * values.clamp_min(0.0).sqrt()
