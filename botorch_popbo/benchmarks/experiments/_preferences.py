"""Choices alone: `PreferenceSearch` against BoTorch's PairwiseGP with EUBO, and chance.

A simulated judge prefers the point with the lower noisy Hartmann-3 value; every method sees one
answer per question. Scored is the noise-free regret of the point that the method holds for the
best.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar

import torch
from botorch.acquisition.preference import AnalyticExpectedUtilityOfBestOption
from botorch.fit import fit_gpytorch_mll
from botorch.models.pairwise_gp import PairwiseGP, PairwiseLaplaceMarginalLogLikelihood
from botorch.optim import optimize_acqf
from botorch.test_functions import Hartmann
from botorch.utils.sampling import draw_sobol_samples, manual_seed
from torch import Tensor

from botorch_popbo.benchmarks.report._text import aligned, estimate, number
from botorch_popbo.benchmarks.run import _keys
from botorch_popbo.benchmarks.run.campaign import Campaign, Limited
from botorch_popbo.benchmarks.settings import Cell
from botorch_popbo.preference_search import PreferenceSearch

_FUNCTION = Hartmann(dim=3, dtype=torch.float64)
_BOUNDS = torch.as_tensor(_FUNCTION.bounds)
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


@dataclass(frozen=True)
class Interview(Cell):
    """A method and a judge, with normal noise on each of the two compared values."""

    questions: int
    deviation: float
    method: str
    seed: int

    @property
    def task(self) -> str:
        return f"{self.questions} questions"


@dataclass(frozen=True)
class InterviewRecord:
    """The noise-free regret of the point held for the best, in units of Hartmann-3."""

    regret: float


@dataclass(frozen=True, kw_only=True)
class Preferences(Campaign[Interview, InterviewRecord]):
    """Methods that are told choices alone; for the settings see :class:`Interview`."""

    questions: int
    deviation: float

    registry: ClassVar = CHOOSERS
    keys: ClassVar = {
        "methods": _keys.names(CHOOSERS),
        "questions": _keys.count(36, smoke=7),
        "deviation": _keys.number(0.2),
        "seeds": _keys.count(10, smoke=2),
        "jobs": _keys.count(),
        "limit": _keys.seconds(),
    }
    record: ClassVar = InterviewRecord

    def cells(self) -> Iterator[Interview]:
        for method in self.methods:
            for seed in range(self.seeds):
                yield Interview(self.questions, float(self.deviation), method, seed)

    def evaluate(
        self, cell: Interview, records: list[InterviewRecord], limited: Limited
    ) -> Iterator[InterviewRecord]:
        generator = torch.Generator().manual_seed(cell.seed)

        def judge(pair: Tensor) -> int:
            noise = torch.randn(2, generator=generator, dtype=torch.float64)
            return int((_FUNCTION.evaluate_true(pair) + cell.deviation * noise).argmin())

        with limited(), manual_seed(cell.seed):
            best = CHOOSERS[cell.method].best(judge, cell.questions, cell.seed)
        value = _FUNCTION.evaluate_true(best.unsqueeze(0))
        yield InterviewRecord(float(value - _FUNCTION.optimal_value))

    def report(self) -> None:
        """Print and write mean, standard error and median of the regrets over the seeds."""
        from botorch_popbo.benchmarks.report._files import frame, write_files

        results = frame(self)
        rows = []
        for method in self.methods:
            regrets = results.loc[results["method"] == method, "regret"].astype(float)
            seeds = f"{len(regrets)}/{self.seeds}"
            numbers = estimate(regrets.mean(), regrets.sem()), number(regrets.median(), ".3g")
            rows.append((method, seeds, *numbers))
        note = f"{self.questions} answers, noise {self.deviation:g}: mean ± standard error"
        lines = aligned([("method", "seeds", "regret", "median")], rows, right_from=1)
        write_files(self.output, "preferences", "\n".join([*lines, note]), results)
