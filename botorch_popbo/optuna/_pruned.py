"""What a trial is worth that was stopped before it had an outcome."""

import math
from bisect import bisect_right
from collections.abc import Sequence

from optuna.trial import FrozenTrial


class FinalPlaces:
    """Outcomes that give pruned trials the places they had at the steps where they stopped.

    A last value says nothing beside final ones, but its place among the values of that step does:
    as many completed trials are better in the end, and one at least, for which it was stopped.
    Beside completed trials that did not reach that step it is worse than all.

    Args:
        completed: The completed trials of a study with one objective.
        sign: 1 where larger is better, -1 where smaller is.
    """

    def __init__(self, completed: Sequence[FrozenTrial], sign: float) -> None:
        self._completed, self._sign = completed, sign
        outcomes = [sign * float(trial.values[0]) for trial in completed]
        self._final = sorted(filter(math.isfinite, outcomes), reverse=True)
        self._by_step: dict[int, list[float]] = {}

    def outcome(self, trial: FrozenTrial) -> float:
        """The outcome of a pruned trial.

        Args:
            trial: The trial.

        Returns:
            An outcome, larger being better, in an order with those of completed trials times the
            sign; minus infinity, as of a failure, if the trial or each completed one has no value.
        """
        final, step = self._final, trial.last_step
        value = math.nan if step is None else self._sign * trial.intermediate_values[step]
        if step is None or math.isnan(value) or not final:
            return -math.inf
        rivals = self._rivals(step)
        num_better = len(rivals) - bisect_right(rivals, value)
        share = num_better / len(rivals) if rivals else 1.0
        better = max(1, round(share * len(final)))
        if better == len(final):
            return final[-1] - max(1.0, abs(final[-1]))
        return (final[better - 1] + final[better]) / 2.0

    def _rivals(self, step: int) -> list[float]:
        """The values of completed trials at a step, rising, those that are no numbers first."""
        if step not in self._by_step:
            curves = (trial.intermediate_values for trial in self._completed)
            values = [self._sign * curve[step] for curve in curves if step in curve]
            self._by_step[step] = sorted(-math.inf if math.isnan(v) else v for v in values)
        return self._by_step[step]
