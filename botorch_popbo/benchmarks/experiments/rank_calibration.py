"""Whether predicted ranks are as uncertain as they are said to be."""

import math
from dataclasses import dataclass
from typing import ClassVar

import torch
from gpytorch.kernels import MaternKernel
from torch import Tensor

from botorch_popbo._reproducible import derive_seed, seeded
from botorch_popbo.benchmarks.experiments import rank_models as models
from botorch_popbo.benchmarks.experiments.measured import Measured
from botorch_popbo.benchmarks.run.campaign import Limited
from botorch_popbo.benchmarks.run.keys import Key, replicated
from botorch_popbo.benchmarks.settings import Cell

#: Probabilities of the central intervals.
LEVELS = (0.5, 0.8, 0.95)
#: No count scores as less probable.
LEAST_PROBABILITY = 1e-6
_NUM_NEW = 200
_JITTER = 1e-9
_LENGTHSCALE = 0.3  # of a function, in roots of the dimension


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


def draw(dim: int, num_points: int, variance: float, seed: int) -> Sample:
    """Draw a function of unit variance, Matérn 5/2, and observe it with noise.

    A seed gives the same function and the same errors up to their scale whatever the noise.

    Args:
        dim: Number of columns of a point.
        num_points: Number of observed points.
        variance: Variance of the noise.
        seed: Seed of function, points and noise.

    Returns:
        The sample, in double precision.
    """
    generator = torch.Generator().manual_seed(derive_seed(derive_seed(seed, num_points), dim))
    total = num_points + _NUM_NEW
    X = torch.rand(total, dim, generator=generator, dtype=torch.float64)
    normal = torch.randn(2, total, generator=generator, dtype=torch.float64)
    kernel = MaternKernel(nu=2.5).double()
    kernel.lengthscale = _LENGTHSCALE * math.sqrt(dim)
    with torch.no_grad():
        covariance = kernel(X).to_dense() + _JITTER * torch.eye(total, dtype=torch.float64)
    value = torch.linalg.cholesky(covariance) @ normal[0]
    outcome = value + math.sqrt(variance) * normal[1]
    observed, new = slice(num_points), slice(num_points, total)
    return Sample(X[observed], outcome[observed].unsqueeze(-1), X[new], value[new], outcome[new])


def score(probability: Tensor, count: Tensor, seed: int) -> dict[str, float]:
    """Score predicted laws of counts.

    Counts are whole numbers, so that an interval of exactly some probability needs chance: a count
    at its border is in it as often as that takes (randomised probability integral transform).

    Args:
        probability: Probabilities of the counts ``0 .. N``, ``m x (N + 1)``.
        count: What came out, of shape ``m``.
        seed: Seed of that chance.

    Returns:
        Shares of the counts in the central intervals of :data:`LEVELS`, and as "log score" the
        mean log-probability of the counts, in nats.
    """
    generator = torch.Generator().manual_seed(seed)
    uniform = torch.rand(len(count), generator=generator, dtype=torch.float64)
    at = count.unsqueeze(-1)
    at_count = probability.gather(-1, at).squeeze(-1)
    up_to = probability.cumsum(-1).gather(-1, at).squeeze(-1)
    distance = 2.0 * (up_to - uniform * at_count - 0.5).abs()
    shares = {f"{level:.0%}": float((distance <= level).double().mean()) for level in LEVELS}
    return {**shares, "log score": float(at_count.clamp_min(LEAST_PROBABILITY).log().mean())}


#: By name.
MODELS: dict[str, models.Fit] = {"popbo": models.default, "gp": models.gp}


@dataclass(frozen=True)
class Fit(Cell):
    """One fit to a function of unit variance."""

    dim: int
    num_points: int
    variance: float
    method: str
    seed: int


@dataclass(frozen=True, kw_only=True)
class RankCalibration(Measured[Fit]):
    """Laws of the rank of new points against what came out; for the settings see :class:`Fit`."""

    dims: tuple[int, ...]
    sizes: tuple[int, ...]
    variances: tuple[float, ...]

    keys: ClassVar = {
        **replicated(MODELS),
        "dims": Key(int, (2, 6), lambda dims: dims[:1], least=1),
        "sizes": Key(int, (20, 50, 100), lambda sizes: sizes[:1], least=1),
        "variances": Key(float, (0.0, 0.01, 0.25), lambda values: values[-1:]),
    }
    cell: ClassVar = Fit
    axes: ClassVar = "dims", "sizes", "variances", "methods"
    note: ClassVar = (
        "coverage of central intervals of the ranks of new outcomes and of the values behind them; "
        f"log-probability of these ranks, none counted as less probable than {LEAST_PROBABILITY:g}"
    )

    def measure(self, cell: Fit, limited: Limited) -> dict[str, float]:
        """Fit a model once and score both laws; the global random state stays as it is."""
        sample = draw(cell.dim, cell.num_points, cell.variance, cell.seed)
        with limited(), seeded(cell.seed):
            model = MODELS[cell.method](sample.X, sample.Y, cell.seed)
        numbers: dict[str, float] = {}
        for ranked, truth in (("outcome", sample.new_outcome), ("value", sample.new_value)):
            with limited(), torch.no_grad():
                law = models.rank_law(model, sample.Y, sample.new_X, noisy=ranked == "outcome")
            count = (sample.Y.flatten() > truth.unsqueeze(-1)).sum(-1)
            scored = score(law, count, cell.seed).items()
            numbers |= {f"{ranked} {name}": value for name, value in scored}
        return numbers
