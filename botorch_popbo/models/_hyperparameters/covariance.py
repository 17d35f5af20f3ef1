"""The prior covariance of the records' utilities, with derivatives."""

from abc import ABC, abstractmethod
from typing import NamedTuple

import torch
from gpytorch.kernels import Kernel
from torch import Tensor
from torch.nn import Parameter

from botorch_popbo.models._hyperparameters.pairs import Pairs
from botorch_popbo.models._matern import matern_at

#: Added to the diagonal for the sake of the Cholesky factor.
JITTER = 1e-8


class Covariance(NamedTuple):
    """A covariance matrix.

    Attributes:
        matrix: The matrix with noise, ``N x N``.
        derivative: What :meth:`MaternCovariance.gradient` needs, ``k x P`` for ``P`` pairs.
        pairs: These pairs.
    """

    matrix: Tensor
    derivative: Tensor | None = None
    pairs: Pairs | None = None

    @classmethod
    def from_matrix(
        cls,
        matrix: Tensor,
        noise: Tensor,
        derivative: Tensor | None = None,
        pairs: Pairs | None = None,
    ) -> "Covariance":
        """Add noise to a covariance matrix, in place.

        Args:
            matrix: The matrix without noise, ``N x N``.
            noise: Noise variances, a scalar or of shape ``N``.
            derivative: See above.
            pairs: See above.

        Returns:
            The covariance.
        """
        matrix.diagonal().add_(noise + JITTER)
        return cls(matrix, derivative, pairs)


class CovarianceFunction(ABC):
    """The covariance of fixed records as a function of the kernel's hyperparameters."""

    @abstractmethod
    def covariance(self, theta: Tensor, noise: Tensor) -> Covariance:
        """The covariance with noise.

        Args:
            theta: Hyperparameters of the kernel, of shape ``p``.
            noise: Noise variances, a scalar or of shape ``N``.

        Returns:
            The covariance.
        """

    @abstractmethod
    def gradient(self, slope: Tensor, covariance: Covariance, theta: Tensor) -> Tensor:
        """Carry a derivative over to the hyperparameters.

        Args:
            slope: Derivative with respect to the covariance matrix, ``N x N``, symmetric.
            covariance: The covariance at ``theta``.
            theta: Hyperparameters of the kernel, of shape ``p``.

        Returns:
            A tensor of shape ``p``.
        """


class MaternCovariance(CovarianceFunction):
    """Matérn 5/2 of unit variance, whose hyperparameters are the logarithms of lengthscales.

    With a rough part two more follow: the logit of the roughness and the logarithm of the fineness.

    Squared distances along each dimension are kept, once for each pair, because the hyperparameters
    are fitted by some twenty evaluations at other lengthscales. Autograd through the kernel would
    cost several times as much as these closed forms; tests hold them against GPyTorch's kernel and
    its gradient.

    Args:
        X: Encoded records, ``N x d``, in double precision.
        is_rough: Whether there is a rough part.
    """

    def __init__(self, X: Tensor, is_rough: bool = False) -> None:
        self.dim, self.is_rough = X.shape[1], is_rough
        self.pairs = Pairs(len(X), X.device)
        columns = X.T
        self.squared = (columns[:, self.pairs.first] - columns[:, self.pairs.second]).square()

    def covariance(self, theta: Tensor, noise: Tensor) -> Covariance:
        """See the base class."""
        squared = self._inverse_square(theta) @ self.squared
        value, slope = matern_at(squared.sqrt(), squared)
        derivative = slope.unsqueeze(0)
        if self.is_rough:
            share, scale = theta[-2].sigmoid(), theta[-1].mul(-2.0).exp()
            finer = squared * scale
            rough, rough_slope = matern_at(finer.sqrt(), finer)
            rough_slope.mul_(scale)
            change = rough.sub_(value)
            derivatives = (
                slope.lerp_(rough_slope, share),
                change * (share - share.square()),
                rough_slope.mul_(squared).mul_(share / 3.0),
            )
            value.addcmul_(change, share)
            derivative = torch.stack(derivatives)
        matrix = self.pairs.matrix(value, diagonal=1.0)
        return Covariance.from_matrix(matrix, noise, derivative, self.pairs)

    def gradient(self, slope: Tensor, covariance: Covariance, theta: Tensor) -> Tensor:
        """See the base class."""
        assert covariance.derivative is not None
        weighted = covariance.derivative * (2.0 * self.pairs.of(slope))
        by_scale = self._inverse_square(theta) / 3.0 * (self.squared @ weighted[0])
        return torch.cat([by_scale, weighted[1:].sum(-1)])

    def _inverse_square(self, theta: Tensor) -> Tensor:
        """Five over the squared lengthscales."""
        return 5.0 * theta[: self.dim].mul(-2.0).exp()


class KernelCovariance(CovarianceFunction):
    """Any kernel of GPyTorch, by autograd; its hyperparameters are its raw parameters.

    Args:
        kernel: The kernel, whose parameters are set at every evaluation.
        X: Encoded records, ``N x d``, in double precision.
    """

    def __init__(self, kernel: Kernel, X: Tensor) -> None:
        self.kernel, self.X = kernel, X

    def covariance(self, theta: Tensor, noise: Tensor) -> Covariance:
        """See the base class."""
        with torch.no_grad():
            return Covariance.from_matrix(self._matrix(theta).clone(), noise)

    def gradient(self, slope: Tensor, covariance: Covariance, theta: Tensor) -> Tensor:
        """See the base class."""
        # The matrix is made anew: parameters may have been set since, which no graph survives.
        parameters = list(self.kernel.parameters())
        if not parameters:
            return slope.new_zeros(0)
        with torch.enable_grad():  # which a parameter without an effect has, too
            matrix = self._matrix(theta) + sum(0.0 * values.sum() for values in parameters)
        gradients = torch.autograd.grad(matrix, parameters, slope)
        return torch.cat([gradient.reshape(-1) for gradient in gradients])

    def _matrix(self, theta: Tensor) -> Tensor:
        assign(list(self.kernel.parameters()), theta)
        matrix: Tensor = self.kernel(self.X).to_dense()
        return matrix


def assign(parameters: list[Parameter], values: Tensor) -> None:
    """Set parameters, in place.

    Args:
        parameters: The parameters.
        values: Their new values, one after another, of shape ``p``.
    """
    with torch.no_grad():
        pieces = values.split([parameter.numel() for parameter in parameters])
        for parameter, piece in zip(parameters, pieces, strict=True):
            parameter.copy_(piece.reshape(parameter.shape))
