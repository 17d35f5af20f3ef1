"""What all posteriors over rank counts share."""

from abc import ABC, abstractmethod

import torch
from botorch.posteriors import Posterior
from torch import Tensor


class RankPosterior(Posterior, ABC):
    """The law of how many of the evaluated points are better than each of ``q`` points.

    Counts are in ranks and smaller is better: 0 is better than everything evaluated. A subclass
    supplies, besides the members below, ``rsample`` and ``rsample_from_base_samples`` of
    :class:`~botorch.posteriors.Posterior`.

    Attributes:
        exposure: Number of evaluated points that a new point is compared with, a scalar tensor.
        log_rate: Logarithm of the predicted rate at the exposure, ``batch_shape x q x 1``.
        parameters: What the law of each point is made of, ``batch_shape x q x K``.
    """

    exposure: Tensor
    log_rate: Tensor
    parameters: Tensor
    batch_range = (0, -2)  # of the base samples

    def __repr__(self) -> str:
        """Where it is, and of a few points the expected counts with their deviations."""
        with torch.no_grad():
            mean, deviation = self.mean.flatten(), self.variance.sqrt().flatten()
        shape = " x ".join(map(str, self.mean.shape))
        text = f"{type(self).__name__}({shape}, counts among {float(self.exposure):g} points"
        if mean.numel() > 8:  # the numbers would fill a page
            return f"{text}, mean from {float(mean.min()):.3g} to {float(mean.max()):.3g})"
        pairs = zip(mean.tolist(), deviation.tolist(), strict=True)
        return f"{text}: {', '.join(f'{m:.3g} ± {s:.2g}' for m, s in pairs)})"

    @property
    @abstractmethod
    def mean(self) -> Tensor:
        """Expected counts, ``batch_shape x q x 1``, in ranks."""

    @property
    @abstractmethod
    def variance(self) -> Tensor:
        """Variances of the counts, ``batch_shape x q x 1``, in squared ranks."""

    @abstractmethod
    def log_prob(self, value: Tensor) -> Tensor:
        """Log-probabilities of counts.

        Args:
            value: Counts, broadcastable with ``batch_shape x q x 1``.

        Returns:
            Log-probabilities of the broadcast shape; minus infinity outside the support.
        """

    @abstractmethod
    def cdf(self, value: Tensor) -> Tensor:
        """Probabilities of at most so many better points.

        Args:
            value: Counts, broadcastable with ``batch_shape x q x 1``.

        Returns:
            Probabilities of the broadcast shape.
        """

    @abstractmethod
    def quantile(self, value: Tensor) -> Tensor:
        """Smallest counts whose distribution function reaches the given probabilities.

        Args:
            value: Probabilities, one-dimensional or a scalar, of shape ``m`` or empty.

        Returns:
            Numbers of shape ``m x batch_shape x q x 1``, without ``m`` for a scalar.

        Raises:
            ValueError: If a probability is out of range.
        """

    @abstractmethod
    def sample(self, sample_shape: torch.Size | None = None) -> Tensor:
        """Draw counts, without gradients, from torch's global generator.

        Args:
            sample_shape: Shape of the draws.

        Returns:
            A ``sample_shape x batch_shape x q x 1`` tensor of whole numbers, in ranks.
        """

    @property
    def device(self) -> torch.device:
        """Device of the law."""
        return self.parameters.device

    @property
    def dtype(self) -> torch.dtype:
        """Data type of the law."""
        return self.parameters.dtype

    @property
    def base_sample_shape(self) -> torch.Size:
        """Shape of the base samples of one draw, ``batch_shape x q x 1``."""
        return torch.Size((*self.parameters.shape[:-1], 1))

    def _in_front(self, value: Tensor) -> Tensor:
        """Probabilities as a quantile compares them: BoTorch stacks several before the batch."""
        if not bool(((value >= 0.0) & (value <= 1.0)).all()):
            raise ValueError("Probabilities must be between 0 and 1: pass 0.9 for 90%.")
        return value.reshape(*value.shape, *(1 for _ in self.base_sample_shape))

    def _extended_shape(self, sample_shape: torch.Size = torch.Size()) -> torch.Size:  # noqa: B008
        return torch.Size((*sample_shape, *self.base_sample_shape))
