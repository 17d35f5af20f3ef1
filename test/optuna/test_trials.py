"""What a study teaches, by its trials."""

import math
from pathlib import Path
from typing import Any

import optuna
import pytest
import torch
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState

from botorch_popbo.optuna._space import (
    Share,
    all_parameters,
    in_shares,
    parameter_of,
    space_of,
    value_at,
)
from botorch_popbo.optuna._trials import constraints_of, keep_suggestion, suggestions, trials_of
from botorch_popbo.search.trials import Trials
from botorch_popbo.space import Space

INF = math.inf
KIND = CategoricalDistribution(["svm", "tree"])
SPACE: dict[str, BaseDistribution] = {
    "C": FloatDistribution(1e-3, 10.0, log=True),
    "depth": IntDistribution(1, 8),
    "kind": KIND,
}
LINE: dict[str, BaseDistribution] = {"x": FloatDistribution(0.0, 9.0)}
MINIMIZE, MAXIMIZE = StudyDirection.MINIMIZE, StudyDirection.MAXIMIZE


def trial(x: float | None, *values: float, **options: Any) -> FrozenTrial:
    params = {} if x is None else {"x": x}
    options |= {"params": params, "distributions": {name: LINE[name] for name in params}}
    return optuna.create_trial(values=values or None, **options)


def mixed(value: float = 0.0, **params: Any) -> FrozenTrial:
    return optuna.create_trial(
        params=params, distributions={name: SPACE[name] for name in params}, value=value
    )


TRIALS = [mixed(kind="svm", C=0.1), mixed(kind="tree", depth=3)] * 2


def read(
    *trials: FrozenTrial,
    directions: tuple[StudyDirection, ...] = (MINIMIZE,),
    exact: bool = False,
    space: dict[str, BaseDistribution] = LINE,
    study: optuna.Study | None = None,
) -> Trials:
    completed = [t for t in trials if t.state == TrialState.COMPLETE]
    kept = {} if study is None else suggestions(study)
    return trials_of(trials, directions, space_of(space, completed, 1000), space, kept, exact)


FAILED = trial(3.0, state=TrialState.FAIL)


def test_outcomes_are_to_be_maximised_and_failures_last() -> None:
    curve = {"state": TrialState.PRUNED, "intermediate_values": {0: 9.0}}
    found = read(trial(1.0, 5.0), trial(2.0, INF), FAILED, trial(4.0, **curve), trial(5.0, -INF))
    first, *failed, pruned, best = found.objectives[:, 0].tolist()
    assert first == -5.0
    assert failed == [-INF, -INF]
    assert -INF < pruned < first < best < INF
    assert found.X[:, 0].tolist() == [1.0, 2.0, 3.0, 4.0, 5.0]
    assert found.num_successes == 3
    assert found.variance.isnan().all()


def test_running_trials_are_pending_and_waiting_ones_are_not() -> None:
    running = trial(2.0, state=TrialState.RUNNING)
    found = read(trial(1.0, 5.0), running, trial(3.0, state=TrialState.WAITING), trial(None, 1.0))
    assert found.pending.tolist() == [[2.0]]
    assert found.X.tolist() == [[1.0]]


def test_each_objective_has_its_direction() -> None:
    directions = (MINIMIZE, MAXIMIZE)
    found = read(trial(1.0, 5.0, 7.0), trial(2.0, 1.0, -INF), FAILED, directions=directions)
    assert found.objectives.tolist() == [[-5.0, 7.0], [-INF, -INF], [-INF, -INF]]


def test_all_trials_are_placed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    placed, filled = [], Space.filled
    monkeypatch.setattr(Space, "filled", lambda *args: placed.append(1) or filled(*args))
    assert len(read(*TRIALS * 20, space=SPACE).X) == 80
    assert len(placed) == 1


def violating(*values: float | None) -> dict[str, Any]:
    return {"constraints": values}


def test_constraints_are_slacks_unless_they_do_not_apply_or_are_unknown() -> None:
    stopped = trial(6.0, state=TrialState.PRUNED, intermediate_values={0: 5.0})
    found = read(
        trial(1.0, 5.0, system_attrs=violating(-1.0, 2.0)),
        trial(2.0, 5.0, system_attrs=violating(0.5, -INF)),
        FAILED,
        trial(4.0, 5.0),  # of a time before there were any
        trial(5.0, 5.0, system_attrs={"constraints": None}),
        stopped,
        exact=True,
    )
    expected = [[1.0, -2.0], [-0.5, INF], *[[math.nan] * 2] * 3]
    torch.testing.assert_close(
        found.slack[[0, 1, 3, 4, 5]], torch.tensor(expected).double(), equal_nan=True
    )
    assert not len(found.pending)
    assert torch.equal(found.variance, torch.zeros(6, 1).double())
    of_branches = read(
        trial(1.0, 5.0, system_attrs={"constraints:size": 2.0}),
        trial(2.0, 5.0, system_attrs={"constraints:cost": 3.0}),
        trial(3.0, 5.0),
        stopped,
    )
    assert of_branches.slack[:3].tolist() == [[INF, -2.0], [-3.0, INF], [INF, INF]]
    assert of_branches.slack[3].isnan().all()
    assert of_branches.num_successes == 4


def test_both_ways_of_telling_constraints_are_understood() -> None:
    named = {"constraints:cost": 3, "constraints:size": -1.0, "other": 5}
    assert constraints_of(trial(1.0, 5.0, system_attrs=named)) == {"cost": 3.0, "size": -1.0}
    assert constraints_of(trial(1.0, 5.0, system_attrs=violating(2.0))) == {"0": 2.0}
    new = trial(1.0, 5.0)
    if not hasattr(new, "set_constraint"):
        pytest.skip("this version of Optuna has no set_constraint")
    new.set_constraint("cost", 1.0)
    assert constraints_of(new) == {"cost": 1.0}


def pruned(*curve: float) -> FrozenTrial:
    return trial(9.0, state=TrialState.PRUNED, intermediate_values=dict(enumerate(curve)))


# Losses; the curves of the second and the third cross.
CURVES = {1.0: (5.0, 3.0), 2.0: (7.0, 4.0), 3.0: (6.0, 5.0)}
COMPLETED = [
    trial(loss, loss, intermediate_values=dict(enumerate(curve))) for loss, curve in CURVES.items()
]


@pytest.mark.parametrize(
    ("curve", "expected"),
    [
        ((4.0,), -1.5),  # best at its step, but stopped for one that is better
        ((5.5,), -1.5),
        ((6.5,), -2.5),
        ((8.0,), -4.0),  # worse than all
        ((8.0, 3.5), -1.5),  # its last step counts
        ((8.0, 3.5, 1.0), -4.0),  # nobody else got so far
        ((), -INF),
        ((math.nan,), -INF),
    ],
)
def test_a_pruned_trial_has_the_place_it_had_when_it_stopped(
    curve: tuple[float, ...], expected: float
) -> None:
    assert read(*COMPLETED, pruned(*curve)).objectives[-1].item() == expected
    units = [
        trial(one.params["x"], 1e6 * one.values[0], intermediate_values=one.intermediate_values)
        for one in COMPLETED
    ]
    assert read(*units, pruned(*curve)).objectives[-1].item() == 1e6 * expected
    mirrored = [
        trial(loss, -loss, intermediate_values=dict(enumerate(-v for v in curve)))
        for loss, curve in CURVES.items()
    ]
    rival = pruned(*(-v for v in curve))
    found = read(*mirrored, rival, directions=(MAXIMIZE,)).objectives[-1].item()
    assert found == expected
    assert read(trial(1.0, INF), rival).objectives[-1].item() == -INF
    huge = [trial(1.0, -1.7e308, intermediate_values={0: -v}) for v in (0.0, 9.0)]
    assert read(*huge, pruned(-1.0)).objectives[-1].isfinite()


@pytest.mark.parametrize(
    ("distribution", "values"),
    [
        (IntDistribution(-1, 5, step=2), [-1, 1, 3, 5]),
        (IntDistribution(1, 3, log=True), [1, 2, 3]),
        (FloatDistribution(-10.2, -9.9, step=0.1), [-10.2, -10.1, -10.0, -9.9]),
        (CategoricalDistribution([None, "a", 3.0]), [None, "a", 3.0]),
        (CategoricalDistribution([4, 4, True, 1]), [4, True]),
    ],
)
def test_a_grid_is_its_values(distribution: BaseDistribution, values: list[Any]) -> None:
    parameter = parameter_of(distribution)
    found = [parameter.value(place) for place in parameter.places()]
    assert found == pytest.approx(values) if isinstance(values[0], float) else found == values
    assert [type(value) for value in found] == [type(value) for value in values]
    assert [parameter.place(value) for value in found] == parameter.places()


def test_what_decides_is_found_and_what_has_no_meaning_tells_no_points_apart() -> None:
    space = space_of(SPACE, TRIALS, 1000)
    assert space.dependents == {"kind": {0.0: ["C"], 1.0: ["depth"]}}
    once = space_of(SPACE, TRIALS[:2], 1000)  # too few to tell
    assert not once.dependents
    broken = optuna.create_trial(
        state=TrialState.FAIL, params={"kind": "svm"}, distributions={"kind": KIND}
    )
    found = read(*TRIALS, broken, space=SPACE)
    assert found.X[:, 1].tolist() == [5.0, 3.0] * 2  # what failed shows nothing, and is nowhere
    contradicting = mixed(kind="svm", C=0.1, depth=8)
    assert space_of(SPACE, [*TRIALS, contradicting], 1000).dependents == {"kind": {0.0: ["C"]}}


@pytest.mark.parametrize(
    ("name", "value", "distribution"),
    [
        ("C", 0.0, FloatDistribution(0.0, 10.0)),
        ("C", "high", CategoricalDistribution(["high", "low"])),
        ("kind", "forest", CategoricalDistribution(["forest", "svm"])),
    ],
)
def test_added_trials_of_other_distributions_are_nowhere(
    name: str, value: float | str, distribution: BaseDistribution
) -> None:
    params = {"kind": "svm", "C": 0.1, name: value}
    distributions = {n: SPACE[n] for n in params} | {name: distribution}
    added = optuna.create_trial(params=params, distributions=distributions, value=0.0)
    assert len(read(added, *TRIALS, space=SPACE).X) == len(TRIALS)
    assert space_of(SPACE, [added, *TRIALS], 1000).key == space_of(SPACE, TRIALS, 1000).key


def test_a_running_trial_is_where_it_was_suggested_or_enqueued_or_has_asked_to_be() -> None:
    space: dict[str, BaseDistribution] = {name: FloatDistribution(0.0, 1.0) for name in "xyz"}
    everything = space | {"kind": KIND}
    study = optuna.create_study()
    study.enqueue_trial({"x": 0.5, "y": 0.7, "other": 3.0})
    first = study.ask()
    suggested = {"x": 0.1, "y": 0.2, "z": 0.3, "kind": "tree"}
    keep_suggestion(study, 0, suggested, everything)
    first.suggest_float("x", 0.0, 1.0)
    done = optuna.create_trial(
        params=suggested, distributions={**space, "kind": KIND}, value=1.0, system_attrs={}
    )
    found = read(study.trials[0], done, space=everything, study=study)
    assert found.pending.tolist() == [[0.5, 0.7, 0.3, 1.0]]
    study.ask()  # of which nothing is known
    assert len(read(*study.trials, done, space=everything, study=study).pending) == 1


@pytest.mark.parametrize("url", ["", "sqlite:///{}/study.db"])
def test_suggestions_are_kept_for_trials_that_have_not_asked_for_all(
    url: str, tmp_path: Path
) -> None:
    space: dict[str, BaseDistribution] = {name: FloatDistribution(0.0, 1.0) for name in "xy"}
    study = optuna.create_study(storage=url.format(tmp_path) or None)

    def begin() -> optuna.Trial:
        new = study.ask()
        keep_suggestion(study, new.number, {"x": new.number / 100, "y": 0.5}, space)
        return new

    def kept() -> list[int]:
        return sorted(number for number, _ in suggestions(study).values())

    broken = begin()
    broken.suggest_float("x", 0.0, 0.1)
    study.tell(broken, state=TrialState.FAIL)  # where it was going to be is known from here alone
    running = [begin() for _ in range(3)]
    for new in running:
        study.tell(new, 1.0)
    others = [begin() for _ in range(3)]
    assert kept() == [0, 4, 5, 6]
    for new in others:
        new.suggest_float("x", 0.0, 1.0)
        new.suggest_float("y", 0.0, 1.0)
        study.tell(new, state=TrialState.FAIL)
    last = begin()
    assert len(suggestions(study)) == 4
    assert {0, last.number} < {*kept()}
    done = optuna.create_trial(params={"x": 0.5, "y": 0.9}, distributions=space, value=1.0)
    found = read(*study.trials, done, space=space, study=study)
    assert found.X[0].tolist() == [broken.params["x"], 0.5]
    assert found.pending.tolist() == [[last.number / 100, 0.5]]


def test_a_range_of_each_trial_is_searched_by_shares() -> None:
    def objective(trial: optuna.Trial) -> float:
        a = trial.suggest_float("a", 0.0, 1.0)
        trial.suggest_float("b", 0.0, 1.0 - a)
        trial.suggest_int("n", 1, 1 + int(4 * a))
        return a + trial.suggest_float("rate", 1e-4 * (1 + a), 1e-2 * (1 + a), log=True)

    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    study.optimize(objective, n_trials=7)
    for given, found in zip(study.trials, in_shares(study.trials), strict=True):
        a, b, n, rate = given.params.values()
        share = math.log(rate / (1 + a) / 1e-4) / math.log(100.0)
        shares = [a, b / (1.0 - a), (n - 0.5) / (1 + int(4 * a)), share]
        assert [*found.params.values()] == pytest.approx(shares)
        back = {
            name: value_at(found.params[name], asked)
            for name, asked in given.distributions.items()
            if isinstance(found.distributions[name], Share) and not asked.single()
        }
        assert back == pytest.approx({name: given.params[name] for name in back})
    assert all_parameters(in_shares(study.trials))["n"] == Share(0.0, 1.0)


def test_ranges_are_the_last_ones_unless_each_trial_has_its_own() -> None:
    def ask(*ends: float) -> list[FrozenTrial]:
        return [
            optuna.create_trial(
                params={"x": 0.0}, distributions={"x": FloatDistribution(0.0, end)}, value=0.0
            )
            for end in ends
        ]

    def found(*ends: float) -> BaseDistribution:
        return all_parameters(in_shares(ask(*ends)))["x"]

    assert found(1.0, 1.0, 0.5) == FloatDistribution(0.0, 0.5)  # the user has narrowed it
    assert found(0.4, 1.0, 0.6) == Share(0.0, 1.0)
    assert found(0.4, 1.0, 0.5, 0.5, 0.5) == FloatDistribution(0.0, 0.5)
    assert found(0.4, 1.0, 0.5, 0.0, 0.0, 0.0, 0.0) == Share(
        0.0, 1.0
    )  # a single value beside the best
    assert found(1.0, 0.5, 1.0, 0.5, 0.5, 0.5) == Share(0.0, 1.0)  # either of a choice
    assert found(0.4, 1.0, 0.6, 0.3, 0.5, 0.5, 0.5) == Share(
        0.0, 1.0
    )  # beside the same value of another
