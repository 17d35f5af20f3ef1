"""Likelihoods of rank counts, as pure tensor functions."""

from botorch_popbo.likelihoods import truncated_poisson

__all__ = ["truncated_poisson"]
