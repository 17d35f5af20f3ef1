"""Training loops and optimizer helpers."""

from botorch_popbo.optim.candidates import unseen_candidates
from botorch_popbo.optim.training import train

__all__ = ["train", "unseen_candidates"]
