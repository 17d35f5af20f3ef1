"""All curves of a campaign, problem by problem."""

from collections.abc import Mapping
from dataclasses import dataclass

from botorch_popbo.benchmarks.curves import Curve, make_curve
from botorch_popbo.benchmarks.problems import Problem
from botorch_popbo.benchmarks.settings import Campaign


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
    without: tuple[str, ...]

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
    def best(self) -> set[str]:
        """The method with the best mean at the end; several if they are equal.

        A method that lost replications does not compete: it may have lost the hard ones.
        """
        whole = [curve for curve in self.curves if curve.num_seeds == self.seeds]
        ends = {curve.method: curve.mean[-1] for curve in whole}
        best = min(ends.values(), default=0.0) if self.is_loss else max(ends.values(), default=0.0)
        return {method for method, end in ends.items() if end == best}


def summarize(campaign: Campaign, problems: Mapping[str, Problem]) -> list[Summary]:
    """Read the records of a campaign.

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
        curves = (
            make_curve(campaign, problems[name], initial, method) for method in campaign.methods
        )
        found = tuple(curve for curve in curves if curve is not None)
        shown = {curve.method for curve in found}
        summaries.append(
            Summary(
                problem=problems[name],
                initial=initial,
                trials=campaign.trials,
                seeds=campaign.seeds,
                curves=found,
                without=tuple(method for method in campaign.methods if method not in shown),
            )
        )
    return summaries
