"""Methods that ask judges which of several points is the best, and which the worst."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, Protocol

import torch
from botorch.acquisition.preference import (
    AnalyticExpectedUtilityOfBestOption,
    qExpectedUtilityOfBestOption,
)
from botorch.exceptions.errors import ModelFittingError
from botorch.fit import fit_gpytorch_mll
from botorch.models.pairwise_gp import PairwiseGP, PairwiseLaplaceMarginalLogLikelihood
from botorch.optim import optimize_acqf
from botorch.utils.sampling import draw_sobol_samples, manual_seed
from torch import Tensor

from botorch_popbo._errors import library
from botorch_popbo._reproducible import derive_seed
from botorch_popbo.benchmarks.methods.optuna_samplers import distributions_of, value_of
from botorch_popbo.optuna import PreferentialPoPBOSampler
from botorch_popbo.preference_search import PreferenceSearch
from botorch_popbo.space import Space

_NUM_INITIAL = 6


class Interviewer(Protocol):
    """Asks questions, and learns from the answers."""

    def ask(self) -> Tensor:
        """Points to be shown, ``m x d``."""

    def tell(self, items: Tensor, winner: int, worst: int) -> None:
        """The items of the last question, and the rows of the best and of the worst."""

    @property
    def best(self) -> Tensor:
        """The recommended point, of shape ``d``."""


class Search:
    """PreferenceSearch, which learns the best one."""

    def __init__(self, space: Space, num_items: int, seed: int) -> None:
        self._search = PreferenceSearch(space, num_items=num_items, seed=seed)

    def ask(self) -> Tensor:
        """See :class:`Interviewer`."""
        return self._search.question

    def tell(self, items: Tensor, winner: int, worst: int) -> None:
        """See :class:`Interviewer`."""
        self._search.tell(items, winner)

    @property
    def best(self) -> Tensor:
        """See :class:`Interviewer`."""
        return self._search.interview.champion


class Tournament:
    """The winner stays on and meets the next random points."""

    def __init__(self, space: Space, num_items: int, seed: int) -> None:
        self._space, self._others, self._seed = space, num_items - 1, seed
        self.best = space.draw(1, seed)[0]
        self._drawn = 1

    def ask(self) -> Tensor:
        """See :class:`Interviewer`."""
        entrants = self._space.draw(self._drawn + self._others, self._seed)[self._drawn :]
        return torch.cat([self.best.unsqueeze(0), entrants])

    def tell(self, items: Tensor, winner: int, worst: int) -> None:
        """See :class:`Interviewer`."""
        self.best = items[winner]
        self._drawn += self._others


class Pairwise:
    """BoTorch's PairwiseGP as it comes, by EUBO; it begins with a Sobol design.

    It knows numbers only: points of the unit cube, which are rounded to points of the space.
    """

    def __init__(self, space: Space, num_items: int, seed: int) -> None:
        self._space, self._num_items, self._seed = space, num_items, seed
        self._cube = torch.tensor([[0.0], [1.0]]).double().expand(2, len(space.parameters))
        self._design = draw_sobol_samples(self._cube, n=_NUM_INITIAL, q=num_items, seed=seed)
        self._X = self._cube[:0]
        self._comparisons = torch.zeros(0, 2, dtype=torch.long)
        self._model: PairwiseGP | None = None

    @property
    def best(self) -> Tensor:
        """See :class:`Interviewer`."""
        utility: Any = self._fit().posterior(self._X)
        return self._space.from_unit(self._X[utility.mean.argmax()])

    def ask(self) -> Tensor:
        """See :class:`Interviewer`."""
        number = len(self._X) // self._num_items
        if number < len(self._design):
            return self._space.from_unit(self._design[number])
        model, size = self._fit(), self._num_items
        eubo: Any = AnalyticExpectedUtilityOfBestOption
        if size > 2:
            eubo = qExpectedUtilityOfBestOption
        with manual_seed(derive_seed(self._seed, number)):
            function = eubo(pref_model=model)
            found, _ = optimize_acqf(function, self._cube, size, num_restarts=4, raw_samples=256)
        return self._space.from_unit(found)

    def tell(self, items: Tensor, winner: int, worst: int) -> None:
        """See :class:`Interviewer`."""
        losers = [row for row in range(len(items)) if row != winner]
        won = len(self._X) + torch.tensor([[winner, row] for row in losers])
        self._comparisons = torch.cat([self._comparisons, won])
        self._X = torch.cat([self._X, self._space.to_unit(items)])
        self._model = None

    def _fit(self) -> PairwiseGP:
        if self._model is None:
            model = PairwiseGP(self._X, self._comparisons)
            with manual_seed(derive_seed(self._seed, len(self._X))):
                likelihood = PairwiseLaplaceMarginalLogLikelihood(model.likelihood, model)
                # Some fits fail; the hyperparameters are then those of the priors.
                with suppress(ModelFittingError):
                    fit_gpytorch_mll(likelihood)
            self._model = model.eval()
        return self._model


class Page:
    """A sampler behind Optuna's dashboard, which learns the worst one."""

    def __init__(
        self, make_sampler: Callable[[int], Any], space: Space, num_items: int, seed: int
    ) -> None:
        dashboard = library("optuna_dashboard.preferential", "this method", "peers")
        library("optuna", "a page", "optuna").logging.set_verbosity(30)
        self._space, self._distributions = space, distributions_of(space)
        self._sampler = make_sampler(seed)
        self._study = dashboard.create_study(n_generate=num_items, sampler=self._sampler)
        self._lost: set[int] = set()

    def ask(self) -> Tensor:
        """See :class:`Interviewer`."""
        while self._study.should_generate():
            self._study.ask(self._distributions)
        return torch.stack([self._point(trial) for trial in self._shown()])

    def tell(self, items: Tensor, winner: int, worst: int) -> None:
        """See :class:`Interviewer`."""
        others = self._shown()
        loser = others.pop(worst)
        self._study.report_preference(others, loser)
        self._lost.add(loser.number)

    @property
    def best(self) -> Tensor:
        """See :class:`Interviewer`."""
        if isinstance(self._sampler, PreferentialPoPBOSampler):
            return self._point(self._sampler.best_trial(self._study))
        # The dashboard's page shows those that never lost; of them, who was ahead most often.
        wins = [better.number for better, _ in self._study.get_preferences(deepcopy=False)]
        trials = [trial for trial in self._shown() if trial.number in wins]
        return self._point(max(trials, key=lambda trial: wins.count(trial.number)))

    def _shown(self) -> list[Any]:
        trials = self._study.get_trials(deepcopy=False)
        return [trial for trial in trials if trial.number not in self._lost]

    def _point(self, trial: Any) -> Tensor:
        parameters = self._space.parameters.items()
        return self._space.encode({name: value_of(p, trial.params[name]) for name, p in parameters})


def _preferential_gp(seed: int) -> Any:
    samplers = library("optuna_dashboard.preferential.samplers.gp", "this method", "peers")
    return samplers.PreferentialGPSampler(seed=seed)


#: Makes an interviewer for a space, a number of items and a seed.
METHODS: Mapping[str, Callable[[Space, int, int], Interviewer]] = {
    "popbo": Search,
    "popbo-page": partial(Page, lambda seed: PreferentialPoPBOSampler(seed=seed)),
    "optuna-preferential-gp": partial(Page, _preferential_gp),
    "chance": Tournament,
    "pairwise-gp-eubo": Pairwise,
}
