r"""The likelihood of an order, under a Gaussian prior of what is ordered.

A complete ranking says :math:`z_1 > z_2 > \dots > z_L` of the utilities behind the outcomes and
nothing else, so it is the same for every increasing transform of the outcomes. Its probability is
an integral of the Gaussian density over a cone. In the coordinates :math:`(c, \log \delta)`, the
first level and the logarithms of the gaps between levels, the integral is over all of
:math:`R^L` and its integrand is log-concave where it matters, so Laplace's method applies:

.. math::

    \log P(order) \approx -\tfrac12 \log |K| - \tfrac12 \log |H| - \tfrac{L-1}{2},
    \qquad H = K^{-1} + D^\top \mathrm{diag}(\delta^{-2}) D,

at the mode :math:`\hat z` of :math:`-\tfrac12 z^\top K^{-1} z + \sum \log \delta_i`. The mode is
the scale on which the outcomes look most like a draw of the prior: where a value-based model has to
be told the right transform of its outcomes, this one finds it. The scale of :math:`K` cancels.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

_MAX_ITERATIONS = 50
_TOLERANCE = 1e-8  # of half the squared Newton decrement, in nats
_TO_BOUNDARY = 0.9


@dataclass(frozen=True)
class OrderedUtilities:
    """The mode of the utilities of ranked records, and the likelihood of their order there.

    Attributes:
        levels: Utilities of the distinct ranks, best first, of shape ``L``.
        utilities: Utilities of the records, of shape ``N``.
        log_likelihood: Laplace's approximation, in nats; a scalar tensor.
        spread_root: A square root of the covariance of ``K^-1 z`` that the order leaves open, an
            ``N x L`` tensor.
        weights: ``K^-1 z`` at the mode, of shape ``N``.
        sensitivity: How the determinant of ``H`` pulls at the mode, of shape ``N``.
    """

    levels: Tensor
    utilities: Tensor
    log_likelihood: Tensor
    spread_root: Tensor
    weights: Tensor
    sensitivity: Tensor

    def gradient(self, precision: Tensor) -> Tensor:
        """Derivative of the log-likelihood with respect to the prior covariance.

        Args:
            precision: The inverse of the prior covariance, ``N x N``.

        Returns:
            A symmetric ``N x N`` tensor.
        """
        # The quadratic form is L - 1 at every mode, so only the two determinants move.
        pull = torch.outer(self.sensitivity, self.weights)
        spread = self.spread_root @ self.spread_root.T
        return 0.5 * (spread - precision) - 0.25 * (pull + pull.T)


def order_utilities(
    precision: Tensor, log_determinant: Tensor, level: Tensor, start: Tensor
) -> OrderedUtilities:
    """Find the mode by Newton's method.

    The problem is convex, and in the scaled gaps its Hessian is the identity plus a positive
    matrix however small the gaps are.

    Args:
        precision: Inverse of the prior covariance of the records, ``N x N``, in double precision.
        log_determinant: Logarithm of the determinant of the prior covariance.
        level: For each record the position of its rank among the ``L`` distinct ranks, from 0 for
            the best, of shape ``N``.
        start: Levels to start from, strictly falling, of shape ``L``.

    Returns:
        The mode.
    """
    num_levels = start.shape[0]
    # Columns of the basis: the first level, then the gaps, each of which lowers what follows.
    basis = _tail_sums(_sum_levels(precision, level, num_levels), dim=1)
    quadratic = _tail_sums(_sum_levels(basis.T, level, num_levels), dim=1)
    point = torch.cat([start[:1], start[:-1] - start[1:]])
    for _ in range(_MAX_ITERATIONS):
        scale = point.clone()
        scale[0] = 1.0
        gradient = scale * (quadratic @ point)
        gradient[1:] -= 1.0
        hessian = (quadratic * scale).mul_(scale.unsqueeze(-1))
        hessian.diagonal()[1:] += 1.0
        factor = torch.linalg.cholesky(hessian)
        step = torch.cholesky_solve(gradient.unsqueeze(-1), factor).squeeze(-1)
        if float(gradient @ step) < 2.0 * _TOLERANCE:
            break
        longest = float(step[1:].max()) if num_levels > 1 else 0.0
        length = min(1.0, _TO_BOUNDARY / longest) if longest > 0.0 else 1.0
        point = point - length * scale * step
    gaps = point[1:]
    levels = point[0] - torch.cat([gaps.new_zeros(1), gaps]).cumsum(0)
    scaled_basis = basis * scale
    inverse = torch.cholesky_inverse(factor)
    leverage = inverse.diagonal().clone()
    leverage[0] = 0.0
    log_hessian = 2.0 * factor.diagonal().log().sum() - 2.0 * gaps.log().sum()
    return OrderedUtilities(
        levels=levels,
        utilities=levels[level],
        log_likelihood=-0.5 * (log_determinant + log_hessian + num_levels - 1.0),
        spread_root=torch.linalg.solve_triangular(factor, scaled_basis.T, upper=False).T,
        weights=precision @ levels[level],
        sensitivity=scaled_basis @ (inverse @ (-2.0 * leverage)),
    )


def _sum_levels(matrix: Tensor, level: Tensor, num_levels: int) -> Tensor:
    """Add the columns of records with the same rank, ``N x N`` to ``N x L``."""
    summed = matrix.new_zeros(matrix.shape[0], num_levels)
    return summed.index_add_(1, level, matrix)


def _tail_sums(matrix: Tensor, dim: int) -> Tensor:
    """Multiply by the basis: all columns added, then minus the sums of columns j and later."""
    tails = -matrix.flip(dim).cumsum(dim).flip(dim)
    tails[:, 0].neg_()
    return tails
