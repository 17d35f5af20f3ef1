"""Statements about utilities, and their posterior, as pure tensor functions."""

from botorch_popbo.likelihoods import propagation, sites, statements

__all__ = ["propagation", "sites", "statements"]
