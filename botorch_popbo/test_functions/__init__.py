"""Test functions that BoTorch does not have."""

from botorch_popbo.test_functions.forrester import Forrester

__all__ = ["Forrester"]
