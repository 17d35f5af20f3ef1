"""What the records of a problem amount to: the curves of all methods."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from botorch_popbo.benchmarks.problems import Problem

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Curve:
    """A method's progress on a problem, over its complete replications.

    The first entry along the last axis is the state after the initial design, entry t after t
    more evaluations.

    Attributes:
        method: The method's name.
        seeds: The seeds of the replications.
        traces: The regret or the best value, ``replications x entries``.
        evaluated: The same of the best point evaluated, whatever was observed of it; not a number
            from the first score on that was not recorded, and before the first success.
        recommended: The same of the point that the method's model holds to be the best, or of the
            one with the best observation if there is no model to ask.
        times: The cumulative wall-clock time of the suggestions, ``replications x entries``.
        measures: What else the problem knows of the point with the best observation, one for each
            replication.
        num_fallbacks: The number of suggestions that were not the method's own.
        num_failed: The number of replications in which no trial succeeded.
        versions: The versions of packages that the trials were run with, each once.
    """

    method: str
    seeds: tuple[int, ...]
    traces: Array
    evaluated: Array
    recommended: Array
    times: Array
    measures: tuple[Mapping[str, float], ...] = ()
    num_fallbacks: int = 0
    num_failed: int = 0
    versions: tuple[str, ...] = ()

    @property
    def mean(self) -> Array:
        """The mean over the replications."""
        return np.asarray(self.traces.mean(axis=0))

    @property
    def error(self) -> Array:
        """The mean's standard error; not a number for a single replication."""
        return standard_error(self.traces)

    @property
    def results(self) -> Array:
        """Where each replication ended."""
        return self.traces[:, -1]

    @property
    def best(self) -> Array:
        """The regret or the value of the best point that each replication evaluated."""
        return self.evaluated[:, -1]

    @property
    def seconds(self) -> Array:
        """The mean cumulative wall-clock time of the suggestions."""
        return np.asarray(self.times.mean(axis=0))

    @property
    def seconds_per_suggestion(self) -> float:
        """The mean wall-clock time of a suggestion."""
        return float(self.seconds[-1] / (len(self.seconds) - 1))


@dataclass(frozen=True)
class Summary:
    """All curves of a problem.

    Attributes:
        problem: The problem.
        initial: The size of the initial design, in trials.
        trials: The number of evaluations after it.
        seeds: The number of replications that were asked for.
        curves: The curve of each method that has a complete replication.
        without: The methods that have none.
    """

    problem: Problem
    initial: int
    trials: int
    seeds: int
    curves: tuple[Curve, ...]
    without: tuple[str, ...] = ()

    @property
    def quantity(self) -> str:
        """What the curves show, with its unit."""
        label = self.problem.label
        if self.problem.optimal_value is not None:
            return f"regret in {label}"
        return f"{label} ({'lower' if self.problem.minimize else 'higher'} is better)"

    @property
    def is_loss(self) -> bool:
        """Whether small values are good in the curves."""
        return self.problem.minimize or self.problem.optimal_value is not None

    @property
    def whole(self) -> list[Curve]:
        """The curves that compete: a method that lost replications may have lost the hard ones.

        A replication without a success has no result.
        """
        return [c for c in self.curves if len(c.seeds) == self.seeds and not c.num_failed]

    @property
    def best(self) -> set[str]:
        """The method with the best mean at the end; several if they are equal."""
        ends = {curve.method: curve.mean[-1] for curve in self.whole}
        best = min(ends.values(), default=0.0) if self.is_loss else max(ends.values(), default=0.0)
        return {method for method, end in ends.items() if end == best}


def standard_error(values: Array) -> Array:
    """The standard error of the mean over the first axis; not a number for a single value."""
    if len(values) == 1:
        return np.full(values.shape[1:], np.nan)
    return np.asarray(values.std(axis=0, ddof=1) / np.sqrt(len(values)))
