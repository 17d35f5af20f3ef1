"""The best point of a space by an acquisition function."""

from botorch.acquisition import AcquisitionFunction
from torch import Tensor

from botorch_popbo.optim._maximize import MAX_LISTED
from botorch_popbo.optim._maximize import maximize as maximize_in_domain
from botorch_popbo.optim._tables import MAX_CANDIDATES
from botorch_popbo.space import Space


def maximize(
    acquisition: AcquisitionFunction,
    space: Space,
    X: Tensor,
    seed: int,
    max_candidates: int = MAX_CANDIDATES,
) -> Tensor:
    """The best point of a space beside ``N x d`` evaluated ones, of shape ``d``, as users get it.

    Where all is a choice, up to ``max_candidates`` random ones of the points are looked at.
    """
    return maximize_in_domain(acquisition, space.domain(MAX_LISTED), X, max_candidates, seed)
