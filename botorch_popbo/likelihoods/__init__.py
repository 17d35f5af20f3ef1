"""The likelihood of an order, as pure tensor functions."""

from botorch_popbo.likelihoods import order

__all__ = ["order"]
