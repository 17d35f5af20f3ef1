"""From the records of a problem to curves."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from botorch_popbo.benchmarks.methods import Method
from botorch_popbo.benchmarks.problems import Problem
from botorch_popbo.benchmarks.report._traces import best_evaluated, best_known, recommended, trace
from botorch_popbo.benchmarks.report.summary import Array, Curve
from botorch_popbo.benchmarks.run._versions import COMMIT
from botorch_popbo.benchmarks.settings import TrialRecord

#: The trials of each complete replication, by seed.
Replications = Mapping[int, Sequence[TrialRecord]]


def curve(problem: Problem, initial: int, method: Method, found: Replications) -> Curve:
    """The curve of a method, of at least one replication with an initial design of that size."""
    replications = found.values()
    own = [(problem.for_seed(seed), records) for seed, records in found.items()]
    suggestions = [records[initial:] for records in replications]
    seconds = [[0.0, *(record.optimizer_seconds for record in records)] for records in suggestions]

    def follow(trace: Callable[[Problem, Sequence[TrialRecord]], Array]) -> Array:
        """From the end of the initial design on, ``replications x entries``."""
        return np.array([trace(*replication)[initial - 1 :] for replication in own])

    return Curve(
        method=method.name,
        seeds=tuple(found),
        traces=follow(trace),
        evaluated=follow(best_evaluated),
        recommended=follow(recommended),
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
