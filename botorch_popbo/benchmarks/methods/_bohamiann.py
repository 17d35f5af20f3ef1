"""BOHAMIANN: a Bayesian network by SGHMC, Springenberg et al. (2016).

The sampler and network of the package ``pybnn``, with its defaults but for two, written here
because that package is no longer maintained: three layers of 50 tanh units, one noise variance,
batches of 20. It takes 3000 steps of burn-in and 10,000 more and keeps every hundredth; here there
are 1500 and 1500, of which every fiftieth is kept. Its latest version leaves out the prior of the
weights; here it is the standard normal one, without which predictions are worse. As there, the
sampler takes off the noise of small batches even where a batch is all there is, so that the
networks differ less than their posterior says. Expected improvement of the networks' mean, with
their variance, chooses the next point.
"""

import itertools
import math
from collections.abc import Sequence

import torch
from botorch.models.model import Model
from torch import Tensor

from botorch_popbo.benchmarks.methods._search import features
from botorch_popbo.benchmarks.methods._surrogates import (
    MomentModel,
    SurrogateOptimizer,
    standardize,
)

_HIDDEN = (50, 50, 50)
_BATCH_SIZE = 20
_BURN_IN, _STEPS, _KEEP_EVERY = 1500, 1500, 50
_LEARNING_RATE, _DECAY, _EPSILON = 0.1, 0.05, 1e-16


def initial_weights(sizes: Sequence[int]) -> Tensor:
    """A random vector: of each layer the weights, row by row, and biases; the log noise variance.

    ``sizes`` are the widths of all layers, input and output included.
    """
    pieces = []
    for width_in, width_out in itertools.pairwise(sizes):
        weights = torch.randn(width_in * width_out, dtype=torch.float64)
        pieces += [weights / math.sqrt(width_in), weights.new_zeros(width_out)]
    return torch.cat([*pieces, torch.tensor([math.log(1e-3)], dtype=torch.float64)])


def predict(weights: Tensor, sizes: Sequence[int], X: Tensor) -> Tensor:
    """Outputs of networks with ``K x p`` or ``p`` weights at ``n x d`` points: ``[K x] n``."""
    hidden, start = X, 0
    for width_in, width_out in itertools.pairwise(sizes):
        end = start + width_in * width_out
        matrix = weights[..., start:end].unflatten(-1, (width_in, width_out))
        bias = weights[..., end : end + width_out].unsqueeze(-2)
        hidden = hidden.tanh() if start else hidden
        hidden, start = hidden @ matrix + bias, end + width_out
    return hidden.squeeze(-1)


def sample_networks(X: Tensor, y: Tensor, sizes: Sequence[int]) -> Tensor:
    """Draw networks from their posterior by adaptive SGHMC, a vector of weights per row.

    Points, ``N x d``, and outcomes, of shape ``N``, are standardised.
    """
    weights = initial_weights(sizes).requires_grad_()
    momentum = torch.zeros_like(weights)
    window, mean, square = (torch.ones_like(weights) for _ in range(3))
    precision = torch.ones_like(momentum)
    precision[-1] = 0.0  # the noise variance has a flat prior
    rate, kept = _LEARNING_RATE**2, []
    for step in range(_BURN_IN + _STEPS):
        batch = torch.randperm(len(X))[:_BATCH_SIZE] if len(X) > _BATCH_SIZE else slice(None)
        with torch.enable_grad():
            log_variance = weights[-1]
            error = (predict(weights, sizes, X[batch]) - y[batch]).square().mean()
            loss = 0.5 * (error / (log_variance.exp() + _EPSILON) + log_variance)
            (slope,) = torch.autograd.grad(loss, weights)
        gradient = len(X) * slope + precision * weights.detach()
        if step < _BURN_IN:
            share = 1.0 / (window + 1.0)
            window = window + 1.0 - window * mean.square() / (square + _EPSILON)
            mean = mean + share * (gradient - mean)
            square = square + share * (gradient.square() - square)
        scale = 1.0 / (square.sqrt() + _EPSILON)
        noise = (2.0 * rate * _DECAY * scale - rate**2).clamp_min(_EPSILON).sqrt()
        kick = noise * torch.randn_like(momentum)
        momentum = (1.0 - _DECAY) * momentum - rate * scale * gradient + kick
        weights.data.add_(momentum)
        if step >= _BURN_IN and (step - _BURN_IN + 1) % _KEEP_EVERY == 0:
            kept.append(weights.detach().clone())
    return torch.stack(kept)


class Bohamiann(SurrogateOptimizer):
    max_candidates = 10_000  # every network predicts every candidate

    def fit(self, X: Tensor, Y: Tensor, seed: int) -> Model:
        inputs = features(self.encoding, X)
        deviation = inputs.std(0, correction=0)
        shift, scale = inputs.mean(0), torch.where(deviation > 0, deviation, 1.0)
        sizes = (inputs.shape[-1], *_HIDDEN, 1)
        networks = sample_networks((inputs - shift) / scale, standardize(Y).squeeze(-1), sizes)

        def moments(points: Tensor) -> tuple[Tensor, Tensor]:
            inputs = (features(self.encoding, points) - shift) / scale
            outputs = predict(networks, sizes, inputs.flatten(0, -2))
            outputs = outputs.unflatten(-1, inputs.shape[:-1])
            return outputs.mean(0), outputs.var(0, correction=0) + _EPSILON

        return MomentModel(moments)
