"""Rank-based Bayesian optimization for Optuna."""

from botorch_popbo.optuna import PoPBOSampler

__all__ = ["PoPBOSampler"]
