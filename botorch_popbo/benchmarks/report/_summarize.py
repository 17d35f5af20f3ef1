"""From the records of a campaign to curves."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from botorch_popbo.benchmarks.methods import Method
from botorch_popbo.benchmarks.problems import Problem
from botorch_popbo.benchmarks.report._traces import (
    best_evaluated,
    best_known,
    recommended,
    trace,
)
from botorch_popbo.benchmarks.report.summary import Array, Curve, Summary
from botorch_popbo.benchmarks.run._versions import COMMIT
from botorch_popbo.benchmarks.settings import Setting, TrialRecord

if TYPE_CHECKING:
    from botorch_popbo.benchmarks.experiments.optimization.campaign import Optimization

#: A problem, with the records of one replication.
Replication = tuple[Problem, Sequence[TrialRecord]]
#: A number for each trial of a replication.
Trace = Callable[[Problem, Sequence[TrialRecord]], Array]


def summarize(campaign: "Optimization") -> list[Summary]:
    """Summarize every problem of a campaign, in its order.

    Raises:
        UsageError: If a problem's table is missing.
        RecordError: If recorded trials are damaged.
    """
    summaries = []
    for name, initial in campaign.initial.items():
        problem = campaign.problem(name)
        complete = {
            campaign.method(method): complete_replications(campaign, name, method)
            for method in campaign.methods
        }
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
                without=tuple(method.name for method, found in complete.items() if not found),
            )
        )
    return summaries


def complete_replications(
    campaign: "Optimization", problem: str, method: str
) -> dict[int, list[TrialRecord]]:
    """The trials of the complete replications, as many as were asked for, by seed."""
    found = {}
    for seed in range(campaign.seeds):
        cell = Setting(problem, method, campaign.initial[problem], seed)
        records, length = campaign.records(cell), campaign.num_records(cell)
        if len(records) >= length:
            found[seed] = records[:length]
    return found


def _curve(
    problem: Problem, initial: int, method: Method, found: Mapping[int, Sequence[TrialRecord]]
) -> Curve:
    replications = found.values()
    own = [(problem.for_seed(seed), records) for seed, records in found.items()]
    suggestions = [records[initial:] for records in replications]
    seconds = [[0.0, *(record.optimizer_seconds for record in records)] for records in suggestions]
    return Curve(
        method=method.name,
        seeds=tuple(found),
        traces=_follow(trace, own, initial),
        evaluated=_follow(best_evaluated, own, initial),
        recommended=_follow(recommended, own, initial),
        times=np.cumsum(seconds, axis=-1),
        measures=tuple(one.measures(best_known(one, records)) for one, records in own),
        num_fallbacks=sum(
            method.is_fallback(record.generator) for records in suggestions for record in records
        ),
        num_failed=sum(
            all(record.observed is None for record in records) for records in replications
        ),
        versions=tuple(sorted({_versions(r) for records in replications for r in records})),
    )


def _versions(record: TrialRecord) -> str:
    # Not every commit changes results, and a long campaign sees many.
    packages = {name: text for name, text in record.versions.items() if name != COMMIT}
    return ", ".join(f"{name} {text}" for name, text in packages.items())


def _follow(trace: Trace, replications: Sequence[Replication], initial: int) -> Array:
    """From the end of the initial design on, ``replications x entries``."""
    return np.array([trace(*replication)[initial - 1 :] for replication in replications])
