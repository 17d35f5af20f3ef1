"""Functions that are known to be draws of a Gaussian process, and what predicted ranks score."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import torch
from gpytorch.kernels import MaternKernel
from torch import Tensor

from botorch_popbo._seeds import derive_seed

#: Probabilities of the central intervals.
LEVELS = (0.5, 0.8, 0.95)
#: No count scores as less probable.
LEAST_PROBABILITY = 1e-6
_NUM_NEW = 200
_JITTER = 1e-9


@dataclass(frozen=True)
class Sample:
    """Observed points and new ones, uniform in the unit cube.

    Attributes:
        X: Observed points, ``N x d``.
        Y: Their outcomes, larger being better, ``N x 1``.
        new_X: New points, ``200 x d``.
        new_value: The function there, of shape ``200``.
        new_outcome: Outcomes there, of shape ``200``.
    """

    X: Tensor
    Y: Tensor
    new_X: Tensor
    new_value: Tensor
    new_outcome: Tensor


def draw(dim: int, num_points: int, variance: float, lengthscale: float, seed: int) -> Sample:
    """Draw a function of unit variance, Matérn 5/2, and observe it with noise.

    A seed gives the same function and the same errors up to their scale whatever the noise.

    Args:
        dim: Number of columns of a point.
        num_points: Number of observed points.
        variance: Variance of the noise.
        lengthscale: Lengthscale of the function, in roots of the dimension.
        seed: Seed of function, points and noise.

    Returns:
        The sample, in double precision.
    """
    generator = torch.Generator().manual_seed(derive_seed(derive_seed(seed, num_points), dim))
    total = num_points + _NUM_NEW
    X = torch.rand(total, dim, generator=generator, dtype=torch.float64)
    normal = torch.randn(2, total, generator=generator, dtype=torch.float64)
    kernel = MaternKernel(nu=2.5).double()
    kernel.lengthscale = lengthscale * math.sqrt(dim)
    with torch.no_grad():
        covariance = kernel(X).to_dense() + _JITTER * torch.eye(total, dtype=torch.float64)
    value = torch.linalg.cholesky(covariance) @ normal[0]
    outcome = value + math.sqrt(variance) * normal[1]
    known, new = slice(num_points), slice(num_points, total)
    return Sample(X[known], outcome[known].unsqueeze(-1), X[new], value[new], outcome[new])


@dataclass(frozen=True)
class Score:
    """How well a law agrees with what came out, on average over points.

    Attributes:
        coverage: Shares of the counts in the central intervals of :data:`LEVELS`.
        log_score: Mean log-probability of the counts, in nats.
    """

    coverage: list[float]
    log_score: float


def score(probability: Tensor, count: Tensor, seed: int) -> Score:
    """Score predicted laws of counts.

    Counts are whole numbers, so that an interval of exactly some probability needs chance: a count
    at its border is in it as often as that takes (randomised probability integral transform).

    Args:
        probability: Probabilities of the counts ``0 .. N``, ``m x (N + 1)``.
        count: What came out, of shape ``m``.
        seed: Seed of that chance.

    Returns:
        The score.
    """
    generator = torch.Generator().manual_seed(seed)
    uniform = torch.rand(len(count), generator=generator, dtype=torch.float64)
    at = count.unsqueeze(-1)
    own = probability.gather(-1, at).squeeze(-1)
    up_to = probability.cumsum(-1).gather(-1, at).squeeze(-1)
    distance = 2.0 * (up_to - uniform * own - 0.5).abs()
    covered = [float((distance <= level).double().mean()) for level in LEVELS]
    return Score(covered, float(own.clamp_min(LEAST_PROBABILITY).log().mean()))


def mean_coverage(coverages: Iterable[list[float]]) -> list[float]:
    """Coverage of each level, averaged over functions."""
    return torch.tensor(list(coverages), dtype=torch.float64).mean(0).tolist()
