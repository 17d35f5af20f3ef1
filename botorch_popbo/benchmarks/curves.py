"""From records to a curve: the mean over seeds and its standard error."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from botorch_popbo.benchmarks.methods import METHODS
from botorch_popbo.benchmarks.problems import Problem
from botorch_popbo.benchmarks.records import TrialRecord, read_records, records_path
from botorch_popbo.benchmarks.settings import Campaign, Setting
from botorch_popbo.benchmarks.trace import Array, best_evaluated, best_known, trace
from botorch_popbo.benchmarks.versions import COMMIT


@dataclass(frozen=True)
class End:
    """Where one replication ended.

    Attributes:
        seed: The replication's seed.
        result: The regret or value of the point that the method holds for the best.
        best_evaluated: The same of the best point evaluated; not a number if some score was not
            recorded.
        seconds_per_suggestion: The mean wall-clock time of a suggestion.
        measures: What else the problem knows of the point with the best observation.
    """

    seed: int
    result: float
    best_evaluated: float
    seconds_per_suggestion: float
    measures: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Curve:
    """A method's progress on a problem, over its complete replications.

    Entry 0 of each array is the state after the initial design, entry t after t more evaluations.

    Attributes:
        method: The method's name.
        num_seeds: The number of replications.
        mean: The mean over the replications of the regret or the best value.
        error: The mean's standard error; not a number for a single replication.
        best_evaluated: The mean, at the end, of the regret or value of the best point evaluated,
            whichever the method holds for the best; not a number if some score was not recorded.
        best_evaluated_error: Its standard error; also not a number for a single replication.
        seconds: The mean cumulative wall-clock time of the suggestions.
        num_fallbacks: The number of suggestions that were not the method's own.
        versions: The versions of packages that the trials were run with, each once.
        ends: Where each replication ended.
    """

    method: str
    num_seeds: int
    mean: Array
    error: Array
    best_evaluated: float
    best_evaluated_error: float
    seconds: Array
    num_fallbacks: int
    versions: tuple[str, ...]
    ends: tuple[End, ...]

    @property
    def seconds_per_suggestion(self) -> float:
        """The mean wall-clock time of a suggestion."""
        return float(self.seconds[-1] / (len(self.seconds) - 1))

    @property
    def seconds_by_suggestion(self) -> Array:
        """The mean wall-clock time of the first, second, … suggestion."""
        return np.diff(self.seconds)


def make_curve(campaign: Campaign, problem: Problem, initial: int, name: str) -> Curve | None:
    """Read the replications of a method on a problem.

    Args:
        campaign: The campaign.
        problem: The problem.
        initial: The size of the initial design, in trials.
        name: The method's name.

    Returns:
        The curve, or None without a complete replication.

    Raises:
        RecordError: If recorded trials are damaged.
    """
    seeds, replications = [], []
    length = initial + campaign.trials
    for seed in range(campaign.seeds):
        setting = Setting(problem.name, name, initial, seed)
        records = read_records(records_path(campaign.output, setting), setting)
        if len(records) >= length:
            seeds.append(seed)
            replications.append(records[:length])
    if not replications:
        return None
    traces = np.array([trace(problem, records)[initial - 1 :] for records in replications])
    best = np.array([best_evaluated(problem, records) for records in replications])
    seconds = np.array([_cumulative_seconds(records[initial:]) for records in replications])
    suggestions = [record for records in replications for record in records[initial:]]
    return Curve(
        method=name,
        num_seeds=len(replications),
        mean=traces.mean(axis=0),
        error=_standard_error(traces),
        best_evaluated=float(best.mean()),
        best_evaluated_error=float(_standard_error(best[:, None])[0]),
        seconds=seconds.mean(axis=0),
        num_fallbacks=sum(METHODS[name].is_fallback(record.generator) for record in suggestions),
        versions=tuple(sorted({_versions(r) for records in replications for r in records})),
        ends=tuple(
            End(
                seed=seed,
                result=float(end),
                best_evaluated=float(lowest),
                seconds_per_suggestion=float(total / campaign.trials),
                measures=problem.measures(best_known(problem, records)),
            )
            for seed, end, lowest, total, records in zip(
                seeds, traces[:, -1], best, seconds[:, -1], replications, strict=True
            )
        ),
    )


def _standard_error(values: Array) -> Array:
    """The standard error of each column's mean, for ``replications x entries``."""
    count = len(values)
    if count == 1:
        return np.full(values.shape[1], np.nan)
    error: Array = values.std(axis=0, ddof=1) / np.sqrt(count)
    return error


def _cumulative_seconds(suggestions: Sequence[TrialRecord]) -> Array:
    return np.cumsum([0.0] + [record.optimizer_seconds for record in suggestions])


def _versions(record: TrialRecord) -> str:
    # Not every commit changes results, and a long campaign sees many.
    packages = {name: text for name, text in record.versions.items() if name != COMMIT}
    return ", ".join(f"{name} {text}" for name, text in packages.items())
