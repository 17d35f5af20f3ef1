"""Fronts and constraints: several objectives, or one that counts where constraints hold."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any, ClassVar

import pandas as pd

from botorch_popbo._errors import library
from botorch_popbo.benchmarks.experiments.measured import Measured
from botorch_popbo.benchmarks.methods.optuna_samplers import sampler_of
from botorch_popbo.benchmarks.problems.goals import GOALS, GoalProblem, Goals
from botorch_popbo.benchmarks.report.text import estimate_of
from botorch_popbo.benchmarks.run.campaign import Limited
from botorch_popbo.benchmarks.run.keys import Key, names, replicated
from botorch_popbo.benchmarks.settings import Cell

_METRICS = "value", "slack"


class OptunaAsker:
    """A sampler of Optuna's, or this package's, by the name of its class, as users have it."""

    def __init__(self, sampler: str, problem: GoalProblem, seed: int) -> None:
        self.optuna = library("optuna", sampler, "optuna")
        self.optuna.logging.set_verbosity(self.optuna.logging.ERROR)
        num_objectives, num_constraints = problem.shape
        # Optuna's constraints are violated where they are positive.
        options = {"constraints_func": lambda trial: trial.user_attrs["violations"]}
        is_told = num_constraints and sampler != "RandomSampler"
        self.study = self.optuna.create_study(
            directions=["minimize"] * num_objectives,
            sampler=sampler_of(sampler)(seed=seed, **(options if is_told else {})),
        )
        self.bounds = problem.bounds
        self.trial: Any = None

    def ask(self) -> list[float]:
        """Return the next point."""
        self.trial = self.study.ask()
        return [self.trial.suggest_float(f"x{i}", *ends) for i, ends in enumerate(self.bounds)]

    def tell(self, goals: Goals) -> None:
        """Learn the goals of the last point."""
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
        """Return the next point."""
        ((self.index, point),) = self.client.get_next_trials(max_trials=1).items()
        return [float(point[f"x{i}"]) for i in range(len(point))]

    def tell(self, goals: Goals) -> None:
        """Learn the goals of the last point."""
        named = zip(_METRICS, goals, strict=True)
        data = {f"{metric}{i}": one for metric, all_ in named for i, one in enumerate(all_)}
        self.client.complete_trial(self.index, data)


#: Makes a method, which begins with its own design, from a problem and a seed.
METHODS: dict[str, Callable[[GoalProblem, int], OptunaAsker | AxAsker]] = {
    "popbo-optuna": partial(OptunaAsker, "PoPBOSampler"),
    "optuna-gp": partial(OptunaAsker, "GPSampler"),
    "optuna-tpe": partial(OptunaAsker, "TPESampler"),
    "ax-default": AxAsker,
    "random": partial(OptunaAsker, "RandomSampler"),
}


@dataclass(frozen=True)
class GoalSetting(Cell):
    """So many trials of a method on a problem."""

    problem: str
    method: str
    trials: int
    seed: int


@dataclass(frozen=True, kw_only=True)
class Fronts(Measured[GoalSetting]):
    """Methods on problems of several objectives or with constraints."""

    problems: tuple[str, ...]
    trials: int

    keys: ClassVar = {
        "problems": names(GOALS),
        "trials": Key(int, 40, lambda _: 12, least=1),
        **replicated(METHODS),
    }
    cell: ClassVar = GoalSetting
    axes: ClassVar = "problems", "methods", "trials"
    note: ClassVar = (
        "the least feasible objective, or minus the hypervolume, after so many trials, the initial "
        "ones included"
    )
    reported: ClassVar = (15, 20, 30, 40)

    def measure(self, cell: GoalSetting, limited: Limited) -> dict[str, float]:
        """See the base class."""
        problem, seconds = GOALS[cell.problem](), 0.0
        found: list[Goals] = []
        numbers = {}
        with limited():
            asker = METHODS[cell.method](problem, cell.seed)
        for trial in range(1, cell.trials + 1):
            start = perf_counter()
            with limited():
                point = asker.ask()
            seconds += perf_counter() - start
            found.append(problem.evaluate(point))
            asker.tell(found[-1])
            numbers[str(trial)] = problem.loss(found)
        return {**numbers, "seconds": seconds / cell.trials}

    def text(self, results: pd.DataFrame, shown: list[str]) -> str:
        """The table, and below it the average ranks."""
        return f"{super().text(results, shown)}\n\n{_ranks(results, shown)}"


def _ranks(results: pd.DataFrame, shown: list[str]) -> str:
    """Average ranks in the replications that all methods have; where nothing counts, the last."""
    one, number = ["problem", "seed"], results["method"].nunique()
    complete = results.groupby(one).filter(lambda found: len(found) == number)
    ranks = complete.groupby(one)[shown].rank(na_option="bottom")
    cells = ranks.groupby(complete["method"], sort=False).agg(estimate_of)
    return (
        f"average rank in {len(complete) // number} replications ± standard error\n"
        f"{cells.to_string()}"
    )
