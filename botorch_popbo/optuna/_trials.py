"""The trials of a study as the search wants them."""

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from optuna.distributions import BaseDistribution
from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial, TrialState

from botorch_popbo.optuna._space import places_of, points_of
from botorch_popbo.search.trials import Trial, Trials
from botorch_popbo.space import Space

# Better than all else, but a number: Optuna allows infinitely good values.
_BEST = 1e154
_CONSTRAINTS = "constraints"  # as Optuna names them among the system attributes
_SUGGESTED = "popbo:suggestion:"

#: By its key the number of a trial, and what was suggested, as Optuna's internal numbers by name.
Kept = Mapping[str, tuple[int, dict[str, float]]]


def trials_of(
    trials: Sequence[FrozenTrial],
    directions: Sequence[StudyDirection],
    space: Space,
    distributions: Mapping[str, BaseDistribution],
    kept: Kept,
    is_exact: bool,
) -> Trials:
    """What is known of the points of a study.

    A failed trial is worse than every success, and so is one of an infinitely bad value, unless the
    same point succeeded at another time. A trial that runs, or failed before it asked for all, is
    where it was suggested to be. A constraint that a completed trial did not set does not apply
    there.

    Args:
        trials: The trials but the one to suggest for.
        directions: The directions of the objectives.
        space: The space.
        distributions: The parameters' distributions.
        kept: What was suggested; see :func:`suggestions`.
        is_exact: Whether the same point always has the same outcome.

    Returns:
        The points.
    """
    signs = [1.0 if direction == StudyDirection.MAXIMIZE else -1.0 for direction in directions]
    trials = [trial for trial in trials if trial.state != TrialState.WAITING]
    completed = [trial for trial in trials if trial.state == TrialState.COMPLETE]
    suggested = dict(kept.values())
    rows = [
        places_of(_values(trial, suggested.get(trial.number, {}), distributions), space.parameters)
        for trial in trials
    ]
    pairs = zip(trials, rows, strict=True)
    of_completed = [row for t, row in pairs if row and t.state == TrialState.COMPLETE]
    required = {*space.parameters}.intersection(*of_completed)
    names = sorted({name for trial in completed for name in constraints_of(trial)})
    listed = max((len(_listed(trial)) for trial in completed), default=0)
    ended, pending = [], []
    for trial, x in zip(trials, points_of(rows, space, required), strict=True):
        if x is None:
            continue
        if not trial.state.is_finished():
            pending.append(x)
            continue
        slack, outcomes = _slack(trial, names, listed), _outcomes(trial, completed, signs)
        ended.append(Trial(x, outcomes, slack, 0.0 if is_exact else math.nan))
    return Trials.gather(ended, pending, (len(space.parameters), len(signs), len(names)))


def _values(
    trial: FrozenTrial,
    numbers: Mapping[str, float],
    distributions: Mapping[str, BaseDistribution],
) -> dict[str, Any]:
    """What a trial asked for, and unless that is all what it was going to ask for.

    What was enqueued goes before what was suggested, and what it asked for before both.
    """
    if _has_asked_for_all(trial):
        return trial.params
    values: dict[str, Any] = {}
    for name in distributions.keys() & numbers.keys():
        with suppress(IndexError):  # of a trial of another study that was added
            values[name] = distributions[name].to_external_repr(numbers[name])
    return values | trial.system_attrs.get("fixed_params", {}) | trial.params


def _has_asked_for_all(trial: FrozenTrial) -> bool:
    """Whether it ended after it asked for all that has a meaning there: it has some value."""
    is_valued = trial.state == TrialState.COMPLETE or trial.last_step is not None
    return trial.state.is_finished() and is_valued


def constraints_of(trial: FrozenTrial) -> dict[str, float]:
    """Constraints of a trial by name, larger than zero where violated.

    Optuna keeps those of a ``constraints_func`` in a list, and those of ``set_constraint``, which
    older versions lack, by name.
    """
    named = {str(index): float(value) for index, value in enumerate(_listed(trial))}
    prefix = f"{_CONSTRAINTS}:"
    for key, value in trial.system_attrs.items():
        if key.startswith(prefix):
            named[key.removeprefix(prefix)] = float(value)
    return named


def _listed(trial: FrozenTrial) -> Sequence[float]:
    return trial.system_attrs.get(_CONSTRAINTS) or ()


def _slack(trial: FrozenTrial, names: Sequence[str], listed: int) -> list[float]:
    """What is left of each constraint: infinite where it does not apply, NaN where it is unknown.

    A pruned trial may have stopped before it set one, and a function that lists constraints may be
    newer than a trial without a list.

    Args:
        trial: A trial that has ended.
        names: The names of the constraints.
        listed: How many of them are listed elsewhere.

    Returns:
        A number for each.
    """
    unknown = [] if _listed(trial) else [str(index) for index in range(listed)]
    unknown = unknown if trial.state == TrialState.COMPLETE else [*names]
    violation = dict.fromkeys(unknown, math.nan) | constraints_of(trial)
    return [-violation.get(name, -math.inf) for name in names]


def suggestions(study: Study) -> Kept:
    """What was suggested for trials that run, and for some that have ended."""
    kept = study._storage.get_study_system_attrs(study._study_id)
    return {key: tuple(one) for key, one in kept.items() if key.startswith(_SUGGESTED)}


def keep_suggestion(
    study: Study,
    number: int,
    values: Mapping[str, Any],
    distributions: Mapping[str, BaseDistribution],
) -> None:
    """Keep what was suggested for a trial: other workers see only what it has asked for.

    It is kept with the study. With the trial it would be a column of ``trials_dataframe``. It takes
    the place of what nobody asks for any more, so that there is one for each trial that runs, or
    failed before it asked for all, and reading them takes no longer in a long study. Trials that
    begin at the same time take different places.
    """
    kept = sorted(suggestions(study).items())
    trials = study.get_trials(deepcopy=False)  # read later, so that each of those is among them
    free = [
        key
        for key, (other, asked) in kept
        if _has_asked_for_all(trials[other])
        or (trials[other].state.is_finished() and asked.keys() <= trials[other].params.keys())
    ]
    numbers = {name: distributions[name].to_internal_repr(value) for name, value in values.items()}
    key = free[number % len(free)] if free else f"{_SUGGESTED}{number}"
    study._storage.set_study_system_attr(study._study_id, key, [number, numbers])


def _outcomes(
    trial: FrozenTrial, completed: Sequence[FrozenTrial], signs: Sequence[float]
) -> list[float]:
    """Values to maximise; minus infinity where there is none."""
    if trial.state == TrialState.COMPLETE:
        values = [min(sign * v, _BEST) for sign, v in zip(signs, trial.values, strict=True)]
        return [-math.inf] * len(signs) if -math.inf in values else values
    if trial.state == TrialState.PRUNED and len(signs) == 1:
        return [_outcome_of_pruned(trial, completed, signs[0])]
    return [-math.inf] * len(signs)


def _outcome_of_pruned(trial: FrozenTrial, completed: Sequence[FrozenTrial], sign: float) -> float:
    """An outcome that gives a pruned trial the place it had at the step where it stopped.

    A last value says nothing beside final ones, but its place among the values of that step does:
    as many completed trials are better in the end, and one at least, for which it was stopped.
    Beside completed trials that did not reach that step it is worse than all.

    Args:
        trial: The pruned trial.
        completed: The completed trials of a study with one objective.
        sign: 1 where larger is better, -1 where smaller is.

    Returns:
        The outcome, larger being better; minus infinity, as of a failure, if the trial or each
        completed one has no value.
    """
    outcomes = (min(sign * float(rival.values[0]), _BEST) for rival in completed)
    final, step = sorted(filter(math.isfinite, outcomes), reverse=True), trial.last_step
    value = math.nan if step is None else sign * trial.intermediate_values[step]
    if step is None or math.isnan(value) or not final:
        return -math.inf
    curves = [rival.intermediate_values for rival in completed]
    rivals = [sign * curve[step] for curve in curves if step in curve]
    share = sum(rival > value for rival in rivals) / len(rivals) if rivals else 1.0
    better = max(1, round(share * len(final)))
    if better == len(final):
        # Half of what lies between the ends, whatever their unit.
        return final[-1] - ((final[0] / 2.0 - final[-1] / 2.0) or max(1.0, abs(final[-1])))
    return (final[better - 1] + final[better]) / 2.0
