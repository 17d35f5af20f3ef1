"""The pruner beside samplers, steps in any order, several objectives and other processes."""

import math
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import optuna
import pytest
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend
from optuna.trial import TrialState

from botorch_popbo.optuna import PoPBOPruner, PoPBOSampler, report_parts

FOLDS = 5


def loss(trial: optuna.Trial, fold: int) -> float:
    x, y = trial.suggest_float("x", 0.0, 1.0), trial.suggest_float("y", 0.0, 1.0)
    return (x - 0.3) ** 2 + (y - 0.6) ** 2 + 0.02 * math.sin(99.0 * x + 7.0 * fold) + fold


def folds(trial: optuna.Trial) -> float:
    order, values = [*range(FOLDS)], []
    random.Random(trial.number).shuffle(order)
    for fold in order:
        values.append(loss(trial, fold))
        trial.report(values[-1], fold)
        if trial.should_prune():
            raise optuna.TrialPruned
    return sum(values) / FOLDS


def two_goals(trial: optuna.Trial) -> tuple[float, float]:
    values = []
    for fold in range(FOLDS):
        value = loss(trial, fold)
        values.append((value, value - 2.0 * trial.params["x"]))
        if report_parts(trial, values[-1], fold):
            raise optuna.TrialPruned
    first, second = zip(*values, strict=True)
    return sum(first) / FOLDS, sum(second) / FOLDS


SAMPLERS: dict[str, Callable[[], Any]] = {
    "ours": lambda: PoPBOSampler(seed=0, n_startup_trials=5),
    "TPE": lambda: optuna.samplers.TPESampler(seed=0),
}


@pytest.mark.parametrize("name", SAMPLERS)
@pytest.mark.parametrize(("objective", "number"), [(folds, 1), (two_goals, 2)])
def test_hopeless_trials_are_pruned(name: str, objective: Any, number: int) -> None:
    pruner = PoPBOPruner(parts="mean")
    directions = ["minimize"] * number
    study = optuna.create_study(sampler=SAMPLERS[name](), pruner=pruner, directions=directions)
    study.optimize(objective, n_trials=15)
    states = [trial.state for trial in study.trials]
    assert states[:2] == [TrialState.COMPLETE] * 2
    assert states.count(TrialState.PRUNED) > (5 if number == 1 else 0)
    assert {trial.state for trial in study.best_trials} == {TrialState.COMPLETE}
    again = optuna.create_study(sampler=SAMPLERS[name](), pruner=pruner, directions=directions)
    again.optimize(objective, n_trials=12)
    assert [t.params for t in again.trials] == [t.params for t in study.trials[:12]]


def test_parts_are_seen_by_all_who_read_the_storage(tmp_path: Path) -> None:
    for seed, number in ((0, 6), (1, 12)):
        study = optuna.create_study(
            storage=JournalStorage(JournalFileBackend(str(tmp_path / "journal"))),
            study_name="s",
            sampler=optuna.samplers.RandomSampler(seed=seed),
            pruner=PoPBOPruner(parts="mean"),
            directions=["minimize"] * 2,
            load_if_exists=True,
        )
        study.optimize(two_goals, n_trials=number)
    assert TrialState.PRUNED in [trial.state for trial in study.trials[6:]]


def test_what_says_nothing_prunes_nothing() -> None:
    def objective(trial: optuna.Trial) -> float:
        value = loss(trial, 0)
        trial.report(math.nan, 0)
        assert not trial.should_prune()
        trial.report(value, 10 + trial.number)  # a step of its own
        assert not trial.should_prune()
        return value

    study = optuna.create_study(sampler=PoPBOSampler(seed=0), pruner=PoPBOPruner())
    study.optimize(objective, n_trials=12)
    assert len(study.get_trials(states=[TrialState.COMPLETE])) == 12


def test_brackets_do_not_see_all_trials() -> None:
    pruner = optuna.pruners.HyperbandPruner(min_resource=1, max_resource=FOLDS)
    study = optuna.create_study(sampler=PoPBOSampler(seed=0, n_startup_trials=4), pruner=pruner)
    study.optimize(folds, n_trials=30)
    assert {TrialState.COMPLETE, TrialState.PRUNED} == {trial.state for trial in study.trials}


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match='"mean" or "last"'):
        PoPBOPruner(parts="first")  # type: ignore[arg-type]
    study = optuna.create_study(pruner=PoPBOPruner())
    with pytest.raises(ValueError, match="1 objectives, but 2 values"):
        report_parts(study.ask(), [1.0, 2.0], 0)
    assert report_parts(study.ask(), [1.0], 0) is False
