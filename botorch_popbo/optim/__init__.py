"""Former names; see :mod:`botorch_popbo.search`."""

from botorch_popbo.search import rank_initial_conditions, unseen_candidates

__all__ = ["rank_initial_conditions", "unseen_candidates"]
