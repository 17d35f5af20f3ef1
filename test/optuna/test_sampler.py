import math
import os
import pickle
import random
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pytest
import torch
from botorch.exceptions import InputDataError, UnsupportedError
from botorch.exceptions.warnings import InputDataWarning
from optuna.distributions import FloatDistribution
from optuna.trial import FrozenTrial, Trial, TrialState

from botorch_popbo import minimize
from botorch_popbo.optuna import PoPBOSampler, study_of
from botorch_popbo.search.suggest import Models
from botorch_popbo.settings import SearchSettings, Settings

optuna.logging.set_verbosity(optuna.logging.WARNING)

Objective = Callable[[Trial], float | tuple[float, ...]]


def bowl(trial: Trial) -> float:
    x = trial.suggest_float("x", 1e-4, 1.0, log=True)
    y = trial.suggest_int("y", 0, 30)
    kind = trial.suggest_categorical("kind", ["a", "b", None])
    return float(math.log10(x) + 2.0) ** 2 + 0.1 * abs(y - 7) + (kind != "b")


def run(objective: Objective, number: int = 8, **options: Any) -> optuna.Study:
    sampler = PoPBOSampler(seed=0, n_startup_trials=4, **options)
    study = optuna.create_study(sampler=sampler)
    study.optimize(objective, n_trials=number, catch=ZeroDivisionError)
    return study


def params(study: optuna.Study) -> list[dict[str, Any]]:
    return [trial.params for trial in study.trials]


@pytest.fixture(scope="module")
def searched() -> optuna.Study:
    return run(bowl, 9)


def states() -> str:
    generators = f"{random.getstate()} {np.random.get_state()} {torch.get_rng_state().tolist()}"  # noqa: NPY002
    return f"{generators} {torch.get_num_threads()}"


def test_another_process_may_suggest_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    study = run(lambda trial: (trial.suggest_float("x", 0.0, 1.0) - 0.37) ** 2)
    study._storage.create_new_trial(study._study_id)
    suggest, seen = Models.suggest, []

    def suggest_late(*arguments: Any) -> torch.Tensor:
        seen.append(suggest(*arguments))
        suggestion = [8, {"x": float(seen[0])}]
        study._storage.set_study_system_attr(study._study_id, "popbo:suggestion:8", suggestion)
        return seen[-1]

    monkeypatch.setattr(Models, "suggest", suggest_late)
    assert abs(study.ask().suggest_float("x", 0.0, 1.0) - float(seen[0])) > 1e-3


def test_beside_a_certain_optimum_nothing_is_copied() -> None:
    study = optuna.create_study(sampler=PoPBOSampler(seed=0))

    def slope(trial: Trial) -> float:
        x, y, z = (trial.suggest_float(name, 0.0, 1.0) for name in "xyz")
        return x + 2.0 * y + 0.5 * z

    study.optimize(slope, n_trials=24)
    assert study.best_value == 0.0
    points = torch.tensor([[*trial.params.values()] for trial in study.trials])
    assert torch.pdist(points).min() > 1e-3


def test_the_seed_decides_and_global_state_is_left_alone(searched: optuna.Study) -> None:
    threads = torch.get_num_threads()
    torch.set_num_threads(threads + 1)
    before = states()
    assert params(run(bowl, 9)) == params(searched)
    assert states() == before
    torch.set_num_threads(threads)
    assert bowl(optuna.create_study(sampler=PoPBOSampler(seed=1)).ask()) != searched.trials[0].value


def test_an_increasing_transform_of_what_is_only_ordered_changes_nothing() -> None:
    plain = run(bowl, 9, order_only=True)
    warped = run(lambda trial: math.exp(9.0 * bowl(trial)) - 1e3, 9, order_only=True)
    assert params(warped) == params(plain)


def test_a_study_goes_on_as_if_it_had_not_been_interrupted(
    searched: optuna.Study, tmp_path: Path
) -> None:
    storage = f"sqlite:///{tmp_path}/study.db"
    for number in (3, 3):
        study = optuna.create_study(
            storage=storage,
            study_name="s",
            load_if_exists=True,
            sampler=PoPBOSampler(seed=0, n_startup_trials=4),
        )
        study.optimize(bowl, n_trials=number)
    assert params(study) == params(searched)[:6]
    assert not [name for name in study.trials_dataframe() if "popbo" in name]


def test_a_pickled_sampler_and_one_of_the_same_settings_suggest_the_same(
    searched: optuna.Study,
) -> None:
    settings = Settings(search=SearchSettings(num_initial=4))
    pickled = pickle.dumps(searched.sampler)
    assert len(pickled) < 5000  # without models
    for sampler in (pickle.loads(pickled), PoPBOSampler(seed=0, settings=settings)):
        study = optuna.create_study(sampler=sampler)
        study.optimize(bowl, n_trials=6)
        assert params(study) == params(searched)[:6]


def test_trials_side_by_side_differ_and_share_a_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    study = run(bowl, 6)
    fits, fit = [], Models.fit
    monkeypatch.setattr(Models, "fit", lambda *args: fits.append(1) or fit(*args))
    asked = [study.ask() for _ in range(3)]
    found = [(bowl(trial), tuple(trial.params.items()))[1] for trial in asked]
    assert len(set(found)) == 3
    assert len(fits) == 1
    study.tell(asked[0], 1.0)
    bowl(study.ask())
    assert len(fits) == 2


def test_threads_share_a_study(tmp_path: Path) -> None:
    sampler = PoPBOSampler(seed=0, n_startup_trials=3)
    study = optuna.create_study(storage=f"sqlite:///{tmp_path}/study.db", sampler=sampler)
    study.optimize(bowl, n_trials=7, n_jobs=2)
    assert len({str(trial.params) for trial in study.trials}) == 7
    assert all(trial.state == TrialState.COMPLETE for trial in study.trials)


def test_no_point_of_a_table_comes_twice_before_all_have_come_once() -> None:
    def table(trial: Trial) -> float:
        x = trial.suggest_int("x", 1, 4, log=True)
        if x == 3:
            raise ZeroDivisionError
        return x + float(trial.suggest_categorical("y", [0, 10]))

    found = {tuple(trial.params.items()) for trial in run(table, 8).trials}
    assert len(found) == 7  # at 3 the second is never asked for
    assert run(table, 9).trials[-1].params in [dict(pairs) for pairs in found]


def conditional(trial: Trial) -> float:
    if trial.suggest_categorical("model", ["svm", "tree"]) == "svm":
        return abs(trial.suggest_float("C", 0.0, 1.0) - 0.3)
    return 0.2 + 0.1 * trial.suggest_int("depth", 1, 9)


def test_conditional_parameters_are_suggested_together(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn, draw = [], PoPBOSampler.sample_independent
    monkeypatch.setattr(
        PoPBOSampler,
        "sample_independent",
        lambda *args: drawn.append(args[2].number) or draw(*args),  # type: ignore[func-returns-value]
    )
    study = run(conditional, 14)
    assert {trial.params["model"] for trial in study.trials} == {"svm", "tree"}
    assert max(drawn) < 4
    assert study.best_params["model"] == "svm"


def decided_by_a_number(trial: optuna.Trial) -> float:
    x = trial.suggest_float("x", 0.0, 1.0)
    return x + (trial.suggest_float("z", 0.0, 1.0) if x > 0.5 else 0.0)


def test_the_best_point_on_the_border_of_a_constraint_is_found() -> None:
    def constraints(trial: FrozenTrial) -> tuple[float]:
        return (0.1 - trial.params["a"] * trial.params["b"],)

    study = optuna.create_study(sampler=PoPBOSampler(seed=0, constraints_func=constraints))
    study.optimize(lambda t: 2.0 * t.suggest_float("a", 0, 1) + t.suggest_float("b", 0, 1), 24)
    assert study.best_value < 2.0 * math.sqrt(0.2) + 2e-3  # best_value is that of feasible trials


def test_a_constraint_of_one_branch_says_nothing_of_others() -> None:
    def objective(trial: Trial) -> float:
        kind, x = trial.suggest_categorical("kind", "ab"), trial.suggest_float("x", 0.0, 1.0)
        if kind == "a":  # better, but hardly ever feasible
            trial.set_constraint("limit", x - 0.05)
        return (x - 0.6) ** 2 + 0.2 * (kind == "b")

    if not hasattr(Trial, "set_constraint"):
        pytest.skip("this version of Optuna has no set_constraint")
    assert run(objective, 20).best_value < 0.2 + 1e-4


def test_a_front_is_searched() -> None:
    def objective(trial: Trial) -> tuple[float, float]:
        x, y = (trial.suggest_float(name, 0.0, 1.0) for name in "xy")
        return x**2 + y, -((x - 1.0) ** 2) - y

    study = optuna.create_study(
        directions=["minimize", "maximize"],
        sampler=PoPBOSampler(seed=0, n_startup_trials=5, deterministic_objective=True),
    )
    study.optimize(objective, n_trials=8)
    assert min(trial.params["y"] for trial in study.trials[5:]) < 0.05


def test_a_sampler_tells_studies_of_one_name_apart() -> None:
    def suggested(sampler: PoPBOSampler, best: float) -> Any:
        study = optuna.create_study(study_name="s", sampler=sampler)
        study.optimize(lambda t: (t.suggest_float("x", 0.0, 1.0) - best) ** 2, n_trials=5)
        return params(study)

    shared = PoPBOSampler(seed=0, n_startup_trials=4)
    for best in (0.2, 0.9):
        assert suggested(shared, best) == suggested(PoPBOSampler(seed=0, n_startup_trials=4), best)


@pytest.mark.parametrize(
    "options",
    [{"n_startup_trials": 0}, {"n_startup_trials": 2.5}, {"seed": -1}, {"seed": 0.5}, {"seed": ""}],
)
def test_bad_numbers_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(InputDataError, match="must be a whole number of at least"):
        PoPBOSampler(**options)


def test_settings_are_no_dictionary() -> None:
    with pytest.raises(InputDataError, match=r"settings must be Settings\(...\) or None"):
        PoPBOSampler(settings={})  # type: ignore[arg-type]


FORKED = """
import multiprocessing, sys
import optuna
from botorch_popbo.optuna import PoPBOSampler

def load():
    sampler = PoPBOSampler(seed=0, n_startup_trials=5)
    return optuna.create_study(
        study_name="s", storage=sys.argv[1], sampler=sampler, load_if_exists=True
    )

def loss(trial):
    return sum((trial.suggest_float(name, 0, 1) - 0.3) ** 2 for name in "xy")

load().optimize(loss, n_trials=8)
fork = multiprocessing.get_context("fork")
workers = [fork.Process(target=lambda: load().optimize(loss, n_trials=3)) for _ in range(2)]
[worker.start() for worker in workers]
[worker.join() for worker in workers]
assert [worker.exitcode for worker in workers] == [0, 0]
study = load()
kept = study._storage.get_study_system_attrs(study._study_id)
assert len(kept) <= 2  # one for each worker
points = {tuple(trial.params.values()) for trial in study.trials}
assert len(points) == 14
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="forks")
def test_workers_are_forked_from_a_process_that_has_searched(tmp_path: Path) -> None:
    command = [sys.executable, "-c", FORKED, f"sqlite:///{tmp_path}/study.db"]
    environment = {name: value for name, value in os.environ.items() if "THREADS" not in name}
    subprocess.run(command, check=True, timeout=120, env=environment)


def valley(trial: Trial) -> float:
    x, y, z = (trial.suggest_float(name, 0.0, 1.0) for name in "xyz")
    return (x - y) ** 2 + (z - y) ** 2


@pytest.mark.parametrize("way", ["enqueued", "partial"])
def test_what_is_fixed_is_kept_in_mind(way: str) -> None:
    study = optuna.create_study(sampler=PoPBOSampler(seed=0, n_startup_trials=8))
    study.optimize(valley, n_trials=14)
    if way == "partial":
        study.sampler = optuna.samplers.PartialFixedSampler({"y": 0.9}, study.sampler)
    for _ in range(8 if way == "enqueued" else 0):
        study.enqueue_trial({"y": 0.9})
    study.optimize(valley, n_trials=8)
    found = study.trials[14:]
    assert {trial.params["y"] for trial in found} == {0.9}
    assert len({(trial.params["x"], trial.params["z"]) for trial in found}) == 8
    assert min(trial.values[0] for trial in found) < 0.02


def test_a_table_of_which_a_column_is_fixed_is_exhausted_without_repeats() -> None:
    def table(trial: Trial) -> float:
        kind = trial.suggest_categorical("kind", ["a", "b", "c"])
        return trial.suggest_int("x", 1, 6) + 3.0 * (kind == "b")

    study = optuna.create_study(sampler=PoPBOSampler(seed=0, n_startup_trials=3))
    study.optimize(table, n_trials=3)
    for _ in range(6):
        study.enqueue_trial({"kind": "b"})
    study.optimize(table, n_trials=6)
    before = {t.params["x"] for t in study.trials[:3] if t.params["kind"] == "b"}
    later = [t.params["x"] for t in study.trials[3:]]
    assert set(later[: 6 - len(before)]) == {1, 2, 3, 4, 5, 6} - before


def test_fixed_values_beyond_the_range_or_of_all_parameters_are_taken_as_they_are() -> None:
    study = run(bowl, 6)
    study.enqueue_trial({"y": 45})
    study.enqueue_trial({"x": 0.1, "y": 3, "kind": None})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        study.optimize(bowl, n_trials=2)
    assert study.trials[6].params["y"] == 45
    assert study.trials[7].params == {"x": 0.1, "y": 3, "kind": None}


@pytest.mark.parametrize(
    ("factor", "options"), [(0.0, {}), (1.0, {"constraints_func": lambda trial: [1.0]})]
)
def test_equal_outcomes_are_warned_of_once(factor: float, options: dict[str, Any]) -> None:
    with pytest.warns(InputDataWarning, match="All .* a constraint by the same amount") as said:
        run(lambda trial: factor * trial.suggest_float("x", 0.0, 1.0), 8, **options)
    assert len(said) == 1


@pytest.mark.parametrize("returned", [None, 0.5, "a", ["a"]])
def test_constraints_are_numbers(returned: Any) -> None:
    with pytest.raises(InputDataError, match="must give a list of numbers"):
        run(branches, 1, constraints_func=lambda trial: returned)
    with pytest.raises(InputDataError, match="constraints_func must be a function of a trial"):
        PoPBOSampler(constraints_func=returned or 3)


def mixture(trial: Trial) -> float:
    a = trial.suggest_float("a", 0.0, 1.0)
    b = trial.suggest_float("b", 0.0, 1.0 - a)
    return float(a < 0.9) - b  # a corner is best, and b has a single value there


def sums(trial: Trial) -> float:
    a = trial.suggest_int("a", 0, 6)
    b = trial.suggest_int("b", 0, 6 - a)
    return float((a - 2) ** 2 + (b - 3) ** 2)


def circle(trial: Trial) -> float:
    a = trial.suggest_float("a", 0.0, 1.0)
    return -a * trial.suggest_float("b", 0.0, math.sqrt(1.0 - a**2))


def products(trial: Trial) -> float:
    n = trial.suggest_int("n", 1, 8)
    u = trial.suggest_int("u", 1, 64 // n)
    return math.log(u * n / 40) ** 2 + (n - 5) ** 2 / 10


def branches(trial: Trial) -> float:
    a = trial.suggest_float("a", 0.0, 1.0)
    if trial.suggest_categorical("kind", ["u", "v"]) == "v":
        return -a - trial.suggest_float("b", 0.0, 1.0 - a)
    return -a


@pytest.mark.parametrize(
    ("objective", "trials", "distinct", "best"),
    [
        (mixture, 14, 14, 0.0),
        (circle, 26, 26, -0.49),  # at the corner of the square is nothing
        (branches, 14, 14, -0.9),
        (decided_by_a_number, 12, 12, 0.05),
        (sums, 14, 12, 0.1),
        (products, 14, 12, 0.1),
    ],
)
def test_a_range_may_depend_on_what_was_asked_before(
    objective: Objective, trials: int, distinct: int, best: float
) -> None:
    study = run(objective, trials)
    assert len({tuple(trial.params.values()) for trial in study.trials}) >= distinct
    assert study.best_value < best


def test_what_is_recommended_under_noise_is_what_minimize_recommends() -> None:
    glitch = iter([0.0] * 8 + [-1.0] + [0.0] * 20)

    def noisy(x: float, y: float) -> float:
        if x + y > 1.7:
            raise ValueError
        return float((x - 0.3) ** 2 + (y - 0.6) ** 2 + next(glitch))

    result = minimize(noisy, {"x": (0.0, 1.0), "y": (0.0, 1.0)}, 20, progress=False)
    study, before = study_of(result), states()
    best = [PoPBOSampler(seed=seed).best_trial(study) for seed in (1, 2)]
    assert best[0] == best[1]
    assert states() == before
    assert best[0].params == result.best.parameters
    assert best[0].params != study.best_params  # which was lucky


def recorded(state: TrialState, x: float, *values: float, limit: float = -1.0) -> FrozenTrial:
    return optuna.trial.create_trial(
        state=state,
        params={"x": x},
        distributions={"x": FloatDistribution(0.0, 1.0)},
        values=values or None,
        intermediate_values={0: 9.0 * abs(x - 0.5), 1: abs(x - 0.5)} if len(values) < 2 else {},
        system_attrs={"constraints": [limit]},
    )


PLACES = [index / 16 for index in range(17)]
WHOLE, STOPPED = TrialState.COMPLETE, TrialState.PRUNED


@pytest.mark.parametrize("lost", ["infeasible", "pruned"])
def test_what_is_infeasible_or_pruned_is_not_recommended(lost: str) -> None:
    """From 0.3 to 0.7 trials are lost, and the better of two at 0.25 is in the end."""
    study = optuna.create_study()
    for x in PLACES:
        is_lost = 0.3 < x < 0.7
        if lost == "pruned" and is_lost:
            study.add_trial(recorded(STOPPED, x))
        else:
            study.add_trial(recorded(WHOLE, x, abs(x - 0.49), limit=float(is_lost)))
    study.add_trial(recorded(WHOLE, 0.25, 0.23))
    best = PoPBOSampler(deterministic_objective=True).best_trial(study)
    assert best.number == len(PLACES)


def test_of_several_objectives_a_front_is_recommended() -> None:
    study = optuna.create_study(directions=["minimize", "maximize"])
    for x in PLACES:
        study.add_trial(recorded(WHOLE, x, (x - 0.2) ** 2, -((x - 0.8) ** 2), limit=x - 0.6))
    sampler = PoPBOSampler(deterministic_objective=True)
    assert sampler.best_trials(study) == study.best_trials
    with pytest.raises(UnsupportedError, match="best_trials"):
        sampler.best_trial(study)
    with pytest.raises(TypeError, match="Pass an Optuna study, not 3"):
        sampler.best_trial(3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "trials",
    [
        [],
        [recorded(TrialState.FAIL, 0.5), recorded(STOPPED, 0.3)],
        [recorded(WHOLE, 0.5, 1.0, limit=1.0), recorded(TrialState.FAIL, 0.2)],
        [recorded(WHOLE, 0.5, math.inf)],
    ],
)
def test_where_nothing_can_be_recommended_it_says_why(trials: list[FrozenTrial]) -> None:
    study = optuna.create_study()
    study.add_trials(trials)
    with pytest.raises(InputDataError, match="It must be complete, satisfy all constraints"):
        PoPBOSampler().best_trial(study)
