"""The paper's rate: a multi-layer perceptron fitted by maximum likelihood."""

import itertools
import math
from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import Linear, Module, ReLU, Sequential
from torch.nn.functional import softplus
from torch.nn.utils import skip_init

from botorch_popbo.likelihoods import truncated_poisson
from botorch_popbo.posteriors.poisson_rank import PoissonRankPosterior
from botorch_popbo.presets import Preset
from botorch_popbo.rates.training import train

_LINEAR_BELOW = -40.0


class MLPRate(Module):
    r"""A ReLU network with a positive output: :math:`\lambda(x) = n \, softplus(z(x; \theta))`.

    The paper leaves the positive output open. With a softplus the rank itself grows linearly
    where the network extrapolates; with an exponential it would grow, and shrink, geometrically,
    which sends suggestions to the corners of the domain.

    Initial weights and mini-batches come from a generator of its own, on the CPU whatever the
    device, so one seed gives one network and the global random state is neither read nor moved.

    Args:
        X: Encoded points, an ``m x d'`` tensor; the weights take its dtype and device.
        counts: Numbers of better points, of shape ``m``.
        exposure: Numbers of points compared with, of shape ``m``.
        num_points: Number of evaluated points that a new point is ranked among.
        preset: Widths of the network and settings of its training.
        seed: Seed of the weights and of the mini-batches.
    """

    #: Distance, in the unit cube and per root of the dimension, within which a point is known.
    known_radius = 0.02

    X: Tensor
    counts: Tensor
    exposure: Tensor

    def __init__(
        self,
        X: Tensor,
        counts: Tensor,
        exposure: Tensor,
        num_points: int,
        preset: Preset,
        seed: int,
    ) -> None:
        super().__init__()
        self.num_points = num_points
        self.preset = preset
        self.seed = seed
        self.register_buffer("X", X, persistent=False)
        self.register_buffer("counts", counts, persistent=False)
        self.register_buffer("exposure", exposure, persistent=False)
        self.network = _network((X.shape[-1], *preset.hidden_sizes, 1), X.dtype, X.device)
        self._reset(torch.Generator().manual_seed(seed))

    def move(self, X: Tensor) -> None:
        """Replace the encoded points of the records, where the encoding changed.

        Args:
            X: Encoded points, an ``m x d'`` tensor.
        """
        self.X = X

    def rank_posterior(self, X: Tensor, observation_noise: bool = False) -> PoissonRankPosterior:
        """The law of each point's rank among all evaluated points.

        Args:
            X: Encoded points, a ``batch_shape x q x d'`` tensor.
            observation_noise: Has no effect: the law of a count includes its scatter.

        Returns:
            A posterior over counts of shape ``batch_shape x q x 1``, differentiable in ``X``.
        """
        exposure = self.exposure.new_tensor(float(self.num_points))
        log_rate = exposure.log() + self.log_rate(X)
        limit = self._limit(exposure, length=exposure)
        return PoissonRankPosterior(log_rate.unsqueeze(-1), exposure, limit)

    def log_rate(self, X: Tensor) -> Tensor:
        """Evaluate the scale-free log-rate.

        Args:
            X: Encoded points, a ``batch_shape x q x d'`` tensor.

        Returns:
            A ``batch_shape x q`` tensor.
        """
        z: Tensor = self.network(X).squeeze(-1)
        # Far below zero softplus(z) is exp(z) and would underflow before its logarithm is taken.
        return torch.where(z <= _LINEAR_BELOW, z, softplus(z.clamp_min(_LINEAR_BELOW)).log())

    def fit(self) -> None:
        """Maximise the mean log-likelihood of the counts from fresh weights, by ADAM."""
        generator = torch.Generator().manual_seed(self.seed)
        self._reset(generator)
        log_exposure, limit = self._log_exposure_and_limit()

        def loss(batch: Tensor) -> Tensor:
            # Not the negative mean log-likelihood, but with its gradient: a log-probability changes
            # with the log-rate by the count less its mean, which takes less time to compute.
            log_rate = log_exposure[batch] + self.log_rate(self.X[batch])
            with torch.no_grad():
                slope = truncated_poisson.mean(log_rate, limit[batch]) - self.counts[batch]
            return (slope * log_rate).mean()

        train(list(self.parameters()), loss, len(self.X), self.preset, generator)

    def log_likelihood(self) -> Tensor:
        """Sum of the log-probabilities of the counts, a scalar in nats."""
        log_exposure, limit = self._log_exposure_and_limit()
        log_rate = log_exposure + self.log_rate(self.X)
        return truncated_poisson.log_prob(self.counts, log_rate, limit).sum()

    def _log_exposure_and_limit(self) -> tuple[Tensor, Tensor]:
        return self.exposure.log(), self._limit(self.exposure, length=self.exposure + 1.0)

    def _limit(self, exposure: Tensor, length: Tensor) -> Tensor:
        """The largest counts of positive probability; infinite for the untruncated law."""
        return torch.where(length >= self.preset.untruncated_from, torch.inf, exposure)

    def _reset(self, generator: torch.Generator) -> None:
        """Draw the weights as ``torch.nn.Linear`` does, from the given generator."""
        for layer in self.network:
            if isinstance(layer, Linear):
                bound = 1.0 / math.sqrt(layer.in_features)
                for parameter in (layer.weight, layer.bias):
                    values = torch.rand(parameter.shape, generator=generator, dtype=torch.float64)
                    parameter.data.copy_(bound * (2.0 * values - 1.0))


def _network(sizes: Sequence[int], dtype: torch.dtype, device: torch.device) -> Sequential:
    layers: list[Module] = []
    for width_in, width_out in itertools.pairwise(sizes):
        # skip_init: the usual constructor would draw from the global generator.
        layers += [skip_init(Linear, width_in, width_out, dtype=dtype, device=device), ReLU()]
    return Sequential(*layers[:-1])
