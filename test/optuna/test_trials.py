import math
from typing import Any

import optuna
import pytest
import torch
from optuna.distributions import BaseDistribution, FloatDistribution
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState

from botorch_popbo.optuna._space import Space
from botorch_popbo.optuna._trials import Evidence, constraints_of, evidence_of

INF = math.inf
SPACE: dict[str, BaseDistribution] = {"x": FloatDistribution(0.0, 9.0)}
MINIMIZE, MAXIMIZE = StudyDirection.MINIMIZE, StudyDirection.MAXIMIZE


def trial(x: float | None, *values: float, **options: Any) -> FrozenTrial:
    params = {} if x is None else {"x": x}
    return optuna.create_trial(
        params=params,
        distributions={name: SPACE[name] for name in params},
        values=values or None,
        **options,
    )


def violating(*values: float | None) -> dict[str, Any]:
    return {"constraints": values}


def read(
    *trials: FrozenTrial, directions: tuple[StudyDirection, ...] = (MINIMIZE,), exact: bool = False
) -> Evidence:
    return evidence_of(trials, directions, Space(SPACE, trials), SPACE, exact)


FAILED = trial(3.0, state=TrialState.FAIL)


def test_outcomes_are_to_be_maximised_and_failures_last() -> None:
    curve = {"state": TrialState.PRUNED, "intermediate_values": {0: 9.0}}
    found = read(trial(1.0, 5.0), trial(2.0, INF), FAILED, trial(4.0, **curve), trial(5.0, -INF))
    first, *failed, pruned, best = found.measured.objectives[:, 0].tolist()
    assert first == -5.0
    assert failed == [-INF, -INF]
    assert -INF < pruned < first < best < INF
    assert found.measured.X[:, 0].tolist() == [1.0, 2.0, 3.0, 4.0, 5.0]
    assert found.num_successes == 3
    assert found.measured.variance.isnan().all()


def test_a_failure_does_not_count_where_the_point_has_succeeded() -> None:
    pruned, good = trial(3.0, state=TrialState.PRUNED), trial(3.0, 4.0)
    for tried in ([FAILED, pruned, good], [good, FAILED, pruned]):
        found = read(trial(1.0, 5.0), *tried)
        assert found.measured.objectives.tolist() == [[-5.0], [-4.0]]


def test_a_trial_that_failed_before_it_asked_is_no_point() -> None:
    found = read(trial(1.0, 5.0), trial(None, state=TrialState.FAIL))
    assert len(found.measured.X) == 1
    assert len(found.pending) == 0


def test_running_trials_are_pending_and_waiting_ones_are_not() -> None:
    running = trial(2.0, state=TrialState.RUNNING)
    waiting = trial(3.0, state=TrialState.WAITING)
    found = read(trial(1.0, 5.0), running, waiting)
    assert found.pending.tolist() == [[2.0]]
    assert found.measured.X.tolist() == [[1.0]]


def test_each_objective_has_its_direction() -> None:
    found = read(
        trial(1.0, 5.0, 7.0), trial(2.0, 1.0, -INF), FAILED, directions=(MINIMIZE, MAXIMIZE)
    )
    assert found.measured.objectives.tolist() == [[-5.0, 7.0], [-INF, -INF], [-INF, -INF]]


def test_constraints_are_slacks_and_without_them_a_trial_is_pending() -> None:
    found = read(
        trial(1.0, 5.0, system_attrs=violating(-1.0, 2.0)),
        trial(2.0, 5.0, system_attrs=violating(0.5, -2.0)),
        FAILED,
        trial(4.0, 5.0),
        trial(5.0, 5.0, system_attrs={"constraints": None}),
        exact=True,
    )
    assert found.measured.slack.tolist() == [[1.0, -2.0], [-0.5, 2.0], [0.0, 0.0]]
    assert found.pending.tolist() == [[4.0], [5.0]]
    assert torch.equal(found.measured.variance, torch.zeros(3, 1).double())


def test_an_infinitely_good_constraint_is_a_number() -> None:
    found = read(
        trial(1.0, 5.0, system_attrs=violating(-math.inf)),
        trial(2.0, 5.0, system_attrs=violating(1.0)),
    )
    assert found.measured.slack[:, 0].isfinite().all()
    assert len(found.measured.slack_orders()) == 1


def test_both_ways_of_telling_constraints_are_understood() -> None:
    named = {"constraints:cost": 3, "constraints:size": -1.0, "other": 5}
    assert constraints_of(trial(1.0, 5.0, system_attrs=named)) == {"cost": 3.0, "size": -1.0}
    assert constraints_of(trial(1.0, 5.0, system_attrs=violating(2.0))) == {"0": 2.0}
    assert constraints_of(trial(1.0, 5.0)) == {}
    new = trial(1.0, 5.0)
    if not hasattr(new, "set_constraint"):
        pytest.skip("this version of Optuna has no set_constraint")
    new.set_constraint("cost", 1.0)
    assert constraints_of(new) == {"cost": 1.0}
