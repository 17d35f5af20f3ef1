"""The probability of an order by importance sampling, and what a second order adds to Laplace's."""

import math

import torch
from botorch.utils.sampling import draw_sobol_samples
from scipy.special import ndtri_exp
from torch import Tensor
from torch.special import log_ndtr

from botorch_popbo.likelihoods.order import OrderedUtilities

#: For each record, best first, those that are known to be better.
Above = list[list[int]]

_NUM_DRAWS = 4096


class Sampler:
    """Importance sampling of the probability that every record is worse than those above it.

    Records are drawn one after another, each from its normal law given those before, cut off at the
    worst of those above it (Genz, 1992) and tilted by a shift (Botev, 2017). The shift starts where
    a guess of the utilities is the mean, and is then fitted to weighted draws.

    Args:
        above: The order; records above come before those below.
        matrix: Covariance of the utilities, ``N x N``.
        guess: Utilities in order, of shape ``N``.
    """

    def __init__(self, above: Above, matrix: Tensor, guess: Tensor) -> None:
        self.above, self.factor = above, torch.linalg.cholesky(matrix)
        draw = torch.linalg.solve_triangular(self.factor, guess.unsqueeze(-1), upper=False)
        draw = draw.squeeze(-1)
        rest = guess - self.factor.diagonal() * draw
        self.shift = draw.clone()
        for k, better in enumerate(above):
            if better:
                bound = (guess[better].min() - rest[k]) / self.factor[k, k]
                self.shift[k] = _shift_to(draw[k], bound)

    def log_weights(self, uniform: Tensor) -> tuple[Tensor, Tensor]:
        """Draws before correlation, and the logarithms of their weights."""
        draws, values = torch.zeros_like(uniform), torch.zeros_like(uniform)
        weights = torch.zeros(len(uniform)).double()
        for k, better in enumerate(self.above):
            mean = draws[:, :k] @ self.factor[k, :k]
            log_mass = torch.zeros_like(weights)
            if better:
                bound = (values[:, better].amin(-1) - mean) / self.factor[k, k]
                log_mass = log_ndtr(bound - self.shift[k])
            normal = torch.from_numpy(ndtri_exp((log_mass + uniform[:, k].log()).numpy()))
            draws[:, k] = normal + self.shift[k]
            values[:, k] = mean + self.factor[k, k] * draws[:, k]
            weights += log_mass + self.shift[k] * (0.5 * self.shift[k] - draws[:, k])
        return draws, weights

    def log_probability(self, seed: int, rounds: int = 6, parts: int = 4) -> tuple[float, float]:
        """The estimate and its standard error, in nats."""
        for step in range(rounds):
            draws, weights = self.log_weights(self._uniform(seed + step))
            share = weights.softmax(0)
            while 1.0 / share.square().sum() < 0.02 * len(share):
                weights = 0.7 * weights
                share = weights.softmax(0)
            self.shift = self.shift + share @ draws - draws.mean(0)
        found = torch.stack(
            [self.log_weights(self._uniform(seed + rounds + part))[1] for part in range(parts)]
        )
        found = found.logsumexp(-1) - math.log(_NUM_DRAWS)
        estimate = found.logsumexp(0) - math.log(parts)
        return float(estimate), float((found - estimate).exp().std()) / math.sqrt(parts)

    def _uniform(self, seed: int) -> Tensor:
        bounds = torch.tensor([[0.0], [1.0]]).double().expand(2, len(self.above))
        sample: Tensor = draw_sobol_samples(bounds, _NUM_DRAWS, 1, seed=seed).squeeze(1)
        return sample.clamp(1e-12, 1.0 - 1e-12)


def _shift_to(mean: Tensor, bound: Tensor) -> Tensor:
    """The shift at which a normal variable below a bound has some mean."""
    low, high = mean.clone(), mean + 1e3
    for _ in range(60):
        middle = 0.5 * (low + high)
        score = bound - middle
        log_density = -0.5 * (score.square() + math.log(2.0 * math.pi))
        is_low = middle - (log_density - log_ndtr(score)).exp() < mean
        low, high = torch.where(is_low, middle, low), torch.where(is_low, high, middle)
    return middle


def second_order(found: OrderedUtilities) -> float:
    """What the third and fourth derivatives in the logarithms of the gaps add.

    The log-density of gaps ``d exp(v)`` is ``-exp(v)' P exp(v) / 2 + sum(v)``; that of intervals,
    and of comparisons that count less than one, is another matter.
    """
    comparisons, gaps = found.comparisons, found.gaps
    if bool(comparisons.is_side.any() or (comparisons.weight < 1.0).any()):
        return math.nan
    precision = torch.cholesky_inverse(torch.linalg.cholesky(found.prior))
    precision = gaps.unsqueeze(-1) * precision * gaps
    eye = torch.eye(len(gaps)).to(gaps)
    spread = torch.linalg.inv(precision + eye)
    own, rest = spread.diagonal(), eye - spread
    of_pairs = own.unsqueeze(-1) + own + 2.0 * spread
    slope = (precision * of_pairs).sum(-1)
    fourth = -0.5 * (precision * of_pairs.square()).sum()
    third = spread**3 + 3.0 * spread**2 * (precision + rest) + 6.0 * spread * rest**2
    return float(fourth / 8.0 + slope @ spread @ slope / 8.0 + third.sum() / 12.0)
