"""The prior covariance of the utilities, with derivatives."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

#: Variance of the unknown mean of the utilities, in units of the prior variance.
MEAN_VARIANCE = 25.0
#: Added to the diagonal for the sake of the Cholesky factor.
JITTER = 1e-8


@dataclass(frozen=True)
class Covariance:
    """A covariance matrix with its inverse.

    Attributes:
        factor: The lower Cholesky factor, ``N x N``.
        precision: The inverse, ``N x N``.
        log_determinant: Logarithm of the determinant, a scalar tensor.
        slope: Minus the derivative of each entry with respect to its squared scaled distance.
    """

    factor: Tensor
    precision: Tensor
    log_determinant: Tensor
    slope: Tensor


class PairwiseDistances:
    """Squared distances of the records along each dimension.

    The matrices are kept, because the hyperparameters are fitted by some twenty evaluations of
    :meth:`covariance` at other lengthscales. Autograd through the kernel would cost several times
    as much as these closed forms; tests hold them against GPyTorch's kernel and its gradient.

    Args:
        X: Encoded records, ``N x d``, in double precision.
    """

    def __init__(self, X: Tensor) -> None:
        self.shape = (X.shape[0], X.shape[0])
        columns = X.T.unsqueeze(-1)
        self.squared = (columns - columns.mT).square().reshape(X.shape[1], -1)

    def covariance(self, lengthscale: Tensor, noise: Tensor) -> Covariance:
        """The Matérn-5/2 covariance of unit variance, with an unknown mean and noise.

        Args:
            lengthscale: Lengthscales, of shape ``d``.
            noise: Noise variances, a scalar or of shape ``N``.

        Returns:
            The covariance.

        Raises:
            torch.linalg.LinAlgError: If the matrix is not positive definite.
        """
        scaled = (lengthscale.pow(-2) @ self.squared).reshape(self.shape)
        root = (5.0 * scaled).sqrt_()
        decay = torch.exp(-root)
        matrix = root.square().div_(3.0).add_(root).add_(1.0).mul_(decay).add_(MEAN_VARIANCE)
        slope = root.add_(1.0).mul_(decay).mul_(5.0 / 6.0)
        matrix.diagonal().add_(noise + JITTER)
        factor = torch.linalg.cholesky(matrix)
        return Covariance(
            factor=factor,
            precision=torch.cholesky_inverse(factor),
            log_determinant=2.0 * factor.diagonal().log().sum(),
            slope=slope,
        )

    def chain(self, gradient: Tensor, covariance: Covariance, lengthscale: Tensor) -> Tensor:
        """Carry a derivative over to the logarithms of the lengthscales.

        Args:
            gradient: Derivative with respect to the covariance matrix, ``N x N``.
            covariance: The covariance at ``lengthscale``.
            lengthscale: Lengthscales, of shape ``d``.

        Returns:
            A tensor of shape ``d``.
        """
        weighted = (gradient * covariance.slope).reshape(-1)
        return 2.0 * lengthscale.pow(-2) * (self.squared @ weighted)


def default_lengthscale(dim: int) -> float:
    """Median of the lengthscale's prior on the unit cube.

    It grows with the root of the dimension, as distances do (Hvarfner, Hellsten and Nardi, 2024).

    Args:
        dim: Number of columns.

    Returns:
        The lengthscale.
    """
    return 0.7 * math.sqrt(dim)
