"""Likelihoods of rank counts, as pure tensor functions."""

from botorch_popbo.likelihoods import distribution, truncated_poisson

__all__ = ["distribution", "truncated_poisson"]
