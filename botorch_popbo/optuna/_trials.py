"""The trials of a study as points with their objectives and constraints."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch
from optuna.distributions import BaseDistribution
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState
from torch import Tensor

from botorch_popbo.data._measured import Measured
from botorch_popbo.optuna._pruned import FinalPlaces
from botorch_popbo.optuna._sharing import shared_point
from botorch_popbo.optuna._space import Space

# Better than all else, but a number: Optuna allows infinitely good values and constraints.
_BEST = 1e154
_CONSTRAINTS = "constraints"  # as Optuna names them among the system attributes
# A point, what to maximise and what is left of constraints.
_Row = tuple[Tensor, list[float], list[float]]


@dataclass(frozen=True)
class Evidence:
    """What is known of the points of a study.

    Attributes:
        measured: Trials that ended, with what there is to learn from them.
        pending: Points of other trials, not to be suggested again; ``p x d``.
        num_successes: Number of trials with outcomes.
    """

    measured: Measured
    pending: Tensor
    num_successes: int


def evidence_of(
    trials: Sequence[FrozenTrial],
    directions: Sequence[StudyDirection],
    space: Space,
    distributions: Mapping[str, BaseDistribution],
    is_exact: bool,
) -> Evidence:
    """Read the trials of a study.

    A failed trial is worse than every success, and so is one of an infinitely bad value, unless the
    same point succeeded at another time. Completed and pruned trials that lack a constraint
    which others have cannot be compared, so they are pending like running ones. A trial that did
    not ask for all is where it was suggested to be.

    Args:
        trials: The trials but the one to suggest for.
        directions: The directions of the objectives.
        space: The space.
        distributions: The parameters' distributions.
        is_exact: Whether the same point always has the same outcome.

    Returns:
        The points.
    """
    signs = [1.0 if direction == StudyDirection.MAXIMIZE else -1.0 for direction in directions]
    completed = [trial for trial in trials if trial.state == TrialState.COMPLETE]
    places = FinalPlaces(completed, signs[0])
    names = sorted({name for trial in completed for name in constraints_of(trial)})
    rows: list[_Row] = []
    pending = []
    for trial, x in _placed(trials, space, distributions):
        outcomes = _outcomes(trial, places, signs)
        violation = constraints_of(trial)
        slack = [min(-violation.get(name, math.nan), _BEST) for name in names]
        if -math.inf in outcomes:
            slack = [0.0] * len(names)
        if not trial.state.is_finished() or any(map(math.isnan, slack)):
            pending.append(x)
        else:
            rows.append((x, outcomes, slack))
    rows = _without_retried(rows)
    measured = _measured(rows, space, len(signs), len(names), is_exact)
    succeeded = ~measured.objectives.isneginf().any(-1)
    return Evidence(measured, _matrix(pending, len(space.axes)), int(succeeded.sum()))


def points_of(
    trials: Sequence[FrozenTrial], space: Space, distributions: Mapping[str, BaseDistribution]
) -> Tensor:
    """Where trials are, be it that they run.

    Args:
        trials: Trials.
        space: The space.
        distributions: The parameters' distributions.

    Returns:
        Points, a ``p x d`` tensor.
    """
    return _matrix([x for _, x in _placed(trials, space, distributions)], len(space.axes))


def _placed(
    trials: Sequence[FrozenTrial], space: Space, distributions: Mapping[str, BaseDistribution]
) -> Iterator[tuple[FrozenTrial, Tensor]]:
    """Trials that have begun, with their points, where these are known."""
    for trial in trials:
        x = space.point(shared_point(trial, distributions))
        if x is not None and trial.state != TrialState.WAITING:
            yield trial, x


def _matrix(points: Sequence[Tensor], width: int) -> Tensor:
    return torch.stack([*points]) if points else torch.zeros(0, width, dtype=torch.double)


def constraints_of(trial: FrozenTrial) -> dict[str, float]:
    """Constraints of a trial by name, larger than zero where violated.

    Optuna keeps those of a ``constraints_func`` in a list, and those of ``set_constraint``, which
    older versions lack, by name.

    Args:
        trial: The trial.

    Returns:
        Violations by name.
    """
    listed = trial.system_attrs.get(_CONSTRAINTS) or ()
    named = {str(index): float(value) for index, value in enumerate(listed)}
    prefix = f"{_CONSTRAINTS}:"
    for key, value in trial.system_attrs.items():
        if key.startswith(prefix):
            named[key.removeprefix(prefix)] = float(value)
    return named


def _outcomes(trial: FrozenTrial, places: FinalPlaces, signs: Sequence[float]) -> list[float]:
    """Values to maximise; minus infinity where there is none."""
    if trial.state == TrialState.COMPLETE:
        values = [min(sign * v, _BEST) for sign, v in zip(signs, trial.values, strict=True)]
        return [-math.inf] * len(signs) if -math.inf in values else values
    if trial.state == TrialState.PRUNED and len(signs) == 1:
        return [places.outcome(trial)]
    return [-math.inf] * len(signs)


def _without_retried(rows: Sequence[_Row]) -> list[_Row]:
    """Rows without failures of points that succeeded at another time."""
    points = [tuple(x.tolist()) for x, _, _ in rows]
    has_failed = [-math.inf in outcomes for _, outcomes, _ in rows]
    succeeded = {x for x, failed in zip(points, has_failed, strict=True) if not failed}
    told = zip(rows, points, has_failed, strict=True)
    return [row for row, x, failed in told if not (failed and x in succeeded)]


def _measured(
    rows: Sequence[_Row],
    space: Space,
    num_objectives: int,
    num_constraints: int,
    is_exact: bool,
) -> Measured:
    def matrix(values: Sequence[list[float]], width: int) -> Tensor:
        return torch.tensor(values, dtype=torch.double).reshape(len(values), width)

    objectives = matrix([y for _, y, _ in rows], num_objectives)
    slack = matrix([s for _, _, s in rows], num_constraints)
    variance = 0.0 if is_exact else math.nan
    return Measured(
        X=matrix([x.tolist() for x, _, _ in rows], len(space.axes)),
        objectives=objectives,
        variance=torch.full_like(objectives, variance),
        slack=slack,
        slack_variance=torch.full_like(slack, variance),
        excess=slack[:, :0],
    )
