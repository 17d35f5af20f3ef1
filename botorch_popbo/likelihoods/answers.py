r"""The likelihood of many answers about few records.

What :mod:`botorch_popbo.likelihoods.order` computes with the differences of ``M`` pairs costs
:math:`M^3`, and a few hundred records may have been compared thousands of times. Here it is
computed with the utilities of the ``N`` records, which costs :math:`N^3`. With :math:`z = L v`,
:math:`K = L L^\top`, and the curvature :math:`W` of the answers,

.. math::

    \log P(answers) \approx -\tfrac12 v^\top v + \sum \log \Phi(\hat d / \sigma)
    - \tfrac12 \log |I + L^\top P L|, \qquad P = D^\top W D.
"""

import warnings
from dataclasses import dataclass
from functools import cached_property

import torch
from linear_operator.utils.warnings import NumericalWarning
from torch import Tensor

from botorch_popbo.likelihoods._sites import Sites
from botorch_popbo.likelihoods.relations import Relations

_MAX_ITERATIONS = 50
# Of half the squared Newton decrement, in nats. Many answers bend much within a step that is left,
# and another one costs little.
_TOLERANCE = 1e-8
_CONNECTED = 1e-8  # eigenvalues of a graph's Laplacian; that of a chain of N has N**-2


@dataclass(frozen=True)
class JudgedUtilities:
    """The mode of the utilities of judged records.

    See :class:`~botorch_popbo.likelihoods.order.OrderedUtilities`, in the place of which it is.

    Attributes:
        relations: The answers.
        utilities: Utilities of the records, of shape ``N``.
        log_likelihood: Laplace's approximation, in nats; a scalar tensor.
        weights: ``K^-1 z`` at the mode, of shape ``N``.
        by_log_noise: Derivative of the log-likelihood with respect to the logarithm of the answers'
            variance, a scalar tensor.
        prior: Prior covariance of the records, ``N x N``.
        curvature: ``P``, ``N x N``.
        by_covariance: Derivative with respect to the covariance of the records, ``N x N``.
    """

    relations: Relations
    utilities: Tensor
    log_likelihood: Tensor
    weights: Tensor
    by_log_noise: Tensor
    prior: Tensor
    curvature: Tensor
    by_covariance: Tensor

    def gradient(self) -> Tensor:
        """Derivative of the log-likelihood with respect to the covariance of the records.

        Returns:
            A symmetric ``N x N`` tensor.
        """
        return self.by_covariance

    @cached_property
    def root(self) -> Tensor:
        """Square root of what certain utilities would explain: ``A A'`` is ``D' G^-1 D``."""
        met = torch.ones_like(self.relations.answers).to(self.prior)
        values, vectors = torch.linalg.eigh(_laplacian(self.relations, met, len(self.prior)))
        basis = vectors[:, values > _CONNECTED]  # of all differences that the pairs tell of
        return _root(basis, basis.T @ self.prior @ basis)

    @cached_property
    def ordered_root(self) -> Tensor:
        """Square root of what the answers explain: ``A A'`` is ``P - P (P + K^-1)^-1 P``."""
        values, vectors = torch.linalg.eigh(self.curvature)
        root = vectors * values.clamp_min(0.0).sqrt()
        return _root(root, torch.eye(len(root)).to(root) + root.T @ self.prior @ root)


def judged_utilities(covariance: Tensor, relations: Relations, noise: Tensor) -> JudgedUtilities:
    """Find the mode by Newton's method, which is a convex problem.

    Args:
        covariance: Prior covariance of the records, ``N x N``, in double precision.
        relations: Answers, and nothing that is certain.
        noise: Variance of an answer, a scalar tensor.

    Returns:
        The mode.

    Raises:
        torch.linalg.LinAlgError: If the covariance is not positive definite.

    Warns:
        NumericalWarning: If the last step allowed did not reach the mode.
    """
    sites = Sites(relations, noise)
    factor = torch.linalg.cholesky(covariance)
    white, hessian, step = _find_mode(factor, sites, relations)
    differences = relations.differences(factor @ white)
    half = torch.linalg.solve_triangular(hessian, factor.T, upper=False)
    left_open = half.T @ half
    pull, by_log_noise = _pull(sites, relations, differences, left_open)
    curvature, _ = sites.curvature(differences, sites.log_noise)
    bent = _laplacian(relations, curvature, len(covariance))
    weights = torch.linalg.solve_triangular(factor.T, white.unsqueeze(-1), upper=True).squeeze(-1)
    pulled = relations.scatter(pull, len(covariance))
    outer = torch.outer(pulled - bent @ (left_open @ pulled) + 0.5 * weights, weights)
    said = sites.log_prob(differences, sites.log_noise) - 0.5 * white @ white
    left = pull @ relations.differences(factor @ step)
    return JudgedUtilities(
        relations=relations,
        utilities=factor @ white,
        log_likelihood=said - hessian.diagonal().log().sum() + left,
        weights=weights,
        by_log_noise=by_log_noise,
        prior=covariance,
        curvature=bent,
        by_covariance=0.5 * (outer + outer.T) - 0.5 * (bent - bent @ left_open @ bent),
    )


def _find_mode(factor: Tensor, sites: Sites, relations: Relations) -> tuple[Tensor, Tensor, Tensor]:
    """Whitened utilities, the Cholesky factor of the Hessian there, and the step not taken."""
    white = torch.zeros_like(factor[0])
    for _ in range(_MAX_ITERATIONS):
        differences = relations.differences(factor @ white)
        slope = relations.scatter(sites.slope(differences), len(white))
        curvature, _ = sites.curvature(differences, sites.log_noise)
        matrix = factor.T @ _laplacian(relations, curvature, len(white)) @ factor
        matrix.diagonal().add_(1.0)
        hessian = torch.linalg.cholesky(matrix)
        downhill = factor.T @ slope - white
        step = torch.cholesky_solve(downhill.unsqueeze(-1), hessian).squeeze(-1)
        if float(downhill @ step) < 2.0 * _TOLERANCE:
            return white, hessian, step
        white = white + step
    warnings.warn(
        f"The utilities behind the answers were not found in {_MAX_ITERATIONS} steps; the result "
        "is approximate. Answers that contradict each other may be the reason.",
        NumericalWarning,
        stacklevel=3,
    )
    return white, hessian, torch.zeros_like(white)


def _root(right: Tensor, matrix: Tensor) -> Tensor:
    """A square root of ``right matrix^-1 right'``, ``N x r``."""
    factor = torch.linalg.cholesky(matrix)
    half: Tensor = torch.linalg.solve_triangular(factor, right.T, upper=False)
    return half.T.contiguous()


def _laplacian(relations: Relations, values: Tensor, number: int) -> Tensor:
    """``D' diag(values) D``, ``N x N``."""
    pairs = values.new_zeros(number, number)
    pairs.index_put_((relations.better, relations.worse), values, accumulate=True)
    pairs = pairs + pairs.T
    return pairs.sum(-1).diag() - pairs


def _pull(
    sites: Sites, relations: Relations, differences: Tensor, left_open: Tensor
) -> tuple[Tensor, Tensor]:
    """How the determinant pulls at the mode, ``M``, and the derivative by the log variance."""
    better, worse = relations.better, relations.worse
    variance = left_open.diagonal()
    own = variance[better] + variance[worse] - 2.0 * left_open[better, worse]
    with torch.enable_grad():
        at = differences.detach().requires_grad_()
        log_noise = sites.log_noise.detach().requires_grad_()
        curvature, _ = sites.curvature(at, log_noise)
        said = sites.log_prob(differences, log_noise) - 0.5 * own @ curvature
        pull, direct = torch.autograd.grad(said, (at, log_noise))
    by_slope = 0.5 * (curvature.detach() * differences - sites.slope(differences))
    moved = relations.differences(left_open @ relations.scatter(by_slope, len(left_open)))
    return pull, direct + pull @ moved
