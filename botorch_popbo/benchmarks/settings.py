"""What is compared by default, what identifies a replication, and what is kept of its trials."""

from collections.abc import Mapping
from dataclasses import dataclass

#: One point of a search space: a value for every parameter name.
Parameters = Mapping[str, bool | int | float | str]

DEFAULT_METHODS = ("popbo", "ax-default", "botorch-gp", "optuna-tpe")


class Cell:
    """One replication of an experiment.

    A dataclass whose fields identify it and begin each of its records.
    """

    method: str
    seed: int

    def __str__(self) -> str:
        return f"{self.method} on {self.task}, seed {self.seed}"

    @property
    def task(self) -> str:
        """What the method works at: all but itself and the seed."""
        named = vars(self).items()
        rest = [f"{name} {value}" for name, value in named if name not in ("method", "seed")]
        return ", ".join(rest)

    @property
    def stem(self) -> str:
        """The name of the replication's files, without a suffix."""
        return "--".join(map(str, vars(self).values()))


@dataclass(frozen=True)
class Setting(Cell):
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
    def task(self) -> str:
        """The problem."""
        return self.problem

    @property
    def stem(self) -> str:
        """See the base class."""
        return f"{self.problem}--{self.method}--i{self.initial}--s{self.seed}"


@dataclass(frozen=True)
class TrialRecord:
    """A finished trial.

    Attributes:
        trial: The trial's index in its replication, from 0.
        parameters: The point evaluated.
        observed: What methods observe, in the problem's unit, or None if the evaluation failed.
        score: The noise-free value of the point, or None where a failed one has none.
        incumbent_score: The noise-free value of the point that the method's model recommended
            before this trial, or None if there is no model.
        optimizer_seconds: Wall-clock time of the suggestion, fitting included.
        evaluation_seconds: Wall-clock time of the evaluation.
        generator: What made the point: the method by its name, or what Ax fell back on.
        versions: Version by package name: this package, what it is built on and the method's own
            library; and the commit of a checkout.
    """

    trial: int
    parameters: Parameters
    observed: float | None
    score: float | None
    incumbent_score: float | None
    optimizer_seconds: float
    evaluation_seconds: float
    generator: str
    versions: dict[str, str]
