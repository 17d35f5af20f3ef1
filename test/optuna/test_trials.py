"""What a study teaches the search, by its trials."""

import math
from collections.abc import Callable
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
from optuna.trial import FrozenTrial, Trial, TrialState

from botorch_popbo.optuna import PoPBOSampler
from botorch_popbo.search.suggest import Search
from botorch_popbo.search.trials import Trials
from botorch_popbo.space import Space

INF = math.inf
UNIT = FloatDistribution(0.0, 1.0)
SPACE: dict[str, BaseDistribution] = {
    "C": FloatDistribution(1e-3, 10.0, log=True),
    "depth": IntDistribution(1, 8),
    "kind": CategoricalDistribution(["svm", "tree"]),
    "x": FloatDistribution(0.0, 9.0),
}
Read = Callable[..., tuple[Space, Trials]]


def begin(study: optuna.Study) -> Trial:
    """A trial for which values are suggested, and that has asked for none of them."""
    new = study.ask()
    assert new.relative_params is not None
    return new


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Read:
    """What the search hears of trials, or of a study, when the next trial begins."""
    heard: list[Any] = []

    def suggest(search: Search, space: Space, trials: Trials, index: int) -> torch.Tensor:
        heard.append((space, trials))
        return space.draw(index + 1, 0)[-1]

    monkeypatch.setattr(Search, "suggest", suggest)

    def read(*given: FrozenTrial | optuna.Study, directions: Any = None, **options: Any) -> Any:
        study = given[0]
        if not isinstance(study, optuna.Study):
            sampler = PoPBOSampler(seed=0, **options)
            study = optuna.create_study(directions=directions or ["minimize"], sampler=sampler)
            study.add_trials(given)
        begin(study)
        return heard.pop()

    return read


def trial(x: float | None, *values: float, **options: Any) -> FrozenTrial:
    params = {} if x is None else {"x": x}
    options |= {"params": params, "distributions": {name: SPACE[name] for name in params}}
    return optuna.create_trial(values=values or None, **options)


def mixed(value: float = 0.0, **params: Any) -> FrozenTrial:
    distributions = {name: SPACE[name] for name in params}
    return optuna.create_trial(params=params, distributions=distributions, value=value)


TRIALS = [mixed(kind="svm", C=0.1), mixed(kind="tree", depth=3)] * 2
FAILED = trial(3.0, state=TrialState.FAIL)


def test_outcomes_are_to_be_maximised_and_failures_last(read: Read) -> None:
    curve = {"intermediate_values": {0: 9.0}}
    given = trial(2.0, INF), FAILED, trial(4.0, state=TrialState.PRUNED, **curve), trial(5.0, -INF)
    _, found = read(trial(1.0, 5.0, intermediate_values={0: 8.0}), *given)
    first, *failed, pruned, best = found.objectives[:, 0].tolist()
    assert first == -5.0
    assert failed == [-INF, -INF]
    assert -INF < pruned < first < best < INF
    assert found.X[:, 0].tolist() == [1.0, 2.0, 3.0, 4.0, 5.0]
    assert found.num_successes == 3
    directions = ["minimize", "maximize"]
    _, found = read(trial(1.0, 5.0, 7.0), trial(2.0, 1.0, -INF), FAILED, directions=directions)
    assert found.objectives.tolist() == [[-5.0, 7.0], [-INF, -INF], [-INF, -INF]]


def test_running_trials_are_pending_and_waiting_ones_are_not(read: Read) -> None:
    study = optuna.create_study(sampler=PoPBOSampler(seed=0))
    running = trial(2.0, state=TrialState.RUNNING)
    study.add_trials([trial(1.0, 5.0), running, trial(None, 1.0)])
    study.enqueue_trial({"other": 3.0})  # which begins
    study.enqueue_trial({"x": 3.0})
    _, found = read(study)
    assert found.pending.tolist() == [[2.0]]
    assert found.X.tolist() == [[1.0]]


def test_all_trials_are_placed_at_once(monkeypatch: pytest.MonkeyPatch, read: Read) -> None:
    placed, filled = [], Space.filled
    monkeypatch.setattr(Space, "filled", lambda *args: placed.append(1) or filled(*args))
    assert len(read(*TRIALS * 20)[1].X) == 80
    assert len(placed) <= 2  # once, and once where the test draws


def violating(*values: float | None) -> dict[str, Any]:
    return {"system_attrs": {"constraints": values}}


def named(**values: float) -> dict[str, Any]:
    attrs = {f"constraints:{name}": value for name, value in values.items()}
    return {"system_attrs": attrs | {"other": 5}}


def test_constraints_are_slacks_unless_they_do_not_apply_or_are_unknown(read: Read) -> None:
    curve = {"intermediate_values": {0: 5.0}}
    stopped = trial(6.0, state=TrialState.PRUNED, **curve)
    _, found = read(
        trial(1.0, 5.0, **violating(-1.0, 2.0), **curve),
        trial(2.0, 5.0, **violating(0.5, -INF)),
        FAILED,
        trial(4.0, 5.0),  # of a time before there were any
        trial(5.0, 5.0, system_attrs={"constraints": None}),
        stopped,
        deterministic_objective=True,
    )
    slack = [[1.0, -2.0], [-0.5, INF], *[[math.nan] * 2] * 3]
    expected = torch.tensor(slack).double()
    torch.testing.assert_close(found.slack[[0, 1, 3, 4, 5]], expected, equal_nan=True)
    assert not len(found.pending)
    assert torch.equal(found.variance, torch.zeros(6, 1).double())
    branches = (
        trial(1.0, 5.0, **named(size=2.0), **curve),
        trial(2.0, 5.0, **named(cost=3)),
        trial(3.0, 5.0),
    )
    _, found = read(*branches, stopped)
    assert found.slack[:3].tolist() == [[INF, -2.0], [-3.0, INF], [INF, INF]]
    assert found.slack[3].isnan().all()
    assert found.num_successes == 4
    new = trial(1.0, 5.0)
    if hasattr(new, "set_constraint"):  # of Optuna 5
        new.set_constraint("cost", 1.0)
        assert read(new)[1].slack.tolist() == [[-1.0]]


# Losses; the curves of the second and the third cross.
CURVES = {1.0: (5.0, 3.0), 2.0: (7.0, 4.0), 3.0: (6.0, 5.0)}


@pytest.mark.parametrize(
    ("curve", "expected"),
    [
        ((4.0,), 0.0),  # the rest added 4, 5 and 3 to the others
        ((8.0,), -4.0),
        ((8.0, 3.5), -1.5),  # its last step counts, to which the rest added 2 each
        ((8.0, 3.5, 1.0), None),  # nobody else got so far
        ((), -INF),
        ((math.nan,), -INF),
    ],
)
def test_a_pruned_trial_is_what_the_rest_would_make_of_it(
    curve: tuple[float, ...], expected: float | None, read: Read
) -> None:
    for unit in (1.0, -1e6):

        def shown(values: tuple[float, ...], unit: float = unit) -> dict[str, Any]:
            return {"intermediate_values": {step: unit * v for step, v in enumerate(values)}}

        whole = [trial(loss, unit * loss, **shown(values)) for loss, values in CURVES.items()]
        stopped = trial(9.0, state=TrialState.PRUNED, **shown(curve))
        _, found = read(*whole, stopped, directions=["minimize" if unit > 0 else "maximize"])
        assert found.pending.tolist() == ([[9.0]] if expected is None else [])
        assert len(found.X) == 4 - len(found.pending)
        if expected is not None:
            assert found.objectives[-1].item() == abs(unit) * expected
            is_foreseen = len(curve) == 1 and expected > -INF
            assert bool(found.variance[-1] > 0.0) == is_foreseen
            assert bool((found.variance[:3] == 0.0).all()) == is_foreseen  # noise is inferred


def test_penalties_of_any_size_keep_their_order(read: Read) -> None:
    losses = [1e300, 1.0, 1e200, 1e307]
    _, found = read(*(trial(float(x), loss) for x, loss in enumerate(losses, 1)))
    assert found.objectives[:, 0].tolist() == [-loss for loss in losses]


def test_a_pruned_trial_stays_a_number(read: Read) -> None:
    huge = [trial(1.0, -1.7e308, intermediate_values={0: -v}) for v in (0.0, 9.0)]
    stopped = trial(9.0, state=TrialState.PRUNED, intermediate_values={0: -1.0})
    assert read(*huge, stopped)[1].objectives[-1].isfinite()


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
def test_a_grid_is_its_values(
    distribution: BaseDistribution, values: list[Any], read: Read
) -> None:
    given = optuna.create_trial(params={"p": values[0]}, distributions={"p": distribution}, value=0)
    parameter = read(given)[0].parameters["p"]
    found = [parameter.value(place) for place in parameter.places()]
    assert found == pytest.approx(values) if isinstance(values[0], float) else found == values
    assert [type(value) for value in found] == [type(value) for value in values]
    assert [parameter.place(value) for value in found] == parameter.places()


def test_what_decides_is_found_and_what_has_no_meaning_tells_no_points_apart(read: Read) -> None:
    space, _ = read(*TRIALS)
    assert space.dependents == {"kind": {0.0: ["C"], 1.0: ["depth"]}}
    assert not read(*TRIALS[:2])[0].dependents  # too few to tell
    kind = {"kind": SPACE["kind"]}
    broken = optuna.create_trial(state=TrialState.FAIL, params={"kind": "svm"}, distributions=kind)
    _, found = read(*TRIALS, broken)
    assert found.X[:, 1].tolist() == [5.0, 3.0] * 2  # what failed shows nothing, and is nowhere
    contradicting = mixed(kind="svm", C=0.1, depth=8)
    assert read(*TRIALS, contradicting)[0].dependents == {"kind": {0.0: ["C"]}}


@pytest.mark.parametrize(
    ("name", "value", "distribution"),
    [
        ("C", 0.0, FloatDistribution(0.0, 10.0)),
        ("C", "high", CategoricalDistribution(["high", "low"])),
        ("kind", "forest", CategoricalDistribution(["forest", "svm"])),
    ],
)
def test_added_trials_of_other_distributions_are_nowhere(
    name: str, value: float | str, distribution: BaseDistribution, read: Read
) -> None:
    params = {"kind": "svm", "C": 0.1, name: value}
    distributions = {n: SPACE[n] for n in params} | {name: distribution}
    added = optuna.create_trial(params=params, distributions=distributions, value=0.0)
    space, trials = read(added, *TRIALS)
    assert len(trials.X) == len(TRIALS)
    assert space.key == read(*TRIALS)[0].key


def test_a_running_trial_is_where_it_was_suggested_or_enqueued_or_has_asked_to_be(
    read: Read,
) -> None:
    params = {"x": 0.1, "y": 0.2, "z": 0.3, "kind": "tree"}
    distributions = {**dict.fromkeys("xyz", UNIT), "kind": SPACE["kind"]}
    done = optuna.create_trial(params=params, distributions=distributions, value=1.0)
    study = optuna.create_study(sampler=PoPBOSampler(seed=0))
    study.add_trial(done)
    study.enqueue_trial({"x": 0.5, "y": 0.7, "other": 3.0})
    begin(study).suggest_float("x", 0.0, 1.0)
    _, found = read(study)
    kind, x, y, z = found.pending[0].tolist()
    assert (x, y) == (0.5, 0.7)
    assert kind in (0.0, 1.0)
    assert 0.0 < z < 1.0
    study.ask()  # of which nothing is known
    assert len(read(study)[1].pending) == 2


@pytest.mark.parametrize("url", ["", "sqlite:///{}/study.db"])
def test_suggestions_are_kept_for_trials_that_have_not_asked_for_all(
    url: str, tmp_path: Path, read: Read
) -> None:
    study = optuna.create_study(
        storage=url.format(tmp_path) or None, sampler=PoPBOSampler(seed=0, n_startup_trials=99)
    )
    done = {"params": {"x": 0.5, "y": 0.9}, "distributions": {"x": UNIT, "y": UNIT}}
    study.add_trial(optuna.create_trial(value=1.0, **done))

    def kept() -> list[int]:
        attrs = study._storage.get_study_system_attrs(study._study_id)
        return sorted(number for number, _ in attrs.values())

    broken = begin(study)
    broken.suggest_float("x", 0.0, 1.0)
    study.tell(broken, state=TrialState.FAIL)  # where it was going to be is known from here alone
    running = [begin(study) for _ in range(3)]
    for new in running:
        study.tell(new, 1.0)
    others = [begin(study) for _ in range(3)]
    assert kept() == [1, 5, 6, 7]
    for new in others:
        new.suggest_float("x", 0.0, 1.0)
        new.suggest_float("y", 0.0, 1.0)
        study.tell(new, state=TrialState.FAIL)
    last = begin(study)
    assert len(kept()) == 4
    assert {1, last.number} < {*kept()}
    _, found = read(study)
    assert found.X[1, 0] == broken.params["x"]
    assert len(found.pending) == 1


def test_a_range_of_each_trial_is_searched_by_shares(read: Read) -> None:
    def objective(trial: Trial) -> float:
        a = trial.suggest_float("a", 0.0, 1.0)
        trial.suggest_float("b", 0.0, 1.0 - a)
        trial.suggest_int("n", 1, 1 + int(4 * a))
        return a + trial.suggest_float("rate", 1e-4 * (1 + a), 1e-2 * (1 + a), log=True)

    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    study.optimize(objective, n_trials=7)
    study.sampler = PoPBOSampler(seed=0)
    _, found = read(study)
    for given, x in zip(study.trials, found.X, strict=False):
        a, b, n, rate = given.params.values()
        share = math.log(rate / (1 + a) / 1e-4) / math.log(100.0)
        assert x.tolist() == pytest.approx([a, b / (1 - a), (n - 0.5) / (1 + int(4 * a)), share])


@pytest.mark.parametrize(
    ("ends", "last"),
    [
        ([1.0, 1.0, 0.5], 0.5),  # the user has narrowed it
        ([0.4, 1.0, 0.6], None),
        ([0.4, 1.0, 0.5, 0.5, 0.5], 0.5),
        ([0.4, 1.0, 0.5, 0.0, 0.0, 0.0, 0.0], None),  # a single value beside the best
        ([1.0, 0.5, 1.0, 0.5, 0.5, 0.5], None),  # either of a choice
        ([0.4, 1.0, 0.6, 0.3, 0.5, 0.5, 0.5], None),  # beside the same value of another
    ],
)
def test_ranges_are_the_last_ones_unless_each_trial_has_its_own(
    ends: list[float], last: float | None, read: Read
) -> None:
    trials = [
        optuna.create_trial(
            params={"x": end / 2}, distributions={"x": FloatDistribution(0.0, end)}, value=0.0
        )
        for end in ends
    ]
    space, found = read(*trials)
    assert space.bounds[1].item() == (last or 1.0)
    assert found.X[:, 0].tolist() == ([0.5] * len(ends) if last is None else [e / 2 for e in ends])
