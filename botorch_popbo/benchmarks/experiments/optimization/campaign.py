"""Methods on problems, trial by trial."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, ClassVar, Self

from botorch_popbo.benchmarks.experiments.optimization._loop import Loop
from botorch_popbo.benchmarks.methods import METHODS
from botorch_popbo.benchmarks.problems import PATTERNS, PROBLEMS, expand
from botorch_popbo.benchmarks.run import _keys
from botorch_popbo.benchmarks.run.campaign import Campaign, Limited
from botorch_popbo.benchmarks.settings import Setting, TrialRecord


@dataclass(frozen=True, kw_only=True)
class Optimization(Campaign[Setting, TrialRecord]):
    """A comparison of methods on problems.

    Recorded trials are reported to a fresh optimizer with their observations, so that the method
    sees what it saw in the process that recorded them.

    Attributes:
        initial: The size of the initial design by problem name, in trials, in the order in which
            the problems are reported.
        trials: The number of evaluations after the initial design.
        data: The folder of table files, or None.
    """

    initial: Mapping[str, int]
    trials: int
    data: Path | None = None

    registry: ClassVar = METHODS
    keys: ClassVar = {
        "problems": _keys.names(
            PROBLEMS, "sklearn-digits", "hartmann6", expand=expand, patterns=PATTERNS
        ),
        "methods": _keys.names(METHODS, "popbo-logei", "gp-logei"),
        "trials": _keys.count(20, smoke=3),
        "seeds": _keys.count(3, smoke=1),
        "initial": _keys.count(least=2),
        "jobs": _keys.count(),
        "limit": _keys.seconds(),
    }
    record: ClassVar = TrialRecord

    @classmethod
    def planned(cls, *, data: Path | None, **values: Any) -> Self:
        """See the base class."""
        problems, size = values.pop("problems"), values.pop("initial")
        found = {name: PROBLEMS[name].load(data) for name in problems}
        initial = {name: size or problem.num_initial for name, problem in found.items()}
        return cls(initial=initial, data=data, **values)

    def cells(self) -> Iterator[Setting]:
        """Yield the replications, the seeds of one comparison together.

        Replications of a slow method then start together instead of one being left for the end,
        when nothing runs beside it.
        """
        for problem, initial in self.initial.items():
            for method in self.methods:
                for seed in range(self.seeds):
                    yield Setting(problem=problem, method=method, initial=initial, seed=seed)

    def num_records(self, cell: Setting) -> int:
        """The number of trials of a complete replication, the initial design included."""
        return cell.initial + self.trials

    def evaluate(
        self, cell: Setting, records: list[TrialRecord], limited: Limited
    ) -> Iterator[TrialRecord]:
        """See the base class."""
        problem = PROBLEMS[cell.problem].load(self.data).for_seed(cell.seed)
        loop = Loop(problem, cell, records, limited)
        yield from map(loop.step, count(len(records)))

    def report(self) -> None:
        """See the base class."""
        # Workers need no plots.
        from botorch_popbo.benchmarks.report import summarize
        from botorch_popbo.benchmarks.report._optimization import write_report

        write_report(summarize(self), self.output)
