"""How much better new points are than a reference, fast enough for an optimizer's inner loop."""

from dataclasses import dataclass
from typing import Self

import torch
from gpytorch.kernels import Kernel
from gpytorch.settings import lazily_evaluate_kernels
from torch import Tensor

from botorch_popbo.models._predict.predictor import Predictor


@dataclass(frozen=True)
class Differences:
    """The posterior of how much better points are than a reference.

    The reference's own uncertainty is part of it, and what both have in common is not. An optimizer
    asks for a few points hundreds of times, so all that does not depend on them is prepared.

    Attributes:
        kernel: The prior's kernel.
        X: Encoded records, then the reference, ``(N + 1) x d``.
        origin: Prior covariance of the reference with a target's record at each, of shape ``N``.
        variance: Prior variance of the reference, a scalar tensor.
        weights: Loading times inverse covariance times utilities, of shape ``N``.
        ordered_root: Loading times a square root of what the order explains, ``N x M``.
    """

    kernel: Kernel
    X: Tensor
    origin: Tensor
    variance: Tensor
    weights: Tensor
    ordered_root: Tensor

    @classmethod
    def from_predictor(cls, predictor: Predictor, reference: Tensor) -> Self:
        """Prepare predictions.

        Args:
            predictor: The posterior of utilities.
            reference: One encoded point, of shape ``d``.

        Returns:
            The posterior of differences.
        """
        kernel, row = predictor.kernel, reference.unsqueeze(0)
        return cls(
            kernel=kernel,
            X=torch.cat([predictor.X, row]),
            origin=kernel(row, predictor.X).to_dense()[0],
            variance=kernel(row, diag=True)[0],
            weights=predictor.loading * predictor.weights,
            ordered_root=predictor.loading.unsqueeze(-1) * predictor.ordered_root,
        )

    def moments(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and variance of how much better each point is.

        Args:
            X: Encoded points, ``batch_shape x d``.

        Returns:
            Two tensors of shape ``batch_shape``.
        """
        points = X.reshape(-1, X.shape[-1])
        with lazily_evaluate_kernels(False):  # what is evaluated at once need not wait
            cross, prior = self.kernel(points, self.X).to_dense(), self.kernel(points, diag=True)
        # Derived in docs/derivations.md: of a difference to the reference the level cancels.
        relative = cross[:, :-1] - self.origin
        ordered = relative @ self.ordered_root
        mean = relative @ self.weights
        variance = prior + self.variance - 2.0 * cross[:, -1] - ordered.square().sum(-1)
        return mean.reshape(X.shape[:-1]), variance.reshape(X.shape[:-1])
