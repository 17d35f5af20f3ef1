"""Methods at equal cost where evaluations come in parts, and some stop them early."""

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from botorch_popbo._errors import library
from botorch_popbo.benchmarks.experiments.measured import Measured
from botorch_popbo.benchmarks.methods import METHODS as WHOLE
from botorch_popbo.benchmarks.methods.base import FailureAware
from botorch_popbo.benchmarks.methods.optuna_samplers import sampler_of, suggested
from botorch_popbo.benchmarks.points import uniform_point
from botorch_popbo.benchmarks.problems import PROBLEMS
from botorch_popbo.benchmarks.problems.parts import CURVES, PartsProblem, load
from botorch_popbo.benchmarks.report.text import estimate_of
from botorch_popbo.benchmarks.run.campaign import Limited
from botorch_popbo.benchmarks.run.keys import Key, replicated
from botorch_popbo.benchmarks.settings import Cell, Parameters, Setting


class Spent(BaseException):  # no failure of an evaluation
    """The budget is spent."""


class Ledger:
    """What has been spent, and the score of the best whole evaluation after each part.

    Args:
        problem: The problem.
        seed: The seed of the replication.
        budget: The number of parts.
    """

    def __init__(self, problem: PartsProblem, seed: int, budget: int) -> None:
        self.problem, self.seed, self.budget = problem, seed, budget
        self.trace: list[float] = []
        self.best = self.score = math.inf
        self.best_point: Parameters = {}
        self.begun: dict[str, tuple[Parameters, int]] = {}

    def evaluate(self, point: Parameters, done: list[float]) -> Iterator[float]:
        """Yield the parts of a point that are not done.

        Raises:
            Spent: At the end of the budget.
            ValueError: If a part fails.
        """
        parts = [*done]
        for place, part in enumerate(self.problem.parts(point, self.seed)):
            if place < len(done):
                continue
            if len(self.trace) == self.budget:
                raise Spent
            parts.append(part)
            self.begun[str(point)] = dict(point), len(parts)
            if len(parts) == self.problem.number and self.problem.whole(parts) < self.best:
                self.best, self.best_point = self.problem.whole(parts), dict(point)
                self.score = self.problem.score(point) if self.problem.score else self.best
            self.trace.append(self.score)
            if not math.isfinite(part):
                raise ValueError("the evaluation failed")
            yield part

    def num_missed(self) -> int:
        """How many of those that were stopped would have been better than the best whole one."""
        stopped = [p for p, count in self.begun.values() if count < self.problem.number]
        wholes = [self.problem.whole([*self.problem.parts(p, self.seed)]) for p in stopped]
        return sum(whole < self.best for whole in wholes)


def minimized(is_whole: bool, _: str, ledger: Ledger) -> None:
    """``minimize``, which may take up what it has stopped, or of whole evaluations alone."""
    from botorch_popbo import minimize

    kept: dict[str, list[float]] = {}

    def function(done: int = 0, **point: Any) -> Iterator[float]:
        parts = kept.setdefault(str(point), [])[:done]
        for part in ledger.evaluate(point, parts):
            kept[str(point)].append(part)
            yield part

    def whole_function(**point: Any) -> float:
        return ledger.problem.whole([*ledger.evaluate(point, [])])

    minimize(
        whole_function if is_whole else function,
        ledger.problem.space,
        n_trials=10**6,
        seed=ledger.seed,
        progress=False,
        parts=ledger.problem.summary,
        resumable=not is_whole,
    )


def optuna(sampler: str, pruner: str, _: str, ledger: Ledger) -> None:
    """A sampler and a pruner of Optuna's, or this package's, by the names of their classes."""
    loaded, problem = library("optuna", sampler, "optuna"), ledger.problem
    loaded.logging.set_verbosity(loaded.logging.CRITICAL)
    known = {**vars(loaded.pruners), **vars(library("botorch_popbo.optuna", sampler, "optuna"))}
    options = {"parts": problem.summary} if pruner == "PoPBOPruner" else {}

    def objective(trial: Any) -> float:
        parts: list[float] = []
        for part in ledger.evaluate(suggested(trial, problem.space), []):
            parts.append(part)
            trial.report(part, len(parts))
            if len(parts) < problem.number and trial.should_prune():
                if pruner == "WilcoxonPruner":  # as its documentation has it
                    return problem.whole(parts)
                raise loaded.TrialPruned
        return problem.whole(parts)

    study = loaded.create_study(
        sampler=sampler_of(sampler)(seed=ledger.seed), pruner=known[pruner](**options)
    )
    while len(ledger.trace) < ledger.budget:
        study.optimize(objective, n_trials=1, catch=ValueError)


def whole(method: str, name: str, ledger: Ledger) -> None:
    """A method of the registry, which knows of no parts; ten random points come first."""
    problem, setting = PROBLEMS[name].load(None), Setting(name, method, 10, ledger.seed)
    optimizer, values = WHOLE[method].start(problem, setting), [10.0]
    for trial in count():
        point = uniform_point(problem.space, name, ledger.seed, trial)
        point = optimizer.suggest(trial).parameters if trial >= 10 else point
        try:
            value = ledger.problem.whole([*ledger.evaluate(point, [])])
        except ValueError:
            if isinstance(optimizer, FailureAware):
                optimizer.observe_failure(point)
                continue
            value = max(values)
        values.append(value)
        optimizer.observe(point, value)


_OPTUNA = {
    "popbo-optuna": ("PoPBOSampler", "PoPBOPruner"),
    "popbo-optuna-whole": ("PoPBOSampler", "NopPruner"),
    "tpe-popbo": ("TPESampler", "PoPBOPruner"),
    "tpe-wilcoxon": ("TPESampler", "WilcoxonPruner"),
    "tpe-median": ("TPESampler", "MedianPruner"),
    "tpe-hyperband": ("TPESampler", "HyperbandPruner"),
    "tpe-halving": ("TPESampler", "SuccessiveHalvingPruner"),
    "gp-median": ("GPSampler", "MedianPruner"),
    "tpe-whole": ("TPESampler", "NopPruner"),
}
#: Spends a budget on the problem of that name.
METHODS: dict[str, Callable[[str, Ledger], None]] = {
    "popbo": partial(minimized, False),
    "popbo-whole": partial(minimized, True),
    **{name: partial(optuna, *classes) for name, classes in _OPTUNA.items()},
    **{name: partial(whole, name) for name in ("hebo", "ax-default", "smac3")},
}


@dataclass(frozen=True)
class PartsSetting(Cell):
    """A method on a problem with the budget of so many whole evaluations."""

    problem: str
    method: str
    budget: int
    seed: int


@dataclass(frozen=True, kw_only=True)
class PartsExperiment(Measured[PartsSetting]):
    """Methods on evaluations that come in parts."""

    problems: tuple[str, ...]
    budget: int

    keys: ClassVar = {
        "problems": Key(str, ("tuning-tree-wine",), known=[*CURVES, *PROBLEMS]),
        "budget": Key(int, 30, lambda _: 4, least=1),
        **replicated(METHODS),
    }
    cell: ClassVar = PartsSetting
    axes: ClassVar = "problems", "methods", "budget"
    note: ClassVar = (
        "the best whole evaluation at the cost of so many whole ones; how many that were stopped "
        "would have been better than the last; its loss on held-out rows"
    )
    reported: ClassVar = (5, 10, 15, 20)

    def measure(self, cell: PartsSetting, limited: Limited) -> dict[str, float]:
        """See the base class."""
        problem = load(cell.problem)
        ledger = Ledger(problem, cell.seed, cell.budget * problem.number)
        with suppress(Spent):
            METHODS[cell.method](cell.problem, ledger)
        costs = range(1, cell.budget + 1)
        found = {str(cost): ledger.trace[cost * problem.number - 1] for cost in costs}
        numbers = {c: score if math.isfinite(score) else math.nan for c, score in found.items()}
        numbers["missed"] = ledger.num_missed()
        if problem.held_out and ledger.best_point:
            numbers["held-out"] = problem.held_out(ledger.best_point)
        return numbers

    def text(self, results: pd.DataFrame, shown: list[str]) -> str:
        """The table, and the lead of the first method over each of the others."""
        return f"{super().text(results, shown)}\n\n{leads(results, shown, self.methods)}"


def leads(results: pd.DataFrame, shown: list[str], methods: Iterable[str]) -> str:
    """The share of pairs of runs that the first method wins, less that of those which it loses.

    Each of its runs is compared with each of another method on the same problem. And the median
    cost at which it reaches what another one has at the end.
    """
    first, *others = methods
    costs = [name for name in results if name.isdigit()]
    scores = [name for name in shown if name != "missed"]
    found = results.fillna(dict.fromkeys(costs, np.inf))
    rows = {}
    for other in others:
        ahead, reached, number = {}, [], 0
        for problem, part in found.groupby("problem", sort=False):
            mine, theirs = (part[part["method"] == name] for name in (first, other))
            if not len(mine) or not len(theirs):
                continue
            ahead[problem] = {name: _ahead(mine[name], theirs[name]) for name in scores}
            last = theirs[costs[-1]].to_numpy()[:, None, None]
            is_reached = mine[costs].to_numpy() <= last
            place = is_reached.argmax(-1) + 1.0
            reached.append(np.where(is_reached.any(-1), place, np.inf).ravel())
            number += len(theirs)
        if ahead:
            lead = pd.DataFrame(ahead).T.agg(estimate_of)
            rows[other] = {**lead, "cost": np.median(np.concatenate(reached)), "runs": number}
    table = pd.DataFrame(rows).T.to_string() if rows else "none"
    return f"lead of {first} over others, mean and standard error over problems\n{table}"


def _ahead(mine: "pd.Series[float]", theirs: "pd.Series[float]") -> float:
    """The mean sign of all differences; two that have found nothing are level."""
    a, b = np.meshgrid(mine, theirs)
    with np.errstate(invalid="ignore"):
        signs = np.where(a == b, 0.0, np.sign(b - a))
    return float(signs[~np.isnan(signs)].mean()) if np.isfinite(signs).any() else math.nan
