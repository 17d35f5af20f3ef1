"""How far Laplace's method misses the probability of an order, and whether that moves the maximum.

Run with ``python docs/examples/likelihood_accuracy.py``; a table in Markdown goes to the standard
output. Orders are drawn from the prior. Each is then evaluated on a grid of lengthscales and noise
variances by the package, by the package with a second-order correction, and by importance sampling,
whose own error is the last column.
"""

import itertools
import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from gpytorch.kernels import MaternKernel
from order_probability import Above, Sampler
from torch import Tensor

from botorch_popbo.data import Order
from botorch_popbo.likelihoods.order import OrderedUtilities, order_utilities
from botorch_popbo.likelihoods.relations import Relations
from botorch_popbo.models._records import Records

NUMBERS, DIMS, SEEDS = (5, 10, 20, 30), (2, 6), range(3)
LENGTHSCALES = (0.25, 0.5, 1.0, 2.0, 4.0)  # times the root of the dimension
NOISES = (1e-4, 1e-3, 1e-2, 1e-1)
DRAWN_AT = (1.0, 1e-3)


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


def as_known(above: Above) -> Relations:
    """What the package makes of it."""
    if any(len(better) > 1 for better in above):
        depth: list[int] = []
        for better in above:
            depth.append(1 + depth[better[0]] if better else 0)
        score = -torch.tensor(depth).double()
        order = Order.from_scores(torch.arange(len(above)).unsqueeze(-1), score)
        return Records.from_order(order).relations
    better = torch.tensor([better[0] for better in above[1:]])
    return Relations.strict(better, torch.arange(1, len(above)))


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


def second_order(found: OrderedUtilities) -> float:
    """What the third and fourth derivatives in the logarithms of the gaps add.

    The log-density of gaps ``d exp(v)`` is ``-exp(v)' P exp(v) / 2 + sum(v)``; intervals are another
    matter.
    """
    relations, gaps = found.relations, found.differences
    if not torch.equal(relations.other_side, torch.arange(len(relations))):
        return math.nan
    precision = torch.cholesky_inverse(found.prior_factor)
    precision = gaps.unsqueeze(-1) * precision * gaps
    eye = torch.eye(len(gaps)).to(gaps)
    spread = torch.linalg.inv(precision + eye)
    own, rest = spread.diagonal(), eye - spread
    of_pairs = own.unsqueeze(-1) + own + 2.0 * spread
    slope = (precision * of_pairs).sum(-1)
    fourth = -0.5 * (precision * of_pairs.square()).sum()
    third = spread**3 + 3.0 * spread**2 * (precision + rest) + 6.0 * spread * rest**2
    return float(fourth / 8.0 + slope @ spread @ slope / 8.0 + third.sum() / 12.0)


def grid(shape: str, number: int, dim: int, seed: int) -> list[Point]:
    """One order at all hyperparameters."""
    generator = torch.Generator().manual_seed(seed)
    X = torch.rand(number, dim, generator=generator, dtype=torch.double)
    normal = torch.randn(number, generator=generator, dtype=torch.double)
    utility = torch.linalg.cholesky(covariance(X, *DRAWN_AT)) @ normal
    X = X[utility.argsort(descending=True)]
    above = SHAPES[shape](number, seed)
    relations = as_known(above)
    depth = torch.zeros(number).double()
    for k, better in enumerate(above):
        depth[k] = 1.0 + max((float(depth[j]) for j in better), default=0.0)
    start = -depth
    points = []
    for lengthscale, noise in itertools.product(LENGTHSCALES, NOISES):
        matrix = covariance(X, lengthscale, noise)
        found = order_utilities(matrix, relations, start)
        laplace = float(found.log_likelihood)
        corrected = laplace + second_order(found)
        sampled = Sampler(above, matrix, found.utilities).log_probability(seed)
        points.append(Point(math.log(lengthscale), math.log(noise), laplace, corrected, *sampled))
    return points


def summary(grids: list[list[Point]]) -> str:
    """Error, its spread within an order, and what its maximum misses; then the same corrected."""
    values = torch.tensor(grids).double()  # orders x points x columns
    sampled = values[..., 4]
    order = torch.arange(len(values))
    at_best = values[order, sampled.argmax(-1)]
    cells = []
    for column in (2, 3):
        error = values[..., column] - sampled
        found = values[order, values[..., column].argmax(-1)]
        lost = (at_best[:, 4] - found[:, 4]).mean()
        moved = (found - at_best)[:, :2].mean(0)
        if error.isnan().any():
            cells += 5 * ["-"]
            continue
        cells += [f"{error.mean():.2f}", f"{error.std(-1).mean():.2f}", f"{lost:.2f}"]
        cells += [f"{moved[0]:+.2f}", f"{moved[1]:+.1f}"]
    return " | ".join([*cells, f"{values[..., 5].mean():.3f}"])


def main() -> None:
    """Print the table."""
    columns = "error | spread | lost | log lengthscale | log noise"
    print(f"| order | N | d | {columns} | corrected: {columns} | sampling |")
    print("|---" * 14 + "|")
    for shape, number, dim in itertools.product(SHAPES, NUMBERS, DIMS):
        grids = [grid(shape, number, dim, seed) for seed in SEEDS]
        print(f"| {shape} | {number} | {dim} | {summary(grids)} |", flush=True)


if __name__ == "__main__":
    main()
