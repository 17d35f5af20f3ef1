"""What a model asks of a rate."""

from typing import Protocol

from torch import Tensor


class Rate(Protocol):
    r"""A scale-free log-rate :math:`g(x)`, with :math:`\log \lambda(x) = \log n + g(x)`.

    :math:`\lambda` is the rate of a count with exposure :math:`n`, so that lists of different
    length share one :math:`g`. The domain's measure :math:`|X|` of the paper cancels.
    """

    def fit(self, X: Tensor, counts: Tensor, exposure: Tensor, limit: Tensor) -> None:
        """Learn from rank counts.

        Args:
            X: Encoded points, an ``m x d'`` tensor.
            counts: Numbers of better points, of shape ``m``.
            exposure: Numbers of points compared with, of shape ``m``.
            limit: Largest counts of positive probability, of shape ``m``; ``inf`` for the
                untruncated law.
        """
        ...

    def log_rate(self, X: Tensor) -> Tensor:
        """Evaluate ``g``.

        Args:
            X: Encoded points, a ``batch_shape x q x d'`` tensor.

        Returns:
            A ``batch_shape x q`` tensor, differentiable with respect to ``X``.
        """
        ...
