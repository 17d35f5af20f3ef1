"""Candidates and starting points for the optimization of acquisition functions."""

from botorch_popbo.optim.candidates import unseen_candidates
from botorch_popbo.optim.initial_conditions import rank_initial_conditions

__all__ = ["rank_initial_conditions", "unseen_candidates"]
