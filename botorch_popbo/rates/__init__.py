"""Where the scale-free log-rate of a point comes from."""

from botorch_popbo.rates.base import Rate
from botorch_popbo.rates.mlp import MLPRate

__all__ = ["MLPRate", "Rate"]
