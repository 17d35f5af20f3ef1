"""The posterior of the utility as a mean and a kernel of GPyTorch.

A Gaussian process that was conditioned is a Gaussian process again. As a mean and a kernel it can
be the prior of any of BoTorch's models, and its covariance is evaluated when it is used.
"""

from typing import Any, Self, cast

import torch
from botorch.exceptions import BotorchTensorDimensionError
from botorch.models.gp_regression import SingleTaskGP
from botorch.models.transforms.input import InputTransform
from botorch.posteriors import GPyTorchPosterior
from gpytorch.distributions import MultivariateNormal
from gpytorch.kernels import Kernel
from gpytorch.likelihoods import FixedNoiseGaussianLikelihood
from gpytorch.means import Mean
from gpytorch.settings import cholesky_jitter
from linear_operator.utils.cholesky import psd_safe_cholesky
from torch import Tensor

from botorch_popbo.models.predictor import Predictor


def utility_law(predictor: Predictor, encoded: Tensor, noise: Tensor) -> GPyTorchPosterior:
    """The joint law of the utilities of points.

    Args:
        predictor: The posterior.
        encoded: Encoded points, ``batch_shape x q x d``.
        noise: Variances to add, broadcastable to ``batch_shape x q x 1``.

    Returns:
        A normal posterior in the dtype of the points.

    Raises:
        BotorchTensorDimensionError: If ``noise`` has the wrong shape.
    """
    double, dtype = encoded.double(), encoded.dtype
    # GPyTorch's: points that are close have no Cholesky factor without it.
    jitter = cholesky_jitter.value(dtype)
    variances = torch.full_like(double[..., 0], jitter) + _variances(noise, double.shape[:-1])
    covariance = ConditionalKernel(predictor, dtype)(encoded).add_diagonal(variances.to(dtype))
    # The covariance of more points takes half a gigabyte and is hardly ever asked for, so that
    # both moments come from one pass over them.
    if double.shape[-2] <= 2**13 or double.requires_grad:
        mean = predictor.mean(double).to(encoded)
        return GPyTorchPosterior(MultivariateNormal(mean, covariance))
    mean, variance = predictor.moments(double)
    joint = MultivariateNormal(mean.to(encoded), covariance)
    return MarginalPosterior(joint, (variance + variances).to(encoded))


def draw(law: MultivariateNormal, number: int) -> Tensor:
    """Draw from a normal law of ``n`` values, with torch's global random state.

    Args:
        law: The law.
        number: Number of draws.

    Returns:
        A ``number x n`` tensor.
    """
    law = law.add_jitter(1e-6)  # some points are close
    root = psd_safe_cholesky(law.covariance_matrix)
    return law.mean + torch.randn(number, len(root), dtype=torch.double).to(root) @ root.T


class MarginalPosterior(GPyTorchPosterior):
    """A normal posterior whose variance was computed together with its mean.

    Each alone takes the covariances of all points with all records.

    Args:
        distribution: The joint law, whose covariance is not computed before it is used.
        variance: Its variances, ``batch_shape x q``.
    """

    def __init__(self, distribution: MultivariateNormal, variance: Tensor) -> None:
        super().__init__(distribution)
        self._variance = variance.unsqueeze(-1)

    @property
    def variance(self) -> Tensor:
        """Variances, ``batch_shape x q x 1``."""
        return self._variance


class ConditionalMean(Mean):
    """The expected utility.

    Args:
        predictor: The posterior.
        transform: Applied to points.
    """

    def __init__(self, predictor: Predictor, transform: InputTransform) -> None:
        super().__init__()
        self.predictor = predictor
        self.transform = transform

    def forward(self, x: Tensor) -> Tensor:
        """Evaluate the mean.

        Args:
            x: Points, ``batch_shape x n x d``.

        Returns:
            A ``batch_shape x n`` tensor.
        """
        return self.predictor.mean(_encode(x, self.transform)).to(x)


class ConditionalKernel(Kernel):
    """The covariance of the utility.

    Args:
        predictor: The posterior.
        dtype: Data type of the points.
        transform: Applied to points; by default they are encoded already.
    """

    dtype = torch.double  # GPyTorch would look at the parameters, of which there are none

    def __init__(
        self, predictor: Predictor, dtype: torch.dtype, transform: InputTransform | None = None
    ) -> None:
        super().__init__()
        self.predictor = predictor
        self.transform = transform
        self.dtype = dtype

    def forward(self, x1: Tensor, x2: Tensor, diag: bool = False, **params: object) -> Tensor:
        """Evaluate the covariance.

        Args:
            x1: Points, ``batch_shape x n x d``.
            x2: Points, ``batch_shape x m x d``.
            diag: Whether only the ``n`` covariances of points in the same place are wanted.
            **params: None.

        Returns:
            A ``batch_shape x n x m`` tensor, or ``batch_shape x n``.
        """
        first, same = _encode(x1, self.transform), _are_same(x1, x2)
        # Without a matrix of all pairs, of which only the diagonal is wanted.
        if diag and same:
            return self.predictor.moments(first)[1].to(x1)
        second = first if same else _encode(x2, self.transform)
        if diag:
            pairs = self.predictor.covariance(first.unsqueeze(-2), second.unsqueeze(-2))
            return pairs[..., 0, 0].to(x1)
        return self.predictor.covariance(first, second).to(x1)


def _variances(observation_noise: Tensor, shape: torch.Size) -> Tensor:
    try:
        return observation_noise.expand(*shape, 1).squeeze(-1)
    except RuntimeError:
        raise BotorchTensorDimensionError(
            f"Expected observation_noise of a shape that broadcasts to {(*shape, 1)}, a variance "
            f"for each point, but got {tuple(observation_noise.shape)}."
        ) from None


def _are_same(x1: Tensor, x2: Tensor) -> bool:
    # Two views of one memory may begin with the same number and go on with others.
    return x1.data_ptr() == x2.data_ptr() and x1.stride() == x2.stride() and x1.shape == x2.shape


def _encode(X: Tensor, transform: InputTransform | None) -> Tensor:
    # One in training mode would learn other bounds.
    return (X if transform is None else transform.eval()(X)).double()


class GivenNoise(FixedNoiseGaussianLikelihood):
    """Known noise of what is given, and of one outcome more the noise of any.

    For BoTorch that is the average of what was given. But a value without noise may have been
    supposed, as entropy searches do of the optimum, and that changes no outcome.

    Args:
        given: Variances of what is given, ``batch_shape x n``.
        of_outcome: That of an outcome, a scalar tensor.
    """

    of_outcome: Tensor

    def __init__(self, given: Tensor, of_outcome: Tensor) -> None:
        super().__init__(given)
        self.register_buffer("of_outcome", of_outcome.reshape(1), persistent=False)

    @property
    def noise(self) -> Tensor:
        """That of one outcome more, of shape ``1``."""
        return self.of_outcome


class ConditionedGP(SingleTaskGP):
    """A Gaussian process whose further observations are outcomes if nothing else is said."""

    def condition_on_observations(
        self, X: Tensor, Y: Tensor, noise: Tensor | None = None, **kwargs: Any
    ) -> Self:
        """See the base class; by default the noise is that of an outcome."""
        noise = self.likelihood.noise.expand(*X.shape[:-1], 1) if noise is None else noise
        return cast(Self, super().condition_on_observations(X, Y, noise=noise, **kwargs))
