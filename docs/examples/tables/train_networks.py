"""The trainings behind the tables of ``mlp.npz``.

Networks of one shape and batch size are trained side by side, one for each rate, decay and split:
a matrix product for all of them takes hardly longer than that of one.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, product
from math import sqrt
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from grids import MLP_GRID, pack
from sklearn import datasets
from torch import Tensor
from torch.nn.functional import cross_entropy
from tqdm.auto import tqdm

from botorch_popbo._reproducible import derive_seed
from botorch_popbo.benchmarks.data.sources import MLP
from botorch_popbo.benchmarks.data.table import Arrays, Choices

_NUM_EPOCHS, _REPLICATES = 10, MLP.num_replicates
_FIRST_DECAY, _SECOND_DECAY, _EPSILON = 0.9, 0.999, 1e-8  # of Adam


@dataclass(frozen=True)
class Splits:
    """Random halves of a data set, one for each replicate; columns have mean 0 and variance 1.

    Attributes:
        train_x, test_x: Features, ``r x n x f``.
        train_y, test_y: Labels, ``r x n``: whole numbers, or floats if there is only one output.
        num_outputs: The number of classes, or one.
    """

    train_x: Tensor
    test_x: Tensor
    train_y: Tensor
    test_y: Tensor
    num_outputs: int


def convert(source: Path | None, table: str) -> Arrays:
    """Train every network of the grid on every data set and split: the arrays of the table file."""
    return train_networks(MLP_GRID)


def train_networks(grid: dict[str, Choices]) -> Arrays:
    """The arrays of networks of the choices of each parameter, by name."""
    return pack(MLP, grid, {name: _table(name, grid) for name in MLP.parts})


def _table(data_set: str, grid: dict[str, Choices]) -> npt.NDArray[np.float32]:
    """Errors of the cells in the grid's order, ``cells x r``."""
    data = _splits(data_set)
    by_shape, side_by_side = ("batch_size", "depth", "width"), ("alpha", "learning_rate_init")
    alphas, rates = torch.tensor(list(product(*(grid[name] for name in side_by_side)))).T
    errors = []
    shapes = list(product(*(grid[name] for name in by_shape)))
    for shape in tqdm(shapes, desc=data_set, unit="shape", disable=None):
        batch_size, depth, width = map(int, shape)
        errors.append(_errors(data, batch_size, depth, width, alphas, rates))
    axes = by_shape + side_by_side
    table = torch.stack(errors).reshape(*(len(grid[name]) for name in axes), _REPLICATES)
    in_order = table.permute(*map(axes.index, grid), -1)
    cells: npt.NDArray[np.float32] = in_order.reshape(-1, _REPLICATES).numpy()
    return cells


def _splits(data_set: str) -> Splits:
    X, labels = getattr(datasets, f"load_{data_set}")(return_X_y=True)
    is_regression = labels.dtype.kind == "f"
    orders = [np.random.default_rng(i).permutation(len(X)) for i in range(_REPLICATES)]
    x = torch.as_tensor(np.stack([X[order] for order in orders]), dtype=torch.float32)
    y = torch.as_tensor(np.stack([labels[order] for order in orders]))
    half = len(X) // 2
    mean, deviation = x[:, :half].mean(1, keepdim=True), x[:, :half].std(1, keepdim=True)
    x = (x - mean) / deviation.clamp_min(1e-6)
    if is_regression:
        y = ((y - labels.mean()) / labels.std()).float()
    num_outputs = 1 if is_regression else int(labels.max()) + 1
    return Splits(x[:, :half], x[:, half:], y[:, :half], y[:, half:], num_outputs)


def _errors(
    data: Splits, batch_size: int, depth: int, width: int, alphas: Tensor, rates: Tensor
) -> Tensor:
    """Test errors after the last epoch, ``pairs x r``, of every pair of a decay and a rate."""
    widths = [data.train_x.shape[-1], *[width] * depth, data.num_outputs]
    layers = _initial(widths, len(rates))
    first, second = ([torch.zeros_like(layer) for layer in layers] for _ in range(2))
    scale = rates[:, None, None, None]
    for step, (x, y) in enumerate(_batches(data, batch_size), start=1):
        penalty = sum((w.square().sum((-2, -1)) for w in layers[::2]), torch.zeros(()))
        loss = _loss(_outputs(x, layers), y) + 0.5 * alphas[:, None] * penalty
        gradients = torch.autograd.grad(loss.sum(), layers)
        with torch.no_grad():
            for layer, g, m, v in zip(layers, gradients, first, second, strict=True):
                m.lerp_(g, 1.0 - _FIRST_DECAY)
                v.lerp_(g.square(), 1.0 - _SECOND_DECAY)
                deviation = (v / (1.0 - _SECOND_DECAY**step)).sqrt() + _EPSILON
                layer -= scale * m / (1.0 - _FIRST_DECAY**step) / deviation
    with torch.no_grad():
        outputs = _outputs(data.test_x, layers)
    if data.num_outputs == 1:
        return _loss(outputs, data.test_y)
    return (outputs.argmax(-1) != data.test_y).float().mean(-1)


def _initial(widths: list[int], num_pairs: int) -> list[Tensor]:
    """Weights and biases in turn, ``pairs x r x in x out``: the same for every pair."""
    layers = []
    generators = [torch.Generator().manual_seed(derive_seed(i, 0)) for i in range(_REPLICATES)]
    for n_in, n_out in pairwise(widths):
        weights = torch.stack([torch.randn(n_in, n_out, generator=g) for g in generators])
        layers += [weights * sqrt(2.0 / n_in), torch.zeros(_REPLICATES, 1, n_out)]
    return [layer.repeat(num_pairs, 1, 1, 1).requires_grad_() for layer in layers]


def _batches(data: Splits, batch_size: int) -> Iterator[tuple[Tensor, Tensor]]:
    generators = [torch.Generator().manual_seed(derive_seed(i, 1)) for i in range(_REPLICATES)]
    rows = torch.arange(_REPLICATES)[:, None]
    for _ in range(_NUM_EPOCHS):
        n = data.train_x.shape[1]
        order = torch.stack([torch.randperm(n, generator=g) for g in generators])
        for batch in order.split(batch_size, dim=1):
            yield data.train_x[rows, batch], data.train_y[rows, batch]


def _outputs(x: Tensor, layers: list[Tensor]) -> Tensor:
    """What every network says of its replicate's points, ``pairs x r x n x out``."""
    *hidden, weights, bias = layers
    for w, b in zip(hidden[::2], hidden[1::2], strict=True):
        x = (x @ w + b).relu()
    return x @ weights + bias


def _loss(outputs: Tensor, y: Tensor) -> Tensor:
    """The mean loss of every network, ``pairs x r``."""
    if outputs.shape[-1] == 1:
        return (outputs.squeeze(-1) - y).square().mean(-1)
    labels = y.expand(outputs.shape[:-1])
    losses = cross_entropy(outputs.movedim(-1, 1), labels, reduction="none")
    return losses.mean(-1)
