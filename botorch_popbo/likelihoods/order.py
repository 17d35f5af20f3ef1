r"""The likelihood of any order, under a Gaussian prior of what is ordered.

An order says of some pairs of records which utility is larger, and nothing else, so it is the same
for every increasing transform of the outcomes. The differences of a spanning forest of the pairs,
:math:`u = T z \sim N(0, G)` with :math:`G = T K T^\top`, tell all others: the level of the
utilities cancels. With :math:`a = G^{-1} \hat u` at the mode, Laplace's method gives

.. math::

    \log P(order) \approx -\tfrac12 a^\top G a + \sum_{answers} \log \Phi(\hat d / \sigma)
    - \tfrac12 \log |B|, \qquad B = I + R^\top G R,

where :math:`R R^\top` is the curvature of the terms (:mod:`botorch_popbo.likelihoods.terms`) in
coordinates without a boundary. ``docs/derivations.md`` derives this, the step and the gradient.

The mode is the scale on which the outcomes look most like a draw of the prior: where a value-based
model has to be told the right transform of its outcomes, this one finds it. Without answers the
scale of :math:`K` cancels.
"""

import warnings
from dataclasses import dataclass
from functools import cached_property

import torch
from linear_operator.utils.warnings import NumericalWarning
from torch import Tensor

from botorch_popbo.likelihoods.comparisons import Comparisons
from botorch_popbo.likelihoods.terms import Distances, Terms

_MAX_ITERATIONS = 50
#: Of half the squared Newton decrement, in nats.
TOLERANCE = 1e-8


@dataclass(frozen=True)
class OrderedUtilities:
    """The mode of the utilities of ordered records, and the likelihood of their order there.

    Attributes:
        comparisons: The order.
        utilities: Utilities of the records, of shape ``N``; of those never compared, as the prior
            expects them.
        gaps: ``u``, the differences in the forest, of shape ``n``.
        log_likelihood: Laplace's approximation, in nats; a scalar tensor.
        weights: ``K^-1 z`` at the mode, of shape ``N``; they sum to zero.
        by_log_noise: Derivative of the log-likelihood with respect to the logarithm of the answers'
            variance, a scalar tensor.
        by_distances: That with respect to what :class:`~botorch_popbo.likelihoods.terms.Distances`
            holds; empty where there are none.
        prior: ``G``, the prior covariance of the gaps, ``n x n``.
        factor: Cholesky factor of ``B``, ``n x n``.
        curvature_root: ``R``, ``n x n``, or its diagonal.
        by_covariance: Derivative of the log-likelihood with respect to ``G``, ``n x n``.
    """

    comparisons: Comparisons
    utilities: Tensor
    gaps: Tensor
    log_likelihood: Tensor
    weights: Tensor
    by_log_noise: Tensor
    by_distances: tuple[Tensor, ...]
    prior: Tensor
    factor: Tensor
    curvature_root: Tensor
    by_covariance: Tensor

    def gradient(self) -> Tensor:
        """Derivative of the log-likelihood with respect to the covariance of the records.

        Returns:
            A symmetric ``N x N`` tensor.
        """
        number, forest = len(self.utilities), self.comparisons.forest
        rows = forest.scatter(self.by_covariance, number)
        return forest.scatter(rows.T.contiguous(), number)

    @cached_property
    def root(self) -> Tensor:
        """Square root of what certain utilities would explain: ``A A'`` is ``T' G^-1 T``."""
        eye = torch.eye(len(self.gaps)).to(self.factor)
        return self._root(torch.linalg.cholesky(self.prior), eye)

    @cached_property
    def ordered_root(self) -> Tensor:
        """Square root of what the order explains: ``A A'`` is ``T' R B^-1 R' T``, ``N x n``."""
        root = self.curvature_root
        return self._root(self.factor, root.diag() if root.ndim == 1 else root.T)

    def _root(self, factor: Tensor, right: Tensor) -> Tensor:
        half = torch.linalg.solve_triangular(factor, right, upper=False)
        return self.comparisons.forest.scatter(half.T.contiguous(), len(self.utilities))


def order_utilities(
    covariance: Tensor,
    comparisons: Comparisons,
    start: Tensor,
    noise: Tensor | float = 1.0,
    tolerance: float = TOLERANCE,
    distances: Distances | None = None,
    is_guess: bool = False,
) -> OrderedUtilities:
    """Find the mode by Newton's method.

    The problem is convex, and in the scaled gaps its Hessian is the identity plus a positive
    matrix however small the gaps are.

    Args:
        covariance: Prior covariance of the records, ``N x N``, in double precision.
        comparisons: Their order.
        start: Utilities to start from, in order, of shape ``N``.
        noise: Variance of an answer, a scalar.
        tolerance: Of half the squared Newton decrement, in nats. For the step that is left then the
            log-likelihood is corrected, to first order.
        distances: How far apart outcomes are, if that is to be heard.
        is_guess: Whether the start knows nothing of the distances.

    Returns:
        The mode.

    Raises:
        torch.linalg.LinAlgError: If the covariance is not positive definite.

    Warns:
        NumericalWarning: If the last step allowed did not reach the mode.
    """
    noise, forest = torch.as_tensor(noise).to(covariance), comparisons.forest
    terms = Terms(comparisons, noise, distances)
    prior = forest.covariance(covariance)
    first = forest.differences(start)
    gaps, slopes, root, factor, left = _find_mode(
        prior, terms, terms.corrected(first) if is_guess else first, tolerance
    )
    inverse = torch.cholesky_inverse(factor)
    pull, by_log_noise, by_distances = _pull(terms, root, gaps, inverse)
    # The mode moves with the prior: docs/derivations.md, "Its gradient".
    pulled = _times(root, inverse @ _solve_root(root, pull))
    outer = torch.outer(0.5 * pulled + 0.25 * slopes, slopes)
    explained = _around(root, inverse, root.t())
    weights = forest.scatter(slopes, len(covariance))
    log_answers = terms.log_prob(terms.differences(gaps), terms.log_noise)
    log_likelihood = log_answers - 0.5 * slopes @ gaps - factor.diagonal().log().sum()
    return OrderedUtilities(
        comparisons=comparisons,
        utilities=covariance @ weights,
        gaps=gaps,
        log_likelihood=log_likelihood + pull @ left,  # for the step that was not taken
        weights=weights,
        by_log_noise=by_log_noise,
        by_distances=by_distances,
        prior=prior,
        factor=factor,
        curvature_root=root,
        by_covariance=(outer + outer.T).sub_(explained, alpha=0.5),
    )


def _find_mode(
    prior: Tensor, terms: Terms, gaps: Tensor, tolerance: float
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Where Newton's method ends: ``u``, ``a``, ``R``, the factor of ``B``, and the step left."""
    # Of a ranking a whole step finds the slopes without a factor of the prior.
    slopes = None if terms.are_gaps else _solve(torch.linalg.cholesky(prior), gaps)
    at, is_answer = terms.differences(gaps), terms.comparisons.forest.is_answer
    for _ in range(_MAX_ITERATIONS):
        slope, root = terms.gather(terms.slope(at)), terms.root(at)
        matrix = _around(root.t(), prior, root)
        matrix.diagonal().add_(1.0)
        factor = torch.linalg.cholesky(matrix)
        if slopes is None:
            gaps, slopes = _first_step(prior, terms, gaps, slope, root, factor)
            at = gaps
            continue
        residual = _solve_root(root, slopes - slope)
        solved = _solve(factor, residual)
        step, by_slope = _solve_root(root, solved - residual, True), -_times(root, solved)
        if terms.has_answers:  # of which some bend so little that the quotient has no digits left
            step = torch.where(is_answer, prior @ by_slope, step)
        if float((slope - slopes) @ step) < 2.0 * tolerance:
            return gaps, slopes, root, factor, step
        ahead = terms.differences(step)
        length = terms.longest_step(at, ahead)
        if not terms.are_gaps:
            length = _shortened(terms, at, ahead, length, slopes @ step, by_slope @ step)
        gaps, slopes, at = gaps + length * step, slopes + length * by_slope, at + length * ahead
    # What follows is Laplace's method at the point that was reached, which is finite.
    warnings.warn(
        f"The utilities behind an order were not found in {_MAX_ITERATIONS} steps; the "
        "result is approximate. Observations that contradict each other may be the reason.",
        NumericalWarning,
        stacklevel=3,
    )
    assert slopes is not None
    return gaps, slopes, root, factor, torch.zeros_like(slope)


def _first_step(
    prior: Tensor, terms: Terms, gaps: Tensor, slope: Tensor, root: Tensor, factor: Tensor
) -> tuple[Tensor, Tensor]:
    """From gaps whose slopes are not known: where they end, and the slopes there."""
    pull = slope / root
    reached = _solve(factor, pull + root * gaps)
    step = (pull - reached) / root
    length = terms.longest_step(gaps, step)
    gaps = gaps + length * step
    if length < 1.0:
        return gaps, _solve(torch.linalg.cholesky(prior), gaps)
    return gaps, root * reached


def _shortened(
    terms: Terms, at: Tensor, ahead: Tensor, length: float, linear: Tensor, square: Tensor
) -> float:
    """Halve a step until the log-density gains more than the quadratic form grows."""
    before, rise, bend = float(terms.log_density(at)), float(linear), 0.5 * float(square)
    while length > 1e-3:  # shorter ones end in the warning
        gain = float(terms.log_density(at + length * ahead)) - before
        # At the mode the gain is the rounding of two sums.
        if length * (rise + length * bend) <= gain + 1e-9 * (1.0 + abs(before)):
            break
        length /= 2.0
    return length


def _pull(
    terms: Terms, root: Tensor, gaps: Tensor, inverse: Tensor
) -> tuple[Tensor, Tensor, tuple[Tensor, ...]]:
    """How the determinants pull at the mode, and derivatives by what the terms are made of.

    Args:
        terms: The comparisons' log-densities.
        root: Square root of their curvature at the mode.
        gaps: The mode, of shape ``n``.
        inverse: Inverse of ``B``, ``n x n``.

    Returns:
        Derivatives with respect to the gaps, of shape ``n``, of ``-log |B| / 2`` at a fixed
        prior less the logarithm of the volume; by the answers' log variance, a scalar; and by
        distances, if there are any.
    """
    if terms.are_gaps:
        share = 1.0 - inverse.diagonal()
        pull = (share - terms.weight) / gaps
        if terms.has_ties:  # whose curvature is the same everywhere
            pull = pull.where(~terms.is_equal, 0.0)
        by_distances: tuple[Tensor, ...] = ()
        if terms.distances is not None:
            moved = (pull / root - inverse @ (pull / root)) / root
            by_distances = terms.by_distances(gaps, share / root.square(), moved)
        return pull, torch.zeros_like(terms.log_noise), by_distances
    # What the order leaves open of the gaps; at a fixed one the pull is a derivative of the terms.
    half = _solve_root(root, torch.eye(len(inverse)).to(inverse) - inverse, True)
    left_open = _solve_root(root, half.T, True)
    with torch.enable_grad():
        at = gaps.detach().requires_grad_()
        every = terms.differences(at)
        log_noise = terms.log_noise.detach().requires_grad_()
        bent = -0.5 * terms.bending(every, left_open, log_noise)
        said = bent + terms.log_prob(every.detach(), log_noise) - terms.log_volume(every)
        pull, direct = torch.autograd.grad(said, (at, log_noise), materialize_grads=True)
    every, moved, by_distances = every.detach(), left_open @ pull, ()
    if terms.distances is not None:
        variance = left_open.diagonal()
        if not terms.is_forest:
            variance = (terms.paths @ left_open * terms.paths).sum(-1)
        by_distances = terms.by_distances(every, variance, terms.differences(moved))
    if not terms.has_answers:
        return pull, direct, by_distances
    by_log_noise = direct + moved @ terms.gather(terms.slope_by_log_noise(every))
    return pull, by_log_noise, by_distances


# A root is a lower triangular matrix, or the diagonal of one, for which nothing else is computed.


def _solve(factor: Tensor, values: Tensor) -> Tensor:
    return torch.cholesky_solve(values.unsqueeze(-1), factor).squeeze(-1)


def _times(root: Tensor, values: Tensor) -> Tensor:
    return root * values if root.ndim == 1 else root @ values


def _around(left: Tensor, matrix: Tensor, right: Tensor) -> Tensor:
    if left.ndim == 1:
        return torch.outer(left, right).mul_(matrix)
    return left @ matrix @ right


def _solve_root(root: Tensor, values: Tensor, transposed: bool = False) -> Tensor:
    if root.ndim == 1:
        return values / (root if values.ndim == 1 else root.unsqueeze(-1))
    matrix = root.T if transposed else root
    columns = values.reshape(len(values), -1)
    return torch.linalg.solve_triangular(matrix, columns, upper=transposed).reshape(values.shape)
