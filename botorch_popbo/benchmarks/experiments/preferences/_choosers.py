"""Methods that ask which of two points is better, and the function that this is about."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from botorch.acquisition.preference import AnalyticExpectedUtilityOfBestOption
from botorch.fit import fit_gpytorch_mll
from botorch.models.pairwise_gp import PairwiseGP, PairwiseLaplaceMarginalLogLikelihood
from botorch.optim import optimize_acqf
from botorch.test_functions import Hartmann
from botorch.utils.sampling import draw_sobol_samples
from torch import Tensor

from botorch_popbo.preference_search import PreferenceSearch

FUNCTION = Hartmann(dim=3, dtype=torch.float64)
_BOUNDS = torch.as_tensor(FUNCTION.bounds)
_NUM_INITIAL = 6

#: Answers which of two points (``2 x d``) is better: 0 or 1.
Judge = Callable[[Tensor], int]


@dataclass(frozen=True)
class Chooser:
    """A method: a judge, a number of questions and a seed lead to the best point, ``d``."""

    description: str
    best: Callable[[Judge, int, int], Tensor]


def _popbo(judge: Judge, num_questions: int, seed: int) -> Tensor:
    search = PreferenceSearch(_BOUNDS, num_initial=_NUM_INITIAL, seed=seed)
    for _ in range(num_questions):
        pair = search.ask()
        search.tell(pair, judge(pair))
    return search.best


def _eubo(judge: Judge, num_questions: int, seed: int) -> Tensor:
    """The point of highest posterior mean."""
    design = draw_sobol_samples(_BOUNDS, n=_NUM_INITIAL, q=2, seed=seed)
    X = _BOUNDS.new_zeros(0, 3)
    comparisons = torch.zeros(0, 2, dtype=torch.long)
    for question in range(num_questions):
        pair = design[question] if question < _NUM_INITIAL else _next_pair(X, comparisons)
        winner = judge(pair)
        answer = torch.tensor([[len(X) + winner, len(X) + 1 - winner]])
        X, comparisons = torch.cat([X, pair]), torch.cat([comparisons, answer])
    utility: Tensor = _pairwise_gp(X, comparisons).posterior(X).mean  # type: ignore[attr-defined]
    return X[utility.argmax()]


def _chance(judge: Judge, num_questions: int, seed: int) -> Tensor:
    """The last champion."""
    challengers = draw_sobol_samples(_BOUNDS, n=num_questions + 1, q=1, seed=seed)
    champion = challengers[0, 0]
    for challenger in challengers[1:, 0]:
        pair = torch.stack([champion, challenger])
        champion = pair[judge(pair)]
    return champion


def _pairwise_gp(X: Tensor, comparisons: Tensor) -> PairwiseGP:
    model = PairwiseGP(X, comparisons)
    fit_gpytorch_mll(PairwiseLaplaceMarginalLogLikelihood(model.likelihood, model))
    return model


def _next_pair(X: Tensor, comparisons: Tensor) -> Tensor:
    acquisition = AnalyticExpectedUtilityOfBestOption(pref_model=_pairwise_gp(X, comparisons))
    pair, _ = optimize_acqf(acquisition, _BOUNDS, q=2, num_restarts=8, raw_samples=256)
    return pair


#: The methods by name.
CHOOSERS = {
    "popbo": Chooser("PreferenceSearch", _popbo),
    "pairwise-gp-eubo": Chooser("BoTorch's PairwiseGP that asks by EUBO", _eubo),
    "chance": Chooser("a random tournament", _chance),
}
