"""From records to curves."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from botorch_popbo.benchmarks.methods import METHODS
from botorch_popbo.benchmarks.problems import PROBLEMS, Problem
from botorch_popbo.benchmarks.report._trace import best_evaluated, best_known, trace
from botorch_popbo.benchmarks.report.summary import Curve, Summary
from botorch_popbo.benchmarks.run._versions import COMMIT
from botorch_popbo.benchmarks.settings import Setting, TrialRecord

if TYPE_CHECKING:
    from botorch_popbo.benchmarks.experiments.optimization.campaign import Optimization


def summarize(campaign: "Optimization") -> list[Summary]:
    """Read the records of a campaign.

    Args:
        campaign: The campaign.

    Returns:
        A summary of every problem, in the campaign's order.

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
    suggestions = [records[initial:] for records in replications]
    seconds = [[0.0, *(record.optimizer_seconds for record in records)] for records in suggestions]
    return Curve(
        method=method,
        seeds=tuple(found),
        traces=np.array([trace(problem, records)[initial - 1 :] for records in replications]),
        best=np.array([best_evaluated(problem, records) for records in replications]),
        times=np.cumsum(seconds, axis=-1),
        measures=tuple(problem.measures(best_known(problem, records)) for records in replications),
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
