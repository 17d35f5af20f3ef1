"""The best point of a space by an acquisition function."""

from botorch.acquisition import AcquisitionFunction
from torch import Tensor

from botorch_popbo.search import maximize as search
from botorch_popbo.search.domain import Domain
from botorch_popbo.settings import SearchSettings
from botorch_popbo.space import Space


def maximize(acquisition: AcquisitionFunction, space: Space, X: Tensor, seed: int) -> Tensor:
    """The best point, of shape ``d``, beside ``N x d`` evaluated ones, as users get it."""
    return search.maximize(acquisition, Domain.of(space, SearchSettings()), X, seed)
