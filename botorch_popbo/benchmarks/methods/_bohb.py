"""BOHB at one fidelity: the sampler of Falkner et al. (2018), without Hyperband.

Two kernel density estimates with the settings of HpBandSter, written here because that package is
no longer maintained: the best 15 % of the points (at least one more than there are parameters)
against the rest, 64 samples from the former with bandwidths three times as wide, a random point in
one trial out of three, and in all as long as there are too few points for two estimates. Ordered
choices are numbers between 0 and 1.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from scipy.stats import truncnorm

from botorch_popbo.benchmarks.methods.base import SequentialOptimizer
from botorch_popbo.benchmarks.search_space.points import from_unit_cube
from botorch_popbo.benchmarks.settings import Parameters

_GOOD_SHARE, _RANDOM_SHARE, _NUM_SAMPLES = 0.15, 1 / 3, 64
_WIDENING, _MIN_BANDWIDTH = 3.0, 1e-3

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Density:
    """Kernels about ``N x d`` encoded points: Gaussian, or Aitchison and Aitken's for categories.

    ``levels`` is the number of categories of each column, 0 for numbers.
    """

    data: Array
    levels: npt.NDArray[np.int64]

    @property
    def bandwidth(self) -> Array:
        """The normal reference rule of each column; of a category, the probability of others."""
        number, dimension = self.data.shape
        width = 1.06 * self.data.std(axis=0) * number ** (-1 / (4 + dimension))
        uniform = np.where(self.levels > 0, 1 - 1 / np.maximum(self.levels, 1), np.inf)
        bandwidth: Array = np.clip(width, _MIN_BANDWIDTH, uniform)
        return bandwidth

    def __call__(self, points: Array) -> Array:
        """The density at ``n x d`` points, of shape ``n``."""
        width, distance = self.bandwidth, points[:, None] - self.data
        gauss = np.exp(-0.5 * (distance / width) ** 2) / (width * math.sqrt(2 * math.pi))
        others = width / np.maximum(self.levels - 1, 1)
        category = np.where(distance == 0, 1 - width, others)
        density: Array = np.where(self.levels > 0, category, gauss).prod(axis=-1).mean(axis=-1)
        return density

    def sample(self, number: int, generator: np.random.Generator) -> Array:
        """``number x d`` points about the data, with wider bandwidths."""
        centers = self.data[generator.integers(len(self.data), size=number)]
        width = np.broadcast_to(self.bandwidth, centers.shape)
        wide = _WIDENING * width
        numbers = truncnorm.rvs(
            -centers / wide, (1 - centers) / wide, centers, wide, random_state=generator
        )
        drawn = np.floor(generator.random(centers.shape) * np.maximum(self.levels, 1))
        categories = np.where(generator.random(centers.shape) < width, drawn, centers)
        return np.where(self.levels > 0, categories, numbers)


class KernelDensities(SequentialOptimizer):
    def choose(self, trial: int, seed: int) -> tuple[Parameters, None]:
        generator = np.random.default_rng(seed)
        encoding, dimension = self.encoding, len(self.problem.parameters)
        num_good = max(dimension + 1, int(_GOOD_SHARE * len(self.points)))
        is_random = generator.random() < _RANDOM_SHARE
        if is_random or len(self.points) - num_good <= dimension:
            cube = generator.random(dimension).tolist()
            return from_unit_cube(self.problem.parameters, cube), None
        data = torch.stack([encoding.encode(point) for point in self.points]).numpy()
        order = np.argsort(-np.array(self.outcomes), kind="stable")
        levels = np.zeros(dimension, dtype=np.int64)
        for i in encoding.categorical:
            levels[i] = len(encoding.choices[i])
        good, bad = (Density(data[i], levels) for i in np.split(order, [num_good]))
        samples = good.sample(_NUM_SAMPLES, generator)
        ratio = np.maximum(bad(samples), 1e-32) / np.maximum(good(samples), 1e-32)
        return encoding.decode(torch.from_numpy(samples[ratio.argmin()])), None
