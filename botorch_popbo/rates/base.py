"""What a model asks of a rate."""

from collections.abc import Callable
from typing import Protocol

from torch import Tensor

from botorch_popbo.posteriors.rank import RankPosterior


class Rate(Protocol):
    r"""A scale-free log-rate :math:`g(x)`, with :math:`\log \lambda(x) = \log n + g(x)`.

    :math:`\lambda` is the rate of a count with exposure :math:`n`, so that lists of different
    length share one :math:`g`. The domain's measure :math:`|X|` of the paper cancels. A rate is
    built with the records it learns from: encoded points, counts and exposures.

    Attributes:
        known_radius: Distance, in the unit cube and per root of the dimension, within which the
            acquisition functions take a point for known. Without epistemic uncertainty it has to
            be large, or the best point would be suggested for ever.
    """

    known_radius: float

    def move(self, X: Tensor) -> None:
        """Replace the encoded points of the records, where the encoding changed.

        Args:
            X: Encoded points, an ``m x d'`` tensor.
        """
        ...

    def fit(self) -> None:
        """Learn from the rank counts."""
        ...

    def log_likelihood(self) -> Tensor:
        """What :meth:`fit` maximises over the parameters, a scalar in nats."""
        ...

    def rank_posterior(self, X: Tensor, observation_noise: bool = False) -> RankPosterior:
        """The law of each point's rank among all evaluated points.

        Args:
            X: Encoded points, a ``batch_shape x q x d'`` tensor.
            observation_noise: Whether the rank is that of a noisy outcome at the point.

        Returns:
            A posterior over counts of shape ``batch_shape x q x 1``, differentiable in ``X``.
        """
        ...


#: Builds an untrained rate from encoded points ``m x d'``, counts and exposures of shape ``m``, and
#: the number of evaluated points that a new point is ranked among.
RateFactory = Callable[[Tensor, Tensor, Tensor, int], Rate]
