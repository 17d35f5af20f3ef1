"""Likelihoods of an order and of rank counts, as pure tensor functions."""

from botorch_popbo.likelihoods import distribution, order, truncated_poisson

__all__ = ["distribution", "order", "truncated_poisson"]
