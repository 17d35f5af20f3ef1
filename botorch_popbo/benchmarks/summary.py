r"""From records to curves: the mean over seeds and its standard error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from botorch_popbo.benchmarks.methods import METHODS
from botorch_popbo.benchmarks.problems import Problem
from botorch_popbo.benchmarks.records import TrialRecord, read_records, records_path
from botorch_popbo.benchmarks.settings import Campaign, Setting

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Curve:
    r"""A method's progress on a problem, over its complete replications.

    Entry 0 of each array is the state after the initial design, entry t after t more evaluations.

    Attributes:
        method: The method's name.
        num_seeds: The number of replications.
        mean: The mean over the replications of the regret or the best value.
        error: The mean's standard error; not a number for a single replication.
        seconds: The mean cumulative wall-clock time of the suggestions.
        num_fallbacks: The number of suggestions that were not the method's own.
        versions: The versions of packages that the trials were run with, each once.
    """

    method: str
    num_seeds: int
    mean: Array
    error: Array
    seconds: Array
    num_fallbacks: int
    versions: tuple[str, ...]

    @property
    def seconds_per_suggestion(self) -> float:
        r"""The mean wall-clock time of a suggestion."""
        return float(self.seconds[-1] / (len(self.seconds) - 1))


@dataclass(frozen=True)
class Summary:
    r"""All curves of a problem.

    Attributes:
        problem: The problem.
        initial: The size of the initial design, in trials.
        trials: The number of evaluations after it.
        curves: The curve of each method that has a complete replication.
    """

    problem: Problem
    initial: int
    trials: int
    curves: tuple[Curve, ...]

    @property
    def quantity(self) -> str:
        r"""What the curves show, with its unit."""
        label = self.problem.label
        if self.problem.optimal_value is not None:
            return f"regret in {label}"
        return f"{'lowest' if self.problem.minimize else 'highest'} {label}"

    @property
    def best(self) -> str | None:
        r"""The method with the best mean at the end, or None without curves."""
        is_loss = self.problem.minimize or self.problem.optimal_value is not None
        sign = 1.0 if is_loss else -1.0
        ranked = sorted(self.curves, key=lambda curve: sign * curve.mean[-1])
        return ranked[0].method if ranked else None


def summarize(campaign: Campaign, problems: Mapping[str, Problem]) -> list[Summary]:
    r"""Read the records of a campaign.

    Args:
        campaign: The campaign.
        problems: Its problems by name.

    Returns:
        A summary of every problem, in the campaign's order.

    Raises:
        RecordError: If recorded trials are damaged.
    """
    summaries = []
    for name, initial in campaign.initial.items():
        curves = (_curve(campaign, problems[name], initial, method) for method in campaign.methods)
        found = tuple(curve for curve in curves if curve is not None)
        summaries.append(Summary(problems[name], initial, campaign.trials, found))
    return summaries


def trace(problem: Problem, records: Sequence[TrialRecord]) -> Array:
    r"""Follow the score of the best point observed so far, or its regret if that is known.

    Args:
        problem: The problem.
        records: The trials of one replication, from the first.

    Returns:
        One number for each trial, in the metric's unit.
    """
    losses = np.array([r.observed if problem.minimize else -r.observed for r in records])
    # Position of the best observation among the first 1, 2, … trials.
    is_incumbent = losses == np.minimum.accumulate(losses)
    is_incumbent[1:] &= losses[1:] < np.minimum.accumulate(losses)[:-1]
    incumbent = np.maximum.accumulate(np.where(is_incumbent, np.arange(len(losses)), 0))
    scores = np.array([np.nan if r.score is None else r.score for r in records], dtype=float)
    values = scores[incumbent]
    if problem.optimal_value is None:
        return values
    return values - problem.optimal_value if problem.minimize else problem.optimal_value - values


def _curve(campaign: Campaign, problem: Problem, initial: int, name: str) -> Curve | None:
    replications = []
    length = initial + campaign.trials
    for seed in range(campaign.seeds):
        setting = Setting(problem.name, name, initial, seed)
        records = read_records(records_path(campaign.output, setting), setting)
        if len(records) >= length:
            replications.append(records[:length])
    if not replications:
        return None
    traces = np.array([trace(problem, records)[initial - 1 :] for records in replications])
    seconds = np.array([_cumulative_seconds(records[initial:]) for records in replications])
    count = len(replications)
    spread = traces.std(axis=0, ddof=1) if count > 1 else np.full(traces.shape[1], np.nan)
    suggestions = [record for records in replications for record in records[initial:]]
    return Curve(
        method=name,
        num_seeds=count,
        mean=traces.mean(axis=0),
        error=spread / np.sqrt(count),
        seconds=seconds.mean(axis=0),
        num_fallbacks=sum(METHODS[name].is_fallback(record.generator) for record in suggestions),
        versions=tuple(sorted({_versions(r) for records in replications for r in records})),
    )


def _cumulative_seconds(suggestions: Sequence[TrialRecord]) -> Array:
    return np.cumsum([0.0] + [record.optimizer_seconds for record in suggestions])


def _versions(record: TrialRecord) -> str:
    return ", ".join(f"{name} {version}" for name, version in record.versions.items())
