"""The rate that a preset asks for."""

from torch import Tensor

from botorch_popbo.presets import Preset
from botorch_popbo.rates.gaussian_process import GaussianProcessRate
from botorch_popbo.rates.mlp import MLPRate


def make_rate(
    preset: Preset, X: Tensor, counts: Tensor, exposure: Tensor, num_points: int, seed: int
) -> GaussianProcessRate | MLPRate:
    """Build an untrained rate.

    Args:
        preset: The settings.
        X: Encoded points, an ``m x d'`` tensor.
        counts: Numbers of better points, of shape ``m``.
        exposure: Numbers of points compared with, of shape ``m``.
        num_points: Number of evaluated points that a new point is ranked among.
        seed: Seed of a network's weights and mini-batches.

    Returns:
        The rate.
    """
    if preset.rate == "gaussian_process":
        return GaussianProcessRate(X, counts, exposure, num_points)
    return MLPRate(X, counts, exposure, num_points, preset, seed)
