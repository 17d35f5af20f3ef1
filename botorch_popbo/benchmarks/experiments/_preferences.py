"""Choices alone: methods that ask a judge which of two points is better.

`PreferenceSearch`, BoTorch's PairwiseGP and chance ask; each asks by what it was told and its seed
alone, so an interview goes on from its record.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from time import perf_counter
from typing import Any, ClassVar

import pandas as pd
import torch
from botorch.acquisition.preference import AnalyticExpectedUtilityOfBestOption
from botorch.exceptions.errors import ModelFittingError
from botorch.fit import fit_gpytorch_mll
from botorch.models.pairwise_gp import PairwiseGP, PairwiseLaplaceMarginalLogLikelihood
from botorch.models.transforms.input import Normalize
from botorch.optim import optimize_acqf
from botorch.test_functions import Hartmann
from botorch.test_functions.synthetic import SyntheticTestFunction
from botorch.utils.sampling import draw_sobol_samples, manual_seed
from torch import Tensor

from botorch_popbo._seeds import derive_seed
from botorch_popbo.benchmarks.report._files import frame, write_files
from botorch_popbo.benchmarks.report._format import estimate_of, number, tabulate
from botorch_popbo.benchmarks.report.figures import draw_means
from botorch_popbo.benchmarks.run._keys import Key, names, replicated
from botorch_popbo.benchmarks.run.campaign import Campaign, Limited
from botorch_popbo.benchmarks.settings import Cell
from botorch_popbo.preference_search import PreferenceSearch

_NUM_INITIAL = 6

#: Minimized functions by name.
FUNCTIONS: Mapping[str, SyntheticTestFunction] = {
    f"hartmann{dim}": Hartmann(dim=dim, dtype=torch.float64) for dim in (3, 6)
}


class Tournament:
    """The winner stays on and meets the next random point."""

    def __init__(self, bounds: Tensor, seed: int) -> None:
        self.bounds, self.seed = bounds, seed
        self.best = self._entrant(0)
        self._told = 0

    def ask(self) -> Tensor:
        return torch.stack([self.best, self._entrant(self._told + 1)])

    def tell(self, items: Tensor, winner: int) -> None:
        self.best = items[winner]
        self._told += 1

    def _entrant(self, index: int) -> Tensor:
        return draw_sobol_samples(self.bounds, n=index + 1, q=1, seed=self.seed)[-1, 0]


class Pairwise:
    """BoTorch's PairwiseGP as it comes, by EUBO; it begins with pairs of a Sobol design."""

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

    def tell(self, items: Tensor, winner: int) -> None:
        won = len(self.X) + torch.tensor([[winner, 1 - winner]])
        self.comparisons = torch.cat([self.comparisons, won])
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


@dataclass(frozen=True)
class Method:
    """Makes, of bounds ``2 x d`` and a seed, what asks and is told as PreferenceSearch is."""

    description: str
    start: Callable[[Tensor, int], Any]


#: The methods by name.
METHODS: Mapping[str, Method] = {
    "popbo": Method("PreferenceSearch", lambda bounds, seed: PreferenceSearch(bounds, seed=seed)),
    "chance": Method("a random tournament", Tournament),
    "pairwise-gp-eubo": Method("BoTorch's PairwiseGP that asks by EUBO", Pairwise),
}


@dataclass(frozen=True)
class Interview(Cell):
    """A method asks a judge, who prefers the point of the lower noisy value.

    Whatever is asked, a judge of one seed has the same noise in the n-th answer; its deviation is
    in the function's unit.
    """

    function: str
    deviation: float
    method: str
    seed: int

    def choose(self, pair: Tensor, question: int) -> int:
        """The place of the better one of two points, ``2 x d``."""
        # Once more: a method that mixes its seed in the same way must not foresee the noise.
        seed = derive_seed(derive_seed(self.seed, question), 0)
        generator = torch.Generator().manual_seed(seed)
        noise = self.deviation * torch.randn(2, generator=generator, dtype=torch.float64)
        first, second = (FUNCTIONS[self.function].evaluate_true(pair) + noise).tolist()
        return int(second < first)

    def regret(self, x: Tensor) -> float:
        """How much worse a point of shape ``d`` is than the optimum, without noise."""
        function = FUNCTIONS[self.function]
        return float(function.evaluate_true(x.unsqueeze(0))) - function.optimal_value


@dataclass(frozen=True)
class Answer:
    """One answer, and what it led to.

    Attributes:
        trial: The question's index, from 0.
        items: The two points.
        winner: The place of the better one.
        regret: The noise-free regret of the point that is then held to be the best.
        seconds: Wall-clock time of the question and of the best point.
    """

    trial: int
    items: list[list[float]]
    winner: int
    regret: float
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Preferences(Campaign[Interview, Answer]):
    """Methods that are told choices alone.

    Attributes:
        problems: Names of functions.
        answers: Numbers of answers after which regrets are reported; the largest ends an interview.
        deviation: Standard deviation of the noise of each compared value.
    """

    problems: tuple[str, ...]
    answers: tuple[int, ...]
    deviation: float

    registry: ClassVar = METHODS
    keys: ClassVar = {
        "problems": names(FUNCTIONS),
        "answers": Key(int, (24, 36, 75, 150), lambda _: (3, 7), least=1),
        "deviation": Key(float, 0.2),
        **replicated(METHODS, seeds=10, smoke=2),
    }
    record: ClassVar = Answer

    def cells(self) -> Iterator[Interview]:
        settings = (self.problems, [float(self.deviation)], self.methods, range(self.seeds))
        return (Interview(*setting) for setting in product(*settings))

    def num_records(self, cell: Interview) -> int:
        return max(self.answers)

    def evaluate(
        self, cell: Interview, records: list[Answer], limited: Limited
    ) -> Iterator[Answer]:
        bounds = torch.as_tensor(FUNCTIONS[cell.function].bounds)
        interviewer = METHODS[cell.method].start(bounds, cell.seed)
        for record in records:
            interviewer.tell(torch.tensor(record.items, dtype=torch.float64), record.winner)
        for trial in range(len(records), max(self.answers)):
            start = perf_counter()
            with limited(), manual_seed(cell.seed):
                items = interviewer.ask()
            winner = cell.choose(items, trial)
            interviewer.tell(items, winner)
            with limited(), manual_seed(cell.seed):
                best = interviewer.best
            seconds = perf_counter() - start
            yield Answer(trial, items.tolist(), winner, cell.regret(best), seconds)

    def report(self) -> None:
        """Print and write mean and standard error of the regrets, and draw their curves."""
        results = frame(self).drop(columns="items").astype({"regret": float, "seconds": float})
        told, columns = results.assign(answers=results["trial"] + 1), ("answers", "regret")
        figure = draw_means(told, "function", "method", *columns, yscale="log")
        write_files(self.output, "preferences", table(self, results), results, figure)


def table(campaign: Preferences, results: pd.DataFrame) -> str:
    """A row for each method on each function, a column for each number of answers."""
    rows = {}
    for keys, own in results.groupby(["function", "method"], sort=False):
        regrets = {n: own.loc[own["trial"] == n - 1, "regret"] for n in campaign.answers}
        rows[keys] = {
            "seeds": f"{len(regrets[max(campaign.answers)])}/{campaign.seeds}",
            **{str(n): estimate_of(values) for n, values in regrets.items()},
            "seconds": number(own["seconds"].median(), ".2g"),
        }
    note = f"mean regret ± standard error after so many answers, noise {campaign.deviation:g}"
    return f"{tabulate(rows, ['function', 'method'])}\n{note}"
