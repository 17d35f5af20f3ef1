import math
from collections.abc import Iterator

import pytest
from optuna import create_trial
from optuna.trial import FrozenTrial, TrialState

from botorch_popbo.optuna._pruned import FinalPlaces

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
    assert FinalPlaces(COMPLETED, sign=-1.0).outcome(pruned(*curve)) == expected


def test_the_direction_counts() -> None:
    mirrored = [
        completed(-t.values[0], *(-v for v in t.intermediate_values.values())) for t in COMPLETED
    ]
    assert FinalPlaces(mirrored, sign=1.0).outcome(pruned(-6.5)) == -2.5


def test_without_completed_trials_there_is_no_place() -> None:
    assert FinalPlaces([], sign=1.0).outcome(pruned(1.0)) == -INF
    assert FinalPlaces([completed(-INF, 0.0)], sign=1.0).outcome(pruned(1.0)) == -INF


def test_completed_trials_are_looked_through_once_for_each_step() -> None:
    class Counted(list[FrozenTrial]):
        times = 0

        def __iter__(self) -> Iterator[FrozenTrial]:
            self.times += 1
            return super().__iter__()

    trials = Counted(COMPLETED)
    places = FinalPlaces(trials, sign=-1.0)
    assert [places.outcome(pruned(6.5)) for _ in range(9)] == [-2.5] * 9
    assert trials.times == 2
