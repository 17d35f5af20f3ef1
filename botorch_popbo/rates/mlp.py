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
from botorch_popbo.optim.training import train
from botorch_popbo.presets import Preset

_LINEAR_BELOW = -40.0


class MLPRate(Module):
    r"""A ReLU network with a positive output: :math:`\lambda(x) = n \, softplus(z(x; \theta))`.

    The paper leaves the positive output open. With a softplus the rank itself grows linearly
    where the network extrapolates; with an exponential it would grow, and shrink, geometrically,
    which sends suggestions to the corners of the domain.

    Initial weights and mini-batches come from a generator of its own, on the CPU whatever the
    device, so one seed gives one network and the global random state is neither read nor moved.

    Args:
        input_dim: Number ``d'`` of encoded inputs.
        preset: Widths of the network and settings of its training.
        seed: Seed of the weights and of the mini-batches.
        dtype: Data type of the weights.
        device: Device of the weights.
    """

    def __init__(
        self,
        input_dim: int,
        preset: Preset,
        seed: int,
        dtype: torch.dtype | None = None,
        device: torch.device | None = None,
    ) -> None:
        super().__init__()
        self.preset = preset
        self.seed = seed
        # An explicit None would leave the weights on the meta device.
        device = torch.get_default_device() if device is None else device
        self.network = _network((input_dim, *preset.hidden_sizes, 1), dtype, device)
        self._reset(torch.Generator().manual_seed(seed))

    def log_rate(self, X: Tensor) -> Tensor:
        """Evaluate the scale-free log-rate.

        Args:
            X: Encoded points, a ``batch_shape x q x d'`` tensor.

        Returns:
            A ``batch_shape x q`` tensor.
        """
        z: Tensor = self.network(X).squeeze(-1)
        # Far below zero softplus(z) is exp(z) and would underflow before its logarithm is taken.
        return torch.where(z < _LINEAR_BELOW, z, softplus(z.clamp_min(_LINEAR_BELOW)).log())

    def fit(self, X: Tensor, counts: Tensor, exposure: Tensor, limit: Tensor) -> None:
        """Maximise the mean log-likelihood of the counts from fresh weights, by ADAM.

        Args:
            X: Encoded points, an ``m x d'`` tensor.
            counts: Numbers of better points, of shape ``m``.
            exposure: Numbers of points compared with, of shape ``m``.
            limit: Largest counts of positive probability, of shape ``m``; ``inf`` for the
                untruncated law.
        """
        generator = torch.Generator().manual_seed(self.seed)
        self._reset(generator)

        def loss(batch: Tensor) -> Tensor:
            log_rate = exposure[batch].log() + self.log_rate(X[batch])
            return -truncated_poisson.log_prob(counts[batch], log_rate, limit[batch]).mean()

        train(list(self.parameters()), loss, X.shape[0], self.preset, generator)

    def _reset(self, generator: torch.Generator) -> None:
        """Draw the weights as ``torch.nn.Linear`` does, from the given generator."""
        for layer in self.network:
            if isinstance(layer, Linear):
                bound = 1.0 / math.sqrt(layer.in_features)
                for parameter in (layer.weight, layer.bias):
                    values = torch.rand(parameter.shape, generator=generator, dtype=torch.float64)
                    parameter.data.copy_(bound * (2.0 * values - 1.0))


def _network(sizes: Sequence[int], dtype: torch.dtype | None, device: torch.device) -> Sequential:
    layers: list[Module] = []
    for width_in, width_out in itertools.pairwise(sizes):
        # skip_init: the usual constructor would draw from the global generator.
        layers += [skip_init(Linear, width_in, width_out, dtype=dtype, device=device), ReLU()]
    return Sequential(*layers[:-1])
