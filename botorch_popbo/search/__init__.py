"""From trials to the next point."""

from botorch_popbo.search.starts import rank_initial_conditions
from botorch_popbo.search.tables import unseen_candidates

__all__ = ["rank_initial_conditions", "unseen_candidates"]
