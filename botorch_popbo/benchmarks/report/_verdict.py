"""Who won where, in one sentence."""

import math
from collections.abc import Sequence

from botorch_popbo.benchmarks.report._ranking import on_common_seeds
from botorch_popbo.benchmarks.report.summary import Summary, standard_error

_NUM_ERRORS = 2.0
_MOST_PROBLEMS = 6  # that make a sentence; of more, average ranks say it


def verdict(summaries: Sequence[Summary]) -> str:
    """Say which methods ended best on which problems, if they are few.

    A method is level with the best one unless its mean is worse by more than two standard errors
    of the difference over the seeds that both completed. A problem with one such seed is left out.
    """
    if len(summaries) > _MOST_PROBLEMS:
        return ""
    places: dict[tuple[str, ...], list[str]] = {}
    for summary in summaries:
        if leaders := _leaders(summary):
            are_all = len(leaders) == len(summary.curves)
            places.setdefault(() if are_all else leaders, []).append(summary.problem.name)
    if not places:
        return ""
    return f"in short: {'; '.join(_clause(*place) for place in places.items())}"


def _leaders(summary: Summary) -> tuple[str, ...]:
    curves = summary.whole
    if len(curves) < 2:
        return ()
    sign = 1.0 if summary.is_loss else -1.0
    best = min(curves, key=lambda curve: sign * curve.results.mean())
    others = [curve.method for curve in curves if curve is not best]
    lags = {method: _lag(summary, method, best.method) for method in others}
    if None in lags.values():
        return ()
    level = [method for method, lag in lags.items() if lag is not None and lag <= _NUM_ERRORS]
    return (best.method, *level)


def _lag(summary: Summary, method: str, best: str) -> float | None:
    """By how many standard errors a method is worse, or None if that is unknown."""
    ends = on_common_seeds(summary, [method, best], lambda curve: curve.results)
    if len(ends) < 2:
        return None
    sign = 1.0 if summary.is_loss else -1.0
    losses = sign * (ends[method] - ends[best]).to_numpy()
    loss, error = float(losses.mean()), float(standard_error(losses))
    return loss / error if error else math.copysign(math.inf, loss) if loss else 0.0


def _clause(methods: tuple[str, ...], problems: Sequence[str]) -> str:
    where = f"on {', '.join(problems)}"
    if not methods:
        return f"all level {where}"
    first, *level = methods
    if not level:
        return f"{first} ahead {where}"
    return f"{first} first {where}, not ahead of {_listed(level)}"


def _listed(names: Sequence[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
