"""From records to curves: how good the best point is, trial by trial."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from botorch_popbo.benchmarks.methods import METHODS
from botorch_popbo.benchmarks.problems import PROBLEMS, Problem
from botorch_popbo.benchmarks.report.summary import Array, Curve, Summary
from botorch_popbo.benchmarks.run._versions import COMMIT
from botorch_popbo.benchmarks.settings import Parameters, Setting, TrialRecord

if TYPE_CHECKING:
    from botorch_popbo.benchmarks.experiments.optimization.campaign import Optimization


def summarize(campaign: "Optimization") -> list[Summary]:
    """Summarize every problem of a campaign, in its order.

    Raises:
        UsageError: If a problem's table is missing.
        RecordError: If recorded trials are damaged.
    """
    summaries = []
    for name, initial in campaign.initial.items():
        problem = PROBLEMS[name].load(campaign.data)
        complete = {method: _complete(campaign, name, method) for method in campaign.methods}
        summaries.append(
            Summary(
                problem=problem,
                initial=initial,
                trials=campaign.trials,
                seeds=campaign.seeds,
                curves=tuple(
                    _curve(problem, initial, method, found)
                    for method, found in complete.items()
                    if found
                ),
                without=tuple(method for method, found in complete.items() if not found),
            )
        )
    return summaries


def _complete(campaign: "Optimization", problem: str, method: str) -> dict[int, list[TrialRecord]]:
    """The trials of the complete replications, as many as were asked for, by seed."""
    found = {}
    for seed in range(campaign.seeds):
        cell = Setting(problem, method, campaign.initial[problem], seed)
        records, length = campaign.records(cell), campaign.num_records(cell)
        if len(records) >= length:
            found[seed] = records[:length]
    return found


def _curve(
    problem: Problem, initial: int, method: str, found: Mapping[int, Sequence[TrialRecord]]
) -> Curve:
    replications = found.values()
    own = [(problem.for_seed(seed), records) for seed, records in found.items()]
    suggestions = [records[initial:] for records in replications]
    seconds = [[0.0, *(record.optimizer_seconds for record in records)] for records in suggestions]
    return Curve(
        method=method,
        seeds=tuple(found),
        traces=np.array([trace(*replication)[initial - 1 :] for replication in own]),
        best=np.array([best_evaluated(*replication) for replication in own]),
        times=np.cumsum(seconds, axis=-1),
        measures=tuple(one.measures(best_known(one, records)) for one, records in own),
        num_fallbacks=sum(
            METHODS[method].is_fallback(record.generator)
            for records in suggestions
            for record in records
        ),
        versions=tuple(sorted({_versions(r) for records in replications for r in records})),
    )


def _versions(record: TrialRecord) -> str:
    # Not every commit changes results, and a long campaign sees many.
    packages = {name: text for name, text in record.versions.items() if name != COMMIT}
    return ", ".join(f"{name} {text}" for name, text in packages.items())


def trace(problem: Problem, records: Sequence[TrialRecord]) -> Array:
    """Follow the score of the best point known so far, or its regret if the optimum is known.

    The best point is the one with the best observation; a failed one comes after all others. On a
    noisy problem that may be a lucky one, so a method whose model was asked counts with the point
    that the model holds for the best.
    A model is asked before each suggestion and not after the last evaluation, so the last entry
    repeats the one before it, as does one after which the model was not asked, if it was earlier.
    """
    values = _scores(records)[_best_observed(problem, records)]
    if problem.noisy:
        # What the model held for the best before a trial is its verdict on the trials so far.
        verdicts = [record.incumbent_score for record in records[1:]] + [None]
        values = pd.Series(verdicts, dtype=float).ffill().fillna(pd.Series(values)).to_numpy()
    return _losses(problem, values)


def best_known(problem: Problem, records: Sequence[TrialRecord]) -> Parameters:
    """The point with the best observation."""
    return records[int(_best_observed(problem, records)[-1])].parameters


def best_evaluated(problem: Problem, records: Sequence[TrialRecord]) -> float:
    """The best score, or its regret, among the points that were evaluated without a failure.

    It is not a number if the score of some point was not recorded, or none succeeded.
    """
    scores = _scores([record for record in records if record.observed is not None])
    if not scores.size:
        return math.nan
    best = scores.min(keepdims=True) if problem.minimize else scores.max(keepdims=True)
    return float(_losses(problem, best)[0])


def _scores(records: Sequence[TrialRecord]) -> Array:
    return np.array([np.nan if r.score is None else r.score for r in records], dtype=float)


def _best_observed(problem: Problem, records: Sequence[TrialRecord]) -> NDArray[np.int64]:
    """Position of the best observation among the first 1, 2, … trials."""
    sign = 1 if problem.minimize else -1
    losses = np.array([np.inf if r.observed is None else sign * r.observed for r in records])
    best = np.minimum.accumulate(losses)
    is_better = np.append(True, losses[1:] < best[:-1])
    return np.maximum.accumulate(np.where(is_better, np.arange(len(losses)), 0))


def _losses(problem: Problem, values: Array) -> Array:
    if problem.optimal_value is None:
        return values
    return values - problem.optimal_value if problem.minimize else problem.optimal_value - values
