"""The paper's network, from which the log-rate of a point comes, and its training."""

import itertools
import math
from typing import Self

import torch
from botorch.utils.safe_math import log_softplus
from torch import Tensor
from torch.nn import Linear, Module, ReLU, Sequential
from torch.nn.utils import skip_init
from torch.optim.lr_scheduler import StepLR

from botorch_popbo.paper import truncated_poisson
from botorch_popbo.settings import PaperSettings

# Torch's default. In float64 a step takes half as long again.
_TRAINING_DTYPE = torch.float32


class NetworkRate(Module):
    r"""A ReLU network with a positive output: :math:`\lambda(x) = n \, softplus(z(x; \theta))`.

    :math:`\lambda` is the rate of a count with exposure :math:`n`, so that lists of different
    length share one network. The paper has the domain's measure :math:`|X|` in place of :math:`n`.

    The paper leaves the positive output open. With a softplus the rank itself grows linearly
    where the network extrapolates; with an exponential it would grow, and shrink, geometrically,
    which sends suggestions to the corners of the domain.

    Training is in float32; everything else has the dtype of the data. Initial weights and
    mini-batches come from a generator of its own, on the CPU whatever the device, so one seed gives
    one network and the global random state is neither read nor moved.

    Args:
        dim: Number of columns of an encoded point.
        settings: Widths of the hidden layers, and steps of the training.
    """

    def __init__(self, dim: int, settings: PaperSettings) -> None:
        super().__init__()
        self.num_steps = settings.num_steps
        layers: list[Module] = []
        for width_in, width_out in itertools.pairwise((dim, *settings.hidden_sizes, 1)):
            # skip_init: the usual constructor would draw from the global generator.
            layers += [skip_init(Linear, width_in, width_out), ReLU()]
        self.network = Sequential(*layers[:-1])
        self._draw_weights(torch.Generator().manual_seed(0))

    def forward(self, X: Tensor) -> Tensor:
        r"""The scale-free log-rate :math:`g(x)`, with :math:`\log \lambda(x) = \log n + g(x)`.

        Args:
            X: Encoded points, a ``batch_shape x q x d'`` tensor.

        Returns:
            A ``batch_shape x q`` tensor.
        """
        return log_softplus(self.network(X).squeeze(-1))

    def fit(
        self,
        X: Tensor,
        counts: Tensor,
        exposure: Tensor,
        limit: Tensor,
        seed: int,
        start: Self | None = None,
    ) -> None:
        """Maximise the mean log-likelihood of the counts.

        Args:
            X: Encoded points, an ``m x d'`` tensor.
            counts: Numbers of better points, of shape ``m``.
            exposure: Numbers of points compared with, or what stands for them, of shape ``m``.
            limit: Largest counts of positive probability, of shape ``m``; infinite for the
                untruncated law.
            seed: Seed of weights and mini-batches.
            start: A network whose weights the training begins with; by default they are fresh.
        """
        generator = torch.Generator().manual_seed(seed)
        if start is None:
            self._draw_weights(generator)
        else:
            self.load_state_dict(start.state_dict())
        self.to(_TRAINING_DTYPE)
        inputs, log_exposure = X.to(_TRAINING_DTYPE), exposure.double().log()
        # Rates, periods and the size of a batch are the paper's.
        optimizer = torch.optim.Adam(self.parameters(), lr=0.01, fused=True)
        schedule = StepLR(optimizer, step_size=30, gamma=0.2)
        batch = torch.arange(len(X), device=X.device)
        for _ in range(self.num_steps):
            if len(X) > 64:
                batch = torch.randperm(len(X), generator=generator)[:64].to(X.device)
            optimizer.zero_grad()
            with torch.enable_grad():
                output = self.network(inputs[batch]).squeeze(-1).double()
                log_rate = log_exposure[batch] + log_softplus(output)
                log_prob = truncated_poisson.log_prob(counts[batch], log_rate, limit[batch])
                (-log_prob.mean()).backward()
            optimizer.step()
            schedule.step()
        # A model with gradients cannot be compared, and would be twice as large.
        optimizer.zero_grad()
        self.to(X.dtype)

    def _draw_weights(self, generator: torch.Generator) -> None:
        """Draw the weights as ``torch.nn.Linear`` does, from the given generator."""
        for layer in self.network:
            if isinstance(layer, Linear):
                bound = 1.0 / math.sqrt(layer.in_features)
                for parameter in (layer.weight, layer.bias):
                    values = torch.rand(parameter.shape, generator=generator, dtype=torch.float64)
                    parameter.data.copy_(bound * (2.0 * values - 1.0))
