"""From trials to the next point."""

from botorch_popbo.search.domain import unseen_candidates
from botorch_popbo.search.starts import rank_initial_conditions

__all__ = ["rank_initial_conditions", "unseen_candidates"]
