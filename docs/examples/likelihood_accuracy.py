"""How far Laplace's method misses the probability of an order, and whether that moves the maximum.

Run with ``python docs/examples/likelihood_accuracy.py``; a table in Markdown goes to the standard
output. Orders are drawn from the prior. Each is then evaluated on a grid of lengthscales and noise
variances by the package, by the package with a second-order correction, and by importance sampling.
The last column is the share of the grid where the sampled probability has a small error.
"""

import itertools
import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from gpytorch.kernels import MaternKernel
from order_probability import Above, Sampler, second_order
from torch import Tensor

from botorch_popbo.data import Order
from botorch_popbo.likelihoods.comparisons import Comparisons
from botorch_popbo.likelihoods.order import order_utilities
from botorch_popbo.likelihoods.weights import weighted
from botorch_popbo.models._observations.from_order import observations_of

NUMBERS, DIMS, SEEDS = (5, 10, 20, 30), (2, 6), range(3)
LENGTHSCALES = (0.25, 0.5, 1.0, 2.0, 4.0)  # times the root of the dimension
NOISES = (1e-4, 1e-3, 1e-2, 1e-1)
DRAWN_AT = (1.0, 1e-3)
CREDIBLE = 0.3  # standard error in nats


def chain(number: int, seed: int) -> Above:
    """A complete ranking."""
    return [[k - 1] if k else [] for k in range(number)]


def star(number: int, seed: int) -> Above:
    """A best one of all."""
    return [[0] if k else [] for k in range(number)]


def failures(number: int, seed: int) -> Above:
    """A ranking of one half, below whose worst the other half failed."""
    return [[min(k, number // 2) - 1] if k else [] for k in range(number)]


def tree(number: int, seed: int) -> Above:
    """Each is worse than one of the others, drawn at random."""
    draw = torch.rand(number, generator=torch.Generator().manual_seed(seed))
    return [[int(draw[k] * k)] if k else [] for k in range(number)]


def ties(number: int, seed: int) -> Above:
    """A ranking whose middle comes in threes."""
    level = [0] + [1 + k // 3 for k in range(number - 2)]
    level += [level[-1] + 1]
    return [[j for j in range(k) if level[j] == level[k] - 1] for k in range(number)]


SHAPES: dict[str, Callable[[int, int], Above]] = {
    shape.__name__: shape for shape in (chain, star, failures, tree, ties)
}


def places(above: Above) -> Tensor:
    """How many records stand above each on the longest way down to it."""
    depth: list[int] = []
    for better in above:
        depth.append(1 + max((depth[k] for k in better), default=-1))
    return torch.tensor(depth).double()


def as_known(above: Above) -> Comparisons:
    """What the package makes of it."""
    if any(len(better) > 1 for better in above):
        points = torch.arange(len(above)).unsqueeze(-1)
        return observations_of(Order.from_scores(points, -places(above))).comparisons
    better = torch.tensor([better[0] for better in above[1:]])
    return Comparisons.strict(better, torch.arange(1, len(above)))


def covariance(X: Tensor, lengthscale: float, noise: float) -> Tensor:
    """Of the utilities of points, with noise."""
    kernel = MaternKernel(nu=2.5).double()
    kernel.lengthscale = lengthscale * X.shape[-1] ** 0.5
    with torch.no_grad():
        matrix: Tensor = kernel(X).to_dense()
    return matrix + (noise + 1e-8) * torch.eye(len(X)).double()


class Point(NamedTuple):
    """Of a grid: the logarithms of lengthscale and noise, and three log-probabilities."""

    log_lengthscale: float
    log_noise: float
    laplace: float
    corrected: float
    sampled: float
    standard_error: float


def grid(shape: str, number: int, dim: int, seed: int) -> list[Point]:
    """One order at all hyperparameters."""
    generator = torch.Generator().manual_seed(seed)
    X = torch.rand(number, dim, generator=generator, dtype=torch.double)
    normal = torch.randn(number, generator=generator, dtype=torch.double)
    utility = torch.linalg.cholesky(covariance(X, *DRAWN_AT)) @ normal
    X = X[utility.argsort(descending=True)]
    above = SHAPES[shape](number, seed)
    comparisons, start = as_known(above), -places(above)
    points = []
    for lengthscale, noise in itertools.product(LENGTHSCALES, NOISES):
        matrix = covariance(X, lengthscale, noise)
        found = order_utilities(matrix, weighted(comparisons, matrix), start)
        laplace = float(found.log_likelihood)
        corrected = laplace + second_order(found)
        sampled = Sampler(above, matrix, found.utilities).log_probability(seed)
        points.append(Point(math.log(lengthscale), math.log(noise), laplace, corrected, *sampled))
    return points


def compare(points: list[Point], column: int) -> list[float]:
    """Error, its spread, and what its maximum misses of the sampled one, and by how much."""
    values = torch.tensor([p for p in points if p.standard_error < CREDIBLE]).double()
    if len(values) < 2:
        return 5 * [math.nan]
    sampled = values[:, 4]
    error = values[:, column] - sampled
    best, found = values[sampled.argmax()], values[values[:, column].argmax()]
    moved = (found - best)[:2].tolist()
    return [float(error.mean()), float(error.std()), float(best[4] - found[4]), *moved]


def summary(grids: list[list[Point]]) -> str:
    """The average over orders."""
    known = [column for column in (2, 3) if not math.isnan(grids[0][0][column])]
    rows = [[value for k in known for value in compare(points, k)] for points in grids]
    cells = [f"{value:.2f}" for value in torch.tensor(rows).nanmean(0).tolist()]
    share = torch.tensor([[p.standard_error < CREDIBLE for p in points] for points in grids])
    return " | ".join([*cells, *(5 * (2 - len(known)) * ["-"]), f"{share.double().mean():.2f}"])


def main() -> None:
    """Print the table."""
    columns = "error | spread | lost | log lengthscale | log noise"
    print(f"| order | N | d | {columns} | corrected: {columns} | sampled |")
    print("|---" * 14 + "|")
    for shape, number, dim in itertools.product(SHAPES, NUMBERS, DIMS):
        grids = [grid(shape, number, dim, seed) for seed in SEEDS]
        print(f"| {shape} | {number} | {dim} | {summary(grids)} |", flush=True)


if __name__ == "__main__":
    main()
