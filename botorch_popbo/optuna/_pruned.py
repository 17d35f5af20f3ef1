"""What a trial is worth that was stopped before it had an outcome."""

import math
from collections.abc import Sequence

from optuna.trial import FrozenTrial


def outcome_of_pruned(trial: FrozenTrial, completed: Sequence[FrozenTrial], sign: float) -> float:
    """An outcome that gives a pruned trial the place it had at the step where it stopped.

    Its last value says nothing beside final ones, but its place among the values of that step does:
    as many completed trials are better in the end, and one at least, for which it was stopped.
    Beside completed trials that did not reach that step it is worse than all.

    Args:
        trial: A pruned trial.
        completed: The completed trials of a study with one objective.
        sign: 1 where larger is better, -1 where smaller is.

    Returns:
        An outcome, larger being better, in an order with those of completed trials times the sign;
        minus infinity, as of a failure, if the trial or each completed one has no value.
    """
    step = trial.last_step
    value = math.nan if step is None else sign * trial.intermediate_values[step]
    outcomes = [sign * float(other.values[0]) for other in completed]
    final = sorted(filter(math.isfinite, outcomes), reverse=True)
    if step is None or math.isnan(value) or not final:
        return -math.inf
    rivals = [
        sign * other.intermediate_values[step]
        for other in completed
        if step in other.intermediate_values
    ]
    share = sum(rival > value for rival in rivals) / len(rivals) if rivals else 1.0
    better = max(1, round(share * len(final)))
    if better == len(final):
        return final[-1] - max(1.0, abs(final[-1]))
    return (final[better - 1] + final[better]) / 2.0
