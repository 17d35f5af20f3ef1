"""An Optuna pruner that compares the parts of trials, and needs no model of curves."""

import math
from collections.abc import Sequence

from optuna.pruners import BasePruner
from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial, Trial, TrialState

from botorch_popbo._parts import Parts, Rivals, Summary, check_summary

_PART = "popbo:part:"


class PoPBOPruner(BasePruner):
    """Prune a trial whose parts leave it too small a chance to be better than the best.

    Parts are what a trial reports, such as the loss after an epoch or of a fold; those of one step
    are comparable across trials. A completed trial shows how much the steps after another one's
    add. A trial continues where its chance to be better than all completed ones, of several
    objectives to be on their front, is at least a quarter, or what new trials have lately had for
    the same number of parts. Two trials complete before the first is pruned. It works beside any
    sampler; :class:`PoPBOSampler` learns what a pruned trial would have been, and how uncertain
    that is.

    Args:
        parts: Whether a trial is the "last" of its parts, as of a curve, or their "mean", as of
            folds, which may come in any order.

    Raises:
        ValueError: If ``parts`` is neither.

    Example:
        >>> study = optuna.create_study(sampler=PoPBOSampler(seed=0), pruner=PoPBOPruner())
    """

    def __init__(self, *, parts: Summary = "last") -> None:
        check_summary(parts)
        self.parts = parts

    def prune(self, study: Study, trial: FrozenTrial) -> bool:
        """See the class."""
        parts = parts_of(trial, signs_of(study))
        others = [t for t in study.get_trials(deepcopy=False) if t.number != trial.number]
        return bool(parts) and rivals_of(study, others).worth(parts) < 1.0


def report_parts(trial: Trial, values: Sequence[float], step: int) -> bool:
    """Report a part of a trial of one or more objectives.

    Optuna's own ``report`` and ``should_prune`` take a single objective.

    Args:
        trial: The trial.
        values: A value of each objective.
        step: The name of the part: an epoch, or the number of a fold.

    Returns:
        Whether the pruner of the study would stop the trial; then raise ``optuna.TrialPruned``.

    Raises:
        ValueError: If there is not a value for each objective.
    """
    study, number = trial.study, len(trial.study.directions)
    if len(values) != number:
        raise ValueError(f"There are {number} objectives, but {len(values)} values: {values!r}.")
    if number == 1:
        trial.report(values[0], step)
        return trial.should_prune()
    numbers = [float(value) for value in values]
    trial.storage.set_trial_system_attr(trial._trial_id, f"{_PART}{step}", numbers)
    return study.pruner.prune(study, trial.storage.get_trial(trial._trial_id))


def signs_of(study: Study) -> list[float]:
    """1 for each objective to maximize, -1 for each to minimize."""
    return [1.0 if d == StudyDirection.MAXIMIZE else -1.0 for d in study.directions]


def parts_of(trial: FrozenTrial, signs: Sequence[float]) -> Parts:
    """The finite parts of a trial, larger being better, by ascending step."""
    listed = {step: [value] for step, value in trial.intermediate_values.items()}
    for key, values in trial.system_attrs.items():
        if key.startswith(_PART):
            listed[int(key.removeprefix(_PART))] = values
    return {
        step: [sign * value for sign, value in zip(signs, values, strict=True)]
        for step, values in sorted(listed.items())
        if all(map(math.isfinite, values))
    }


def rivals_of(study: Study, trials: Sequence[FrozenTrial]) -> Rivals:
    """The completed ones among trials."""
    summary: Summary = study.pruner.parts if isinstance(study.pruner, PoPBOPruner) else "last"
    signs, evaluations = signs_of(study), []
    for trial in trials:
        values = None
        if trial.state == TrialState.COMPLETE and all(map(math.isfinite, trial.values)):
            values = [sign * value for sign, value in zip(signs, trial.values, strict=True)]
        if trial.state.is_finished():
            evaluations.append((parts_of(trial, signs), values))
    return Rivals.among(summary, evaluations)
