r"""The likelihood of any order, under a Gaussian prior of what is ordered.

An order says of some pairs of records which utility is larger, and nothing else, so it is the same
for every increasing transform of the outcomes. With the differences :math:`d = D z` of the pairs,
:math:`d \sim N(0, G)` and :math:`G = D K D^\top`: the level of the utilities cancels.

*Certain* relations form a forest: there are as many differences as gaps, and the probability is an
integral over all positive gaps, which in their logarithms has an integrand that is log-concave
where it matters. A record that is tied with others lies in an *interval*, between the next better
and the next worse, in which its log-odds take the place of the logarithm. An *answer* is
:math:`\Phi(d / \sigma)`, what a judge of noise :math:`\sigma` said, in any number and however
contradictory. Laplace's method gives, with :math:`a = G^{-1} \hat d` at the mode,

.. math::

    \log P(order) \approx -\tfrac12 a^\top G a + \sum_{answers} \log \Phi(\hat d / \sigma)
    - \tfrac12 \log |B|, \qquad B = I + R^\top G R,

where :math:`R R^\top` is the curvature, :math:`\hat d^{-2}` for a gap. Relations that hang on the
same record say nearly the same; they have weights (:mod:`botorch_popbo.likelihoods.weights`), by
which slopes and curvatures are multiplied. One Cholesky factor a step
of Newton's method is all that it takes.

The mode is the scale on which the outcomes look most like a draw of the prior: where a value-based
model has to be told the right transform of its outcomes, this one finds it. Without answers the
scale of :math:`K` cancels.
"""

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import torch
from linear_operator.utils.warnings import NumericalWarning
from torch import Tensor

from botorch_popbo.likelihoods._roots import Root
from botorch_popbo.likelihoods._sites import Sites
from botorch_popbo.likelihoods.relations import Relations

_MAX_ITERATIONS = 50
#: Of half the squared Newton decrement, in nats.
TOLERANCE = 1e-8
_CYCLE_JITTER = 1e-10


@dataclass(frozen=True)
class OrderedUtilities:
    """The mode of the utilities of ordered records, and the likelihood of their order there.

    Attributes:
        relations: The order.
        utilities: Utilities of the records, of shape ``N``; of those that no relation connects, as
            the prior expects them.
        differences: Differences of the pairs, of shape ``M``.
        log_likelihood: Laplace's approximation, in nats; a scalar tensor.
        weights: ``K^-1 z`` at the mode, of shape ``N``; they sum to zero.
        by_log_noise: Derivative of the log-likelihood with respect to the logarithm of the answers'
            variance, a scalar tensor.
        prior: Prior covariance of the differences, ``M x M``.
        factor: Cholesky factor of ``B``, ``M x M``.
        curvature_root: ``R``.
        by_covariance: Derivative with respect to the covariance of the differences, ``M x M``.
    """

    relations: Relations
    utilities: Tensor
    differences: Tensor
    log_likelihood: Tensor
    weights: Tensor
    by_log_noise: Tensor
    prior: Tensor
    factor: Tensor
    curvature_root: Root
    by_covariance: Tensor

    def gradient(self) -> Tensor:
        """Derivative of the log-likelihood with respect to the covariance of the records.

        Returns:
            A symmetric ``N x N`` tensor.
        """
        number = len(self.utilities)
        rows = self.relations.scatter(self.by_covariance, number)
        return self.relations.scatter(rows.T.contiguous(), number)

    @cached_property
    def root(self) -> Tensor:
        """Square root of what certain utilities would explain: ``A A'`` is ``D' G^-1 D``."""
        eye = torch.eye(len(self.differences)).to(self.factor)
        return self._root(torch.linalg.cholesky(self.prior), eye)

    @cached_property
    def ordered_root(self) -> Tensor:
        """Square root of what the order explains: ``A A'`` is ``D' R B^-1 R' D``, ``N x M``."""
        eye = torch.eye(len(self.differences)).to(self.factor)
        return self._root(self.factor, self.curvature_root.transposed_times(eye))

    def _root(self, factor: Tensor, right: Tensor) -> Tensor:
        half = torch.linalg.solve_triangular(factor, right, upper=False)
        return self.relations.scatter(half.T.contiguous(), len(self.utilities))


def order_utilities(
    covariance: Tensor,
    relations: Relations,
    start: Tensor,
    noise: Tensor | float = 1.0,
    tolerance: float = TOLERANCE,
) -> OrderedUtilities:
    """Find the mode by Newton's method.

    The problem is convex, and in the scaled gaps its Hessian is the identity plus a positive
    matrix however small the gaps are.

    Args:
        covariance: Prior covariance of the records, ``N x N``, in double precision.
        relations: Their order.
        start: Utilities to start from, in order, of shape ``N``.
        noise: Variance of an answer, a scalar.
        tolerance: Of half the squared Newton decrement, in nats. For the step that is left then the
            log-likelihood is corrected, to first order.

    Returns:
        The mode.

    Raises:
        torch.linalg.LinAlgError: If the covariance is not positive definite.

    Warns:
        NumericalWarning: If the last step allowed did not reach the mode.
    """
    sites = Sites(relations, torch.as_tensor(noise).to(covariance))
    prior = relations.covariance(covariance)
    if not sites.are_gaps:  # more relations than a forest has
        prior.diagonal().add_(_CYCLE_JITTER)
    mode = _find_mode(prior, sites, relations.differences(start), tolerance)
    differences, slopes, root = mode.differences, mode.slopes, mode.root
    inverse = torch.cholesky_inverse(mode.factor)
    pull, by_log_noise = _pull(sites, root, differences, inverse)
    pulled = root.times(inverse @ root.solve(pull))
    outer = torch.outer(0.5 * pulled + 0.25 * slopes, slopes)
    weights = relations.scatter(slopes, len(covariance))
    log_answers = sites.log_prob(differences, sites.log_noise)
    log_likelihood = log_answers - 0.5 * slopes @ differences - mode.factor.diagonal().log().sum()
    return OrderedUtilities(
        relations=relations,
        utilities=covariance @ weights,
        differences=differences,
        log_likelihood=log_likelihood + pull @ mode.left,
        weights=weights,
        by_log_noise=by_log_noise,
        prior=prior,
        factor=mode.factor,
        curvature_root=root,
        by_covariance=(outer + outer.T).sub_(root.inside(inverse), alpha=0.5),
    )


class _Mode(NamedTuple):
    """Where Newton's method ended.

    Attributes:
        differences: Differences of the pairs, of shape ``M``.
        slopes: ``G^-1 d``, of shape ``M``.
        root: ``R`` there.
        factor: Cholesky factor of ``B`` there, ``M x M``.
        left: The step that was not taken any more, of shape ``M``.
    """

    differences: Tensor
    slopes: Tensor
    root: Root
    factor: Tensor
    left: Tensor


def _find_mode(prior: Tensor, sites: Sites, differences: Tensor, tolerance: float) -> _Mode:
    slopes = None if sites.are_gaps else _solve(torch.linalg.cholesky(prior), differences)
    for _ in range(_MAX_ITERATIONS):
        slope, root = sites.slope(differences), sites.root(differences)
        matrix = root.around(prior)
        matrix.diagonal().add_(1.0)
        factor = torch.linalg.cholesky(matrix)
        if slopes is None:  # a whole step finds them without a factor of the prior
            differences, slopes = _first_step(prior, sites, differences, root, factor)
            continue
        residual = root.solve(slopes - slope)
        solved = _solve(factor, residual)
        step, by_slope = root.transposed_solve(solved - residual), -root.times(solved)
        if sites.has_answers:  # of which some bend so little that the quotient has no digits left
            step = step.where(~sites.is_answer, prior @ by_slope)
        if float((slope - slopes) @ step) < 2.0 * tolerance:
            return _Mode(differences, slopes, root, factor, step)
        length = sites.step_length(differences, step, slopes, by_slope)
        differences, slopes = differences + length * step, slopes + length * by_slope
    # What follows is Laplace's method at the point that was reached, which is finite.
    warnings.warn(
        f"The utilities behind an order were not found in {_MAX_ITERATIONS} steps; the "
        "result is approximate. Records that contradict each other may be the reason.",
        NumericalWarning,
        stacklevel=3,
    )
    return _Mode(
        differences, slope if slopes is None else slopes, root, factor, torch.zeros_like(slope)
    )


def _first_step(
    prior: Tensor, sites: Sites, differences: Tensor, root: Root, factor: Tensor
) -> tuple[Tensor, Tensor]:
    """From gaps whose slopes are not known: where they end, and the slopes there."""
    pull = root.solve(sites.slope(differences))
    reached = _solve(factor, pull + root.transposed_times(differences))
    step = root.transposed_solve(pull - reached)
    length = sites.step_length(differences, step)
    differences = differences + length * step
    if length < 1.0:
        return differences, _solve(torch.linalg.cholesky(prior), differences)
    return differences, root.times(reached)


def _solve(factor: Tensor, values: Tensor) -> Tensor:
    return torch.cholesky_solve(values.unsqueeze(-1), factor).squeeze(-1)


def _pull(sites: Sites, root: Root, differences: Tensor, inverse: Tensor) -> tuple[Tensor, Tensor]:
    """How the determinants pull at the mode, and the derivative by the answers' log variance.

    Args:
        sites: The relations' log-densities.
        root: Square root of their curvature at the mode.
        differences: The mode, of shape ``M``.
        inverse: Inverse of ``B``, ``M x M``.

    Returns:
        Derivatives with respect to the differences, of shape ``M``, of ``-log |B| / 2`` at a fixed
        prior less the logarithm of the volume; and a scalar.
    """
    if sites.are_gaps:
        pull = (1.0 - inverse.diagonal() - sites.weight) / differences
        return pull, torch.zeros_like(sites.log_noise)
    own, cross = root.left_open(inverse)
    with torch.enable_grad():
        at = differences.detach().requires_grad_()
        log_noise = sites.log_noise.detach().requires_grad_()
        curvature, across = sites.curvature(at, log_noise)
        bent = -0.5 * own @ curvature - cross @ across
        said = bent + sites.log_prob(differences, log_noise) - sites.log_volume(at)
        pull, direct = torch.autograd.grad(said, (at, log_noise), materialize_grads=True)
    if not sites.has_answers:
        return pull, direct
    by_slope = 0.5 * (curvature.detach() * differences - sites.slope(differences))
    moved = root.solve(by_slope.where(sites.is_answer, 0.0))
    return pull, direct + root.solve(pull) @ (moved - inverse @ moved)
