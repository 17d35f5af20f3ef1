"""Named settings of the whole method, so that a result can be named by one word."""

import math
from dataclasses import dataclass, replace
from typing import Literal, get_args

PresetName = Literal["default", "paper", "exact"]
RateName = Literal["gaussian_process", "mlp"]


@dataclass(frozen=True)
class Preset:
    """Settings shared by the rate, the likelihood and the acquisition functions.

    All but the first two concern the network.

    Args:
        rate: Where the log-rate of a point comes from.
        category_scale: Value of a one-hot column; see
            :class:`~botorch_popbo.models.transforms.OneHotCategories`.
        hidden_sizes: Widths of the network's hidden layers.
        num_steps: Number of ADAM steps.
        batch_size: Records per step.
        learning_rate: Initial learning rate of ADAM.
        learning_rate_factor: Factor on the learning rate every ``learning_rate_period`` steps.
        learning_rate_period: Steps between two reductions of the learning rate.
        untruncated_from: Length of a ranked list from which the plain Poisson law is used.
        poisson_deviation: Take the standard deviation of a count to be the square root of its mean,
            which is exact only for the untruncated law.
    """

    rate: RateName
    category_scale: float
    hidden_sizes: tuple[int, ...]
    num_steps: int
    batch_size: int
    learning_rate: float
    learning_rate_factor: float
    learning_rate_period: int
    untruncated_from: float
    poisson_deviation: bool


# Wang et al. (2023), section 4 "Settings" and appendix B.
_PAPER = Preset(
    rate="mlp",
    category_scale=1.0,
    hidden_sizes=(128, 128, 128),
    num_steps=100,
    batch_size=64,
    learning_rate=0.01,
    learning_rate_factor=0.2,
    learning_rate_period=30,
    untruncated_from=12,
    poisson_deviation=True,
)

_PRESETS: dict[str, Preset] = {
    "default": replace(_PAPER, rate="gaussian_process", category_scale=2**-0.5),
    "paper": _PAPER,
    "exact": replace(_PAPER, untruncated_from=math.inf, poisson_deviation=False),
}


def get_preset(name: PresetName) -> Preset:
    """Look up a preset.

    Args:
        name: ``"default"``, a Gaussian process conditioned on the observed order; ``"paper"``,
            the network of Wang et al. (2023); or ``"exact"``, the same network with the truncated
            law and its exact standard deviation throughout.

    Returns:
        The settings.

    Raises:
        ValueError: If there is no preset of that name.
    """
    if name not in _PRESETS:
        raise ValueError(
            f"Unknown preset {name!r}; known presets: {', '.join(get_args(PresetName))}."
        )
    return _PRESETS[name]
