from collections.abc import Callable, Mapping, Sequence

from torch import Tensor

from botorch_popbo.search import tables
from botorch_popbo.search.tables import is_table, unseen_candidates
from botorch_popbo.settings import SearchSettings
from botorch_popbo.space import Domain

NUM_PAPER_CANDIDATES = SearchSettings().max_network_candidates
MAX_CANDIDATES = SearchSettings().max_candidates
MAX_FRONT_CANDIDATES = SearchSettings().max_front_candidates
__all__ = ["is_table", "unseen_candidates"]


def unseen_points(
    choices: Mapping[int, Sequence[float]],
    X_known: Tensor | None,
    number: int,
    seed: int,
    like: Tensor,
    inactive: Callable[[Tensor], Tensor] | None = None,
) -> Tensor:
    """See :func:`botorch_popbo.search.tables.unseen_points`."""
    domain = Domain(like, choices, (), Tensor.clone, inactive)
    return tables.unseen_points(domain, X_known, number, seed)
