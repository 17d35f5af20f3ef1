import math

import pytest
from optuna import create_trial
from optuna.trial import FrozenTrial, TrialState

from botorch_popbo.optuna._pruned import outcome_of_pruned

INF = math.inf


def completed(value: float, *curve: float) -> FrozenTrial:
    return create_trial(value=value, intermediate_values=dict(enumerate(curve)))


def pruned(*curve: float) -> FrozenTrial:
    return create_trial(state=TrialState.PRUNED, intermediate_values=dict(enumerate(curve)))


# Losses; the curves of the second and the third cross.
COMPLETED = [completed(1.0, 5.0, 3.0), completed(2.0, 7.0, 4.0), completed(3.0, 6.0, 5.0)]


@pytest.mark.parametrize(
    ("curve", "expected"),
    [
        ((4.0,), -1.5),  # best at its step, but stopped for one that is better
        ((5.5,), -1.5),
        ((6.5,), -2.5),
        ((8.0,), -6.0),  # worse than all
        ((8.0, 3.5), -1.5),  # its last step counts
        ((8.0, 3.5, 1.0), -6.0),  # nobody else got so far
        ((), -INF),
        ((math.nan,), -INF),
    ],
)
def test_a_pruned_trial_has_the_place_it_had_when_it_stopped(
    curve: tuple[float, ...], expected: float
) -> None:
    assert outcome_of_pruned(pruned(*curve), COMPLETED, sign=-1.0) == expected


def test_the_direction_counts() -> None:
    mirrored = [
        completed(-t.values[0], *(-v for v in t.intermediate_values.values())) for t in COMPLETED
    ]
    assert outcome_of_pruned(pruned(-6.5), mirrored, sign=1.0) == -2.5


def test_without_completed_trials_there_is_no_place() -> None:
    assert outcome_of_pruned(pruned(1.0), [], sign=1.0) == -INF
    assert outcome_of_pruned(pruned(1.0), [completed(-INF, 0.0)], sign=1.0) == -INF
