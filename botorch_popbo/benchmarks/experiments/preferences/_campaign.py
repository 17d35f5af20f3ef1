"""Interviewers times functions times seeds."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from time import perf_counter
from typing import ClassVar

import pandas as pd
import torch
from botorch.utils.sampling import manual_seed
from matplotlib.figure import Figure

from botorch_popbo.benchmarks.experiments.preferences._interviewers import METHODS
from botorch_popbo.benchmarks.experiments.preferences._judge import FUNCTIONS, Judge
from botorch_popbo.benchmarks.report import figures
from botorch_popbo.benchmarks.report._files import frame, write_files
from botorch_popbo.benchmarks.report._format import estimate_of, number, tabulate
from botorch_popbo.benchmarks.run._keys import JOBS, LIMIT, Key, names
from botorch_popbo.benchmarks.run.campaign import Campaign, Limited
from botorch_popbo.benchmarks.settings import Cell


@dataclass(frozen=True)
class Interview(Cell):
    """A method asks a judge; for the settings see :class:`Judge`."""

    function: str
    deviation: float
    indifference: float
    method: str
    seed: int

    @property
    def task(self) -> str:
        return self.function

    @property
    def judge(self) -> Judge:
        """Who answers."""
        return Judge(self.function, self.deviation, self.indifference, self.seed)


@dataclass(frozen=True)
class Answer:
    """One answer, and what it led to.

    Attributes:
        trial: The question's index, from 0.
        items: The two points.
        winner: The place of the better one, None for a tie.
        regret: The noise-free regret of the point that is then held to be the best.
        seconds: Wall-clock time of the question and of the best point.
    """

    trial: int
    items: list[list[float]]
    winner: int | None
    regret: float
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Preferences(Campaign[Interview, Answer]):
    """Methods that are told choices alone.

    Attributes:
        problems: Names of functions.
        answers: Numbers of answers after which regrets are reported; the largest ends an interview.
        deviation: Standard deviation of the noise of each compared value.
        indifference: Noisy values that differ by less are a tie.
    """

    problems: tuple[str, ...]
    answers: tuple[int, ...]
    deviation: float
    indifference: float

    registry: ClassVar = METHODS
    keys: ClassVar = {
        "problems": names(FUNCTIONS),
        "methods": names(METHODS),
        "answers": Key(int, (24, 36, 75, 150), lambda _: (3, 7), least=1),
        "deviation": Key(float, 0.2),
        "indifference": Key(float, 0.0),
        "seeds": Key(int, 10, lambda _: 2, least=1),
        "jobs": JOBS,
        "limit": LIMIT,
    }
    record: ClassVar = Answer

    def cells(self) -> Iterator[Interview]:
        judges = (self.problems, [float(self.deviation)], [float(self.indifference)])
        return (
            Interview(*setting) for setting in product(*judges, self.methods, range(self.seeds))
        )

    def num_records(self, cell: Interview) -> int:
        return max(self.answers)

    def evaluate(
        self, cell: Interview, records: list[Answer], limited: Limited
    ) -> Iterator[Answer]:
        judge, bounds = cell.judge, torch.as_tensor(FUNCTIONS[cell.function].bounds)
        interviewer = METHODS[cell.method].start(bounds, cell.seed)
        for record in records:
            interviewer.tell(torch.tensor(record.items, dtype=torch.float64), record.winner)
        for trial in range(len(records), max(self.answers)):
            start = perf_counter()
            with limited(), manual_seed(cell.seed):
                items = interviewer.ask()
            winner = judge.choose(items, trial)
            interviewer.tell(items, winner)
            with limited(), manual_seed(cell.seed):
                best = interviewer.best
            seconds = perf_counter() - start
            yield Answer(trial, items.tolist(), winner, judge.regret(best), seconds)

    def report(self) -> None:
        """Print and write mean and standard error of the regrets, and draw their curves."""
        results = frame(self).drop(columns="items").astype({"regret": float, "seconds": float})
        text, figure = table(self, results), _draw(self, results)
        write_files(self.output, "preferences", text, results, figure)


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
    ties = f", ties below {campaign.indifference:g}" if campaign.indifference else ""
    note = f"mean regret ± standard error after so many answers, noise {campaign.deviation:g}{ties}"
    return f"{tabulate(rows, ['function', 'method'])}\n{note}"


def _draw(campaign: Preferences, results: pd.DataFrame) -> Figure:
    """A panel for each function: mean regrets with bands of one standard error."""
    figure, [panels] = figures.make_figure(1, len(campaign.problems))
    for panel, name in zip(panels, campaign.problems, strict=True):
        for index, method in enumerate(campaign.methods):
            own = results[(results["function"] == name) & (results["method"] == method)]
            regrets = own.groupby(own["trial"] + 1)["regret"]
            mean, error = regrets.mean(), regrets.sem().fillna(0.0)
            figures.draw_curve(panel, index, method, mean.index, mean, mean - error, mean + error)
        panel.set(title=name, xlabel="answers", ylabel="regret", yscale="log")
    figures.finish(figure, panels, "Mean over the seeds, band ± standard error")
    return figure
