"""Who asks: `PreferenceSearch`, BoTorch's PairwiseGP, and chance.

Each asks by what it was told and its seed alone, so an interview goes on from its record.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

import torch
from botorch.acquisition.preference import AnalyticExpectedUtilityOfBestOption
from botorch.exceptions.errors import ModelFittingError
from botorch.fit import fit_gpytorch_mll
from botorch.models.pairwise_gp import PairwiseGP, PairwiseLaplaceMarginalLogLikelihood
from botorch.models.transforms.input import Normalize
from botorch.optim import optimize_acqf
from botorch.utils.sampling import draw_sobol_samples, manual_seed
from torch import Tensor

from botorch_popbo._seeds import derive_seed
from botorch_popbo.preference_search import PreferenceSearch

_NUM_INITIAL = 6


class Interviewer(Protocol):
    """A method that asks which of two points is better."""

    @property
    def best(self) -> Tensor:
        """The point held to be the best, of shape ``d``."""

    def ask(self) -> Tensor:
        """Two points, ``2 x d``."""

    def tell(self, items: Tensor, winner: int | None) -> None:
        """Add an answer: the place of the better one, or None for a tie."""


class Tournament:
    """The winner stays on and meets the next random point."""

    def __init__(self, bounds: Tensor, seed: int) -> None:
        self.bounds, self.seed = bounds, seed
        self.best = self._entrant(0)
        self._told = 0

    def ask(self) -> Tensor:
        return torch.stack([self.best, self._entrant(self._told + 1)])

    def tell(self, items: Tensor, winner: int | None) -> None:
        self.best = items[winner or 0]
        self._told += 1

    def _entrant(self, index: int) -> Tensor:
        return draw_sobol_samples(self.bounds, n=index + 1, q=1, seed=self.seed)[-1, 0]


class Pairwise:
    """BoTorch's PairwiseGP as it comes, by EUBO; the first questions are pairs of a Sobol design.

    PairwiseGP knows no ties: a tie is two answers, one for either side.
    """

    def __init__(self, bounds: Tensor, seed: int) -> None:
        self.bounds, self.seed = bounds, seed
        self.design = draw_sobol_samples(bounds, n=_NUM_INITIAL, q=2, seed=seed)
        self.X = bounds.new_zeros(0, bounds.shape[-1])
        self.comparisons = torch.zeros(0, 2, dtype=torch.long)
        self._model: PairwiseGP | None = None

    @property
    def best(self) -> Tensor:
        utility: Any = self._fit().posterior(self.X)
        return self.X[utility.mean.argmax()]

    def ask(self) -> Tensor:
        number = len(self.X) // 2
        if number < len(self.design):
            return self.design[number]
        with manual_seed(derive_seed(self.seed, number)):
            acquisition = AnalyticExpectedUtilityOfBestOption(pref_model=self._fit())
            found, _ = optimize_acqf(acquisition, self.bounds, 2, num_restarts=4, raw_samples=256)
        return found

    def tell(self, items: Tensor, winner: int | None) -> None:
        won = torch.tensor([[0, 1], [1, 0]]) if winner is None else _first(winner)
        self.comparisons = torch.cat([self.comparisons, len(self.X) + won])
        self.X = torch.cat([self.X, items])
        self._model = None

    def _fit(self) -> PairwiseGP:
        if self._model is None:
            normalize = Normalize(d=self.X.shape[-1], bounds=self.bounds)
            model = PairwiseGP(self.X, self.comparisons, input_transform=normalize)
            with manual_seed(derive_seed(self.seed, len(self.X))):
                likelihood = PairwiseLaplaceMarginalLogLikelihood(model.likelihood, model)
                # Some fits fail; the hyperparameters are then those of the priors.
                with suppress(ModelFittingError):
                    fit_gpytorch_mll(likelihood)
            self._model = model.eval()
        return self._model


def _first(winner: int) -> Tensor:
    return torch.tensor([[winner, 1 - winner]])


@dataclass(frozen=True)
class Method:
    """Makes an interviewer of bounds, ``2 x d``, and a seed."""

    description: str
    start: Callable[[Tensor, int], Interviewer]


def _popbo(bounds: Tensor, seed: int) -> Interviewer:
    return PreferenceSearch(bounds, seed=seed)


#: The methods by name.
METHODS: Mapping[str, Method] = {
    "popbo": Method("PreferenceSearch", _popbo),
    "chance": Method("a random tournament", Tournament),
    "pairwise-gp-eubo": Method("BoTorch's PairwiseGP that asks by EUBO", Pairwise),
}
