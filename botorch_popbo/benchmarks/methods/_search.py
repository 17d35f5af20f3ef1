"""The best point of a space by an acquisition function."""

from botorch.acquisition import AcquisitionFunction
from torch import Tensor

from botorch_popbo.search import maximize as search
from botorch_popbo.settings import SearchSettings
from botorch_popbo.space import Space


def maximize(
    acquisition: AcquisitionFunction,
    space: Space,
    X: Tensor,
    seed: int,
    max_candidates: int | None = None,
) -> Tensor:
    """The best point of a space beside ``N x d`` evaluated ones, of shape ``d``, as users get it.

    Where all is a choice, up to ``max_candidates`` random ones of the points are looked at.
    """
    settings = SearchSettings()
    number, domain = max_candidates or settings.max_candidates, space.domain(settings.max_listed)
    return search.maximize(acquisition, domain, X, number, seed, settings)
