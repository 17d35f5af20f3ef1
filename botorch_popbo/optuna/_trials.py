"""The trials of a study as the search wants them."""

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress

from optuna.distributions import BaseDistribution
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState
from torch import Tensor

from botorch_popbo._plain import Value
from botorch_popbo.optuna._distributions import Share, has_values, place_trials, share_of, value_at
from botorch_popbo.optuna.pruner import parts_of, rivals_of, signs_of
from botorch_popbo.search.trials import Trial, Trials
from botorch_popbo.space import Space

# Better than all else, but a number: Optuna allows infinitely good values.
_BEST = 1e154
_CONSTRAINTS = "constraints"  # as Optuna names them among the system attributes
_SUGGESTION = "popbo:suggestion:"


class Suggestions:
    """What was suggested for the trials that run, and for some that have ended.

    Other workers see only what a trial has asked for, so it is kept with the study. With the trial
    it would be a column of ``trials_dataframe``.

    Args:
        study: The study.

    Attributes:
        study: The same study.
        by_key: The number of a trial, and its values as Optuna's internal numbers.
    """

    def __init__(self, study: Study) -> None:
        self.study = study
        attrs = study._storage.get_study_system_attrs(study._study_id)
        self.by_key: dict[str, tuple[int, dict[str, float]]] = {
            key: tuple(attrs[key]) for key in attrs if key.startswith(_SUGGESTION)
        }

    def of(self, number: int) -> dict[str, float]:
        """What was suggested for the trial of a number."""
        return dict(self.by_key.values()).get(number, {})

    def keep(self, number: int, values: Mapping[str, float]) -> None:
        """Keep what is suggested for the trial of a number.

        It takes the place of what nobody asks for any more, so that there is one for each trial
        that runs, or failed before it asked for all, and reading them takes no longer in a long
        study. Trials that begin at the same time take different places.
        """
        # Later, so that each of those is there, and all: Hyperband shows the study of a bracket.
        trials = self.study._storage.get_all_trials(self.study._study_id, deepcopy=False)
        free = []
        for key, (other, asked) in sorted(self.by_key.items()):
            trial = trials[other]
            has_all = trial.state.is_finished() and asked.keys() <= trial.params.keys()
            if has_all or _has_asked_for_all(trial):
                free.append(key)
        key = free[number % len(free)] if free else f"{_SUGGESTION}{number}"
        self.study._storage.set_study_system_attr(self.study._study_id, key, [number, values])


def read_study(
    trials: Sequence[FrozenTrial],
    distributions: Mapping[str, BaseDistribution],
    suggestions: Suggestions,
    variance: float,
    max_listed: int,
) -> tuple[Space, Trials, dict[int, Tensor]]:
    """The space of a study, and what is known of its points.

    A failed trial is worse than every success, and so is one of an infinitely bad value, unless the
    same point succeeded at another time. A pruned trial is what it would have been, and pending if
    no completed one has the same parts; without a part it has failed. A trial that runs, or failed
    before it asked for all, is where it was suggested to be. A constraint that a completed trial
    did not set does not apply there.

    Args:
        trials: The trials but the one to suggest for.
        distributions: The parameters' distributions.
        suggestions: What was suggested for them, in their study.
        variance: The variance of the outcomes; NaN if unknown.
        max_listed: Most values of a parameter by which others may be decided.

    Returns:
        The space, the points, and by its number the point of each completed trial that violates no
        constraint as far as that was measured, of shape ``d``.
    """
    trials = [trial for trial in trials if trial.state != TrialState.WAITING]
    values = [_values(trial, suggestions, distributions) for trial in trials]
    done, names = TrialState.COMPLETE, distributions.keys()
    is_telling = [t.state == done or names <= t.params.keys() for t in trials]
    space, points = place_trials(values, is_telling, distributions, max_listed)
    slacks = _slacks(trials)
    signs = signs_of(suggestions.study)
    has_pruned = any(trial.state == TrialState.PRUNED for trial in trials)
    rivals = rivals_of(suggestions.study, trials) if has_pruned else None
    ended, pending, feasible = [], [], {}
    for index, x in points.items():
        trial, rest = trials[index], [0.0] * len(signs)
        outcome = _outcome(trial, signs)
        if -math.inf not in outcome and not any(slack < 0.0 for slack in slacks[index]):
            feasible[trial.number] = x
        if rivals and trial.state == TrialState.PRUNED and (parts := parts_of(trial, signs)):
            outcome, rest, _ = rivals.foresee(parts)
        if trial.state.is_finished() and math.inf not in rest:
            ended.append(Trial(x, outcome, slacks[index], variance, rest))
        else:
            pending.append(x)
    shape = len(distributions), len(signs), len(slacks[0]) if slacks else 0
    return space, Trials.gather(ended, pending, shape), feasible


def _values(
    trial: FrozenTrial, suggestions: Suggestions, distributions: Mapping[str, BaseDistribution]
) -> dict[str, object]:
    """What a trial asked for, and unless that is all what it was going to ask for.

    What was enqueued goes before what was suggested, and what it asked for before both.
    """
    values: dict[str, object] = {}
    if not _has_asked_for_all(trial):
        suggested = suggestions.of(trial.number)
        for name in distributions.keys() & suggested.keys():
            with suppress(IndexError):  # of a trial of another study that was added
                values[name] = distributions[name].to_external_repr(suggested[name])
        values |= trial.system_attrs.get("fixed_params", {})
    values |= trial.params
    for name in trial.params.keys() & distributions.keys():
        if isinstance(distributions[name], Share):
            values[name] = share_of(values[name], trial.distributions[name])
    return values


def _has_asked_for_all(trial: FrozenTrial) -> bool:
    """Whether it ended after it asked for all that has a meaning there: it has some value."""
    is_valued = trial.state == TrialState.COMPLETE or trial.last_step is not None
    return trial.state.is_finished() and is_valued


def _slacks(trials: Sequence[FrozenTrial]) -> list[list[float]]:
    """What is left of each constraint: infinite where it does not apply, NaN where it is unknown.

    Optuna keeps those of a ``constraints_func`` in a list, and those of ``set_constraint``, which
    older versions lack, by name; both are larger than zero where violated. A pruned trial may have
    stopped before it set one, and a function that lists constraints may be newer than a trial
    without a list. The completed trials show which constraints there are.

    Returns:
        For each trial a number for each constraint.
    """
    completed = [trial for trial in trials if trial.state == TrialState.COMPLETE]
    number = max((len(_listed(trial)) for trial in completed), default=0)
    prefix = f"{_CONSTRAINTS}:"
    keys = {key for trial in completed for key in trial.system_attrs if key.startswith(prefix)}
    slacks = []
    for trial in trials:
        missing = -math.inf if trial.state == TrialState.COMPLETE else math.nan
        listed = [*_listed(trial)][:number]
        listed += [missing if listed else math.nan] * (number - len(listed))
        named = [trial.system_attrs.get(key, missing) for key in sorted(keys)]
        slacks.append([-float(violation) for violation in listed + named])
    return slacks


def _listed(trial: FrozenTrial) -> Sequence[float]:
    return trial.system_attrs.get(_CONSTRAINTS) or ()


def _outcome(trial: FrozenTrial, signs: Sequence[float]) -> list[float]:
    """Values to maximize; minus infinity where there is none."""
    failure = [-math.inf] * len(signs)
    if trial.state != TrialState.COMPLETE:
        return failure
    values = [min(sign * v, _BEST) for sign, v in zip(signs, trial.values, strict=True)]
    return failure if -math.inf in values else values


def is_repeated(
    values: Mapping[str, Value],
    trials: Sequence[FrozenTrial],
    distributions: Mapping[str, BaseDistribution],
) -> bool:
    """Whether a trial may ask for nothing but the values of another one.

    The search takes care of trials of the same parameters, and of those that run, unless one of
    the ranges is another one for each trial.

    Args:
        values: What is suggested for the trial.
        trials: The other trials.
        distributions: The parameters' distributions.

    Returns:
        Whether it may.
    """
    shares = {name for name, d in distributions.items() if isinstance(d, Share)}
    ended = [trial for trial in trials if trial.state.is_finished() and trial.params]
    known: set[str] = set()
    optional: set[str] = set()  # what a trial did not ask for though one before had
    for trial in ended:
        optional |= known - trial.params.keys()
        known |= trial.params.keys()
    for trial in trials if shares else ended:
        missing = values.keys() - trial.params.keys()
        if not trial.params or not missing <= optional or not (missing or shares):
            continue
        ranges = trial.distributions
        asked = {name: value for name, value in trial.params.items() if has_values(ranges[name])}
        moved = {name: value_at(values[name], ranges[name]) for name in shares & asked.keys()}
        if asked.items() <= {**values, **moved}.items():
            return True
    return False
