"""GP-MLP of the PoPBO paper's appendix: its network with a Gaussian instead of the ranks' law.

Architecture and training are the paper's preset. The network's two outputs are the mean and the
logarithm of the variance of a standardised outcome, which the paper leaves open; expected
improvement chooses the next point.
"""

import itertools

import torch
from botorch.models.model import Model
from torch import Tensor
from torch.nn import Linear, Module, ReLU, Sequential
from torch.nn.functional import gaussian_nll_loss

from botorch_popbo.benchmarks.methods.base import Method
from botorch_popbo.benchmarks.methods.moment_model import MomentModel, standardize
from botorch_popbo.benchmarks.methods.surrogate_loop import SurrogateLoop, features
from botorch_popbo.presets import get_preset
from botorch_popbo.rates.training import train

# Without bounds the variance of a point that is fitted well goes to zero, and its loss to infinity.
_LOG_VARIANCE = (-10.0, 4.0)


class _GaussianMLP(SurrogateLoop):
    def fit(self, X: Tensor, Y: Tensor, seed: int) -> Model:
        preset = get_preset("paper")
        inputs, targets = features(self.encoding, X), standardize(Y).squeeze(-1)
        network = _network((inputs.shape[-1], *preset.hidden_sizes, 2))

        def moments(points: Tensor) -> tuple[Tensor, Tensor]:
            mean, log_variance = network(points).unbind(-1)
            return mean, log_variance.clamp(*_LOG_VARIANCE).exp()

        def loss(batch: Tensor) -> Tensor:
            mean, variance = moments(inputs[batch])
            return gaussian_nll_loss(mean, targets[batch], variance)

        generator = torch.Generator().manual_seed(seed)
        train(list(network.parameters()), loss, len(X), preset, generator)
        network.requires_grad_(False)
        return MomentModel(lambda points: moments(features(self.encoding, points)))


def _network(sizes: tuple[int, ...]) -> Sequential:
    layers: list[Module] = []
    for width_in, width_out in itertools.pairwise(sizes):
        layers += [Linear(width_in, width_out, dtype=torch.float64), ReLU()]
    return Sequential(*layers[:-1])


METHODS = (Method("gp-mlp", "the paper's network with a Gaussian, EI", "gp-mlp", _GaussianMLP),)
