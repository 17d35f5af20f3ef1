"""What identifies a replication and what a campaign consists of.

Free of heavy imports, so that worker processes can read a task before Ax is loaded.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

#: One point of a search space: a value for every parameter name.
Parameters = Mapping[str, bool | int | float | str]


@dataclass(frozen=True)
class Setting:
    """One replication: a method on a problem from a seed.

    Everything that changes what a recorded trial means is here and in the name of the file that
    holds the records, so that runs under other settings never mix. The number of trials is not:
    asking for more continues the same replication.

    Attributes:
        problem: The problem's name in the registry.
        method: The method's name in the registry.
        initial: The size of the initial design, in trials.
        seed: The replication's seed, at least 0.
    """

    problem: str
    method: str
    initial: int
    seed: int

    @property
    def stem(self) -> str:
        """The name of the replication's files, without a suffix."""
        return f"{self.problem}--{self.method}--i{self.initial}--s{self.seed}"


@dataclass(frozen=True)
class Campaign:
    """A comparison of methods on problems.

    Attributes:
        initial: The size of the initial design by problem name, in trials, in the order in which
            the problems are reported.
        methods: Names of methods, in the order in which they are reported.
        trials: The number of evaluations after the initial design.
        seeds: The number of replications of each method on each problem.
        jobs: The number of replications that run at the same time.
        output: The folder of records, tables and plots.
        data: The folder of table files, or None.
        limit: The time limit, in seconds, of one call into a method.
        backend: Where replications run: ``"local"``, worker processes of this machine, or
            ``"ray"``, a Ray cluster.
    """

    initial: Mapping[str, int]
    methods: tuple[str, ...]
    trials: int
    seeds: int
    jobs: int
    output: Path
    data: Path | None
    limit: float = 600.0
    backend: str = "local"

    def settings(self) -> Iterator[Setting]:
        """Yield the replications, the seeds of one comparison together.

        Replications of a slow method then start together instead of one being left for the end,
        when nothing runs beside it.
        """
        for problem, initial in self.initial.items():
            for method in self.methods:
                for seed in range(self.seeds):
                    yield Setting(problem=problem, method=method, initial=initial, seed=seed)

    def num_trials(self, setting: Setting) -> int:
        """The number of trials of a complete replication, the initial design included."""
        return setting.initial + self.trials
