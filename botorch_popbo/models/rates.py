"""Where the log-rate of a point comes from: the paper's network, or a rate of your own."""

import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import partial

import torch
from torch import Tensor
from torch.nn import Linear, Module, ReLU, Sequential
from torch.nn.functional import softplus
from torch.nn.utils import skip_init

from botorch_popbo.likelihoods import truncated_poisson
from botorch_popbo.models._backpropagation import gradients
from botorch_popbo.models._training import train

_LINEAR_BELOW = -40.0
# Torch's default. In float64 a step takes half as long again.
_TRAINING_DTYPE = torch.float32


class Rate(Module, ABC):
    r"""A scale-free log-rate :math:`g(x)`, with :math:`\log \lambda(x) = \log n + g(x)`.

    :math:`\lambda` is the rate of a count with exposure :math:`n`, so that lists of different
    length share one :math:`g`. The domain's measure :math:`|X|` of the paper cancels.

    Attributes:
        known_radius: Distance, in the unit cube and per root of the dimension, within which the
            acquisition functions take a point for known. Without uncertainty it has to be large, or
            the best point would be suggested for ever.
    """

    known_radius: float = 0.02

    @abstractmethod
    def fit(self, X: Tensor, counts: Tensor, exposure: Tensor, limit: Tensor, seed: int) -> None:
        """Learn from rank counts, starting anew.

        Args:
            X: Encoded points, an ``m x d'`` tensor.
            counts: Numbers of better points, of shape ``m``.
            exposure: Numbers of points compared with, of shape ``m``.
            limit: Largest counts of positive probability, of shape ``m``; infinite for the
                untruncated law.
            seed: Seed of whatever is random.
        """

    @abstractmethod
    def forward(self, X: Tensor) -> Tensor:
        """Evaluate the log-rate.

        Args:
            X: Encoded points, a ``batch_shape x q x d'`` tensor.

        Returns:
            A ``batch_shape x q`` tensor, differentiable in ``X``.
        """


#: Builds an untrained rate for points of so many columns.
RateFactory = Callable[[int], Rate]


class MLPRate(Rate):
    r"""A ReLU network with a positive output: :math:`\lambda(x) = n \, softplus(z(x; \theta))`.

    The paper leaves the positive output open. With a softplus the rank itself grows linearly
    where the network extrapolates; with an exponential it would grow, and shrink, geometrically,
    which sends suggestions to the corners of the domain. All defaults are those of Wang et al.
    (2023), section 4 "Settings" and appendix B.

    Training is in float32; everything else has the dtype of the data.

    Initial weights and mini-batches come from a generator of its own, on the CPU whatever the
    device, so one seed gives one network and the global random state is neither read nor moved.

    Args:
        dim: Number of columns of an encoded point.
        hidden_sizes: Widths of the hidden layers.
        num_steps: Number of ADAM steps.
        batch_size: Observations per step, drawn without replacement; fewer records are all used in
            every step.
        learning_rate: Initial learning rate of ADAM.
        learning_rate_factor: Factor on the learning rate every ``learning_rate_period`` steps.
        learning_rate_period: Steps between two reductions of the learning rate.

    Example:
        >>> PoissonRankModel(train_X, train_Y, rate=partial(MLPRate, num_steps=200))
    """

    def __init__(
        self,
        dim: int,
        hidden_sizes: Sequence[int] = (128, 128, 128),
        num_steps: int = 100,
        batch_size: int = 64,
        learning_rate: float = 0.01,
        learning_rate_factor: float = 0.2,
        learning_rate_period: int = 30,
    ) -> None:
        super().__init__()
        self.num_steps = num_steps
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.learning_rate_factor = learning_rate_factor
        self.learning_rate_period = learning_rate_period
        layers: list[Module] = []
        for width_in, width_out in itertools.pairwise((dim, *hidden_sizes, 1)):
            # skip_init: the usual constructor would draw from the global generator.
            layers += [skip_init(Linear, width_in, width_out), ReLU()]
        self.network = Sequential(*layers[:-1])
        self._reset(torch.Generator().manual_seed(0))

    def forward(self, X: Tensor) -> Tensor:
        """See the base class."""
        return _log_softplus(self.network(X).squeeze(-1))

    def fit(self, X: Tensor, counts: Tensor, exposure: Tensor, limit: Tensor, seed: int) -> None:
        """Maximise the mean log-likelihood of the counts from fresh weights, by ADAM."""
        generator = torch.Generator().manual_seed(seed)
        self._reset(generator)
        self.to(_TRAINING_DTYPE)
        inputs, log_exposure = X.to(_TRAINING_DTYPE), exposure.log()

        def slope(batch: Tensor, output: Tensor) -> Tensor:
            # A log-probability changes with the log-rate by the count less its mean.
            z = output.to(log_exposure)
            log_rate = log_exposure[batch] + _log_softplus(z)
            excess = truncated_poisson.mean(log_rate, limit[batch]) - counts[batch]
            return excess * _log_softplus_slope(z) / len(batch)

        def batch_gradients(batch: Tensor) -> list[Tensor]:
            return gradients(self._layers, inputs[batch], partial(slope, batch))

        train(
            list(self.parameters()),
            batch_gradients,
            len(X),
            generator,
            num_steps=self.num_steps,
            batch_size=self.batch_size,
            learning_rate=self.learning_rate,
            learning_rate_factor=self.learning_rate_factor,
            learning_rate_period=self.learning_rate_period,
        )
        self.to(X.dtype)

    def _reset(self, generator: torch.Generator) -> None:
        """Draw the weights as ``torch.nn.Linear`` does, from the given generator."""
        for layer in self._layers:
            bound = 1.0 / math.sqrt(layer.in_features)
            for parameter in (layer.weight, layer.bias):
                values = torch.rand(parameter.shape, generator=generator, dtype=torch.float64)
                parameter.data.copy_(bound * (2.0 * values - 1.0))

    @property
    def _layers(self) -> list[Linear]:
        return [layer for layer in self.network if isinstance(layer, Linear)]


def _log_softplus(z: Tensor) -> Tensor:
    # Far below zero softplus(z) is exp(z) and would underflow before its logarithm is taken.
    return torch.where(z <= _LINEAR_BELOW, z, softplus(z.clamp_min(_LINEAR_BELOW)).log())


def _log_softplus_slope(z: Tensor) -> Tensor:
    z = z.clamp_min(_LINEAR_BELOW)
    return z.sigmoid() / softplus(z)
