"""Fronts and constraints: several objectives, or one that counts where constraints hold."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product
from time import perf_counter
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from botorch_popbo.benchmarks.errors import library
from botorch_popbo.benchmarks.problems._goals import GOALS, GoalProblem, Goals
from botorch_popbo.benchmarks.report._files import write_files
from botorch_popbo.benchmarks.report._format import estimate_of, spread
from botorch_popbo.benchmarks.run._keys import Key, names, replicated
from botorch_popbo.benchmarks.run.campaign import Campaign, Limited
from botorch_popbo.benchmarks.settings import Cell

_REPORTED = (15, 20, 30, 40)
_METRICS = "value", "slack"


class OptunaAsker:
    """A sampler of Optuna's, or this package's, by the name of its class, as users have it."""

    def __init__(self, sampler: str, problem: GoalProblem, seed: int) -> None:
        self.optuna = library("optuna", sampler, "optuna")
        self.optuna.logging.set_verbosity(self.optuna.logging.ERROR)
        module = "botorch_popbo.optuna" if sampler == "PoPBOSampler" else "optuna.samplers"
        num_objectives, num_constraints = problem.shape
        # Optuna's constraints are violated where they are positive.
        options = {"constraints_func": lambda trial: trial.user_attrs["violations"]}
        is_told = num_constraints and sampler != "RandomSampler"
        made = getattr(library(module, sampler, "optuna"), sampler)
        self.study = self.optuna.create_study(
            directions=["minimize"] * num_objectives,
            sampler=made(seed=seed, **(options if is_told else {})),
        )
        self.bounds = problem.bounds
        self.trial: Any = None

    def ask(self) -> list[float]:
        self.trial = self.study.ask()
        return [self.trial.suggest_float(f"x{i}", *ends) for i, ends in enumerate(self.bounds)]

    def tell(self, goals: Goals) -> None:
        values, slacks = goals
        self.trial.set_user_attr("violations", [-slack for slack in slacks])
        self.study.tell(self.trial, values)


class AxAsker:
    """Ax's own choice of a strategy."""

    def __init__(self, problem: GoalProblem, seed: int) -> None:
        from ax.api.client import Client

        from botorch_popbo.ax import parameter_configs

        values, slacks = (
            [f"{metric}{i}" for i in range(number)]
            for metric, number in zip(_METRICS, problem.shape, strict=True)
        )
        self.client = Client(random_seed=seed)
        space = {f"x{i}": ends for i, ends in enumerate(problem.bounds)}
        self.client.configure_experiment(parameter_configs(space))
        self.client.configure_optimization(
            objective=", ".join(f"-{name}" for name in values),
            outcome_constraints=[f"{name} >= 0" for name in slacks],
        )
        self.index = 0

    def ask(self) -> list[float]:
        ((self.index, point),) = self.client.get_next_trials(max_trials=1).items()
        return [float(point[f"x{i}"]) for i in range(len(point))]

    def tell(self, goals: Goals) -> None:
        named = zip(_METRICS, goals, strict=True)
        told = {f"{metric}{i}": one for metric, all_ in named for i, one in enumerate(all_)}
        self.client.complete_trial(self.index, told)


@dataclass(frozen=True)
class GoalMethod:
    """A method with its own design; ``start`` makes what asks and is told of a problem and seed."""

    description: str
    start: Callable[[GoalProblem, int], OptunaAsker | AxAsker]


METHODS = {
    "popbo-optuna": GoalMethod("PoPBOSampler", partial(OptunaAsker, "PoPBOSampler")),
    "optuna-gp": GoalMethod("Optuna's GPSampler", partial(OptunaAsker, "GPSampler")),
    "optuna-tpe": GoalMethod("Optuna's TPESampler", partial(OptunaAsker, "TPESampler")),
    "ax-default": GoalMethod("Ax's own choice of a strategy", AxAsker),
    "random": GoalMethod("Optuna's RandomSampler", partial(OptunaAsker, "RandomSampler")),
}


@dataclass(frozen=True)
class GoalSetting(Cell):
    """So many trials of a method on a problem."""

    problem: str
    method: str
    trials: int
    seed: int


@dataclass(frozen=True)
class GoalRecord:
    """All trials: objectives, slacks, and the seconds that each suggestion took.

    A sampler loses its place with the process, so a replication that was interrupted begins anew.
    """

    values: list[list[float]]
    slacks: list[list[float]]
    seconds: list[float]

    def losses(self, problem: GoalProblem) -> list[float]:
        """What was achieved after 1, 2, … trials."""
        found = [*zip(self.values, self.slacks, strict=True)]
        return [problem.loss(found[:number]) for number in range(1, len(found) + 1)]


@dataclass(frozen=True, kw_only=True)
class Fronts(Campaign[GoalSetting, GoalRecord]):
    """Methods on problems of several objectives or with constraints."""

    problems: tuple[str, ...]
    trials: int

    keys: ClassVar = {
        "problems": names(GOALS),
        "trials": Key(int, 40, lambda _: 12, least=1),
        **replicated(METHODS),
    }
    record: ClassVar = GoalRecord

    def cells(self) -> Iterator[GoalSetting]:
        for problem, method in product(self.problems, self.methods):
            for seed in range(self.seeds):
                yield GoalSetting(problem, method, self.trials, seed)

    def evaluate(
        self, cell: GoalSetting, records: list[GoalRecord], limited: Limited
    ) -> Iterator[GoalRecord]:
        problem = GOALS[cell.problem]()
        found: list[Goals] = []
        seconds = []
        with limited():
            asker = METHODS[cell.method].start(problem, cell.seed)
        for _ in range(cell.trials):
            start = perf_counter()
            with limited():
                point = asker.ask()
            seconds.append(perf_counter() - start)
            found.append(problem.evaluate(point))
            asker.tell(found[-1])
        yield GoalRecord([values for values, _ in found], [slacks for _, slacks in found], seconds)

    def report(self) -> None:
        """Tabulate hypervolumes, or best feasible values, and ranks after some trials."""
        results = pd.DataFrame(
            [
                (cell.problem, cell.method, cell.seed, number, loss, np.mean(record.seconds))
                for cell in self.cells()
                for record in self.records(cell)
                for number, loss in enumerate(record.losses(GOALS[cell.problem]()), start=1)
            ],
            columns=["problem", "method", "seed", "trials", "loss", "seconds"],
        )
        shown = results[results["trials"].isin({*_REPORTED, self.trials})]
        note = (
            "after so many trials, the initial ones included: the least feasible objective, or "
            "minus the hypervolume"
        )
        keys = ["problem", "method"]
        seconds = shown.groupby(keys, sort=False)["seconds"].mean().map("{:.3g}".format)
        losses = spread(shown, keys, "trials", "loss", self.seeds).assign(seconds=seconds)
        text = f"{note}\n{losses.to_string()}\n\n{_ranks(shown)}"
        write_files(self.output, "fronts and constraints", text, shown)


def _ranks(shown: pd.DataFrame) -> str:
    """Average ranks of the replications that all methods have; where nothing counts, the last."""
    keys = ["problem", "seed", "trials"]
    methods = shown["method"].unique()
    losses = shown.pivot(index=keys, columns="method", values="loss").reindex(columns=methods)
    complete = shown.groupby(keys)["method"].nunique() == len(methods)
    ranks = losses[complete].rank(axis=1, na_option="bottom")
    cells = ranks.groupby("trials").agg(estimate_of).T
    number = len(ranks.groupby(["problem", "seed"]))
    return f"average rank in {number} replications ± standard error\n{cells.to_string()}"
