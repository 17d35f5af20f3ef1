"""Where the scale-free log-rate of a point comes from."""

from botorch_popbo.rates.base import Rate, RateFactory
from botorch_popbo.rates.factory import make_rate
from botorch_popbo.rates.gaussian_process import GaussianProcessRate
from botorch_popbo.rates.mlp import MLPRate

__all__ = ["GaussianProcessRate", "MLPRate", "Rate", "RateFactory", "make_rate"]
