from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.model_selection import KFold, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from botorch_popbo.benchmarks.cli._campaigns import load_campaign
from botorch_popbo.benchmarks.points import uniform_point
from botorch_popbo.benchmarks.problems import PROBLEMS, Problem
from botorch_popbo.benchmarks.settings import Parameters

GOOD = {"max_depth": 9, "min_samples_split": 2, "min_samples_leaf": 1, "max_features": 0.3}
GOOD |= {"bootstrap": False}


def load(name: str, folder: Path | None = None) -> Problem:
    return PROBLEMS[f"tuning-{name}"].load(folder)


def point(problem: Problem, index: int = 0) -> Parameters:
    return uniform_point(problem.space, problem.name, 0, index)


def test_the_loss_is_that_of_cross_validation() -> None:
    X, y = load_wine(return_X_y=True)
    X, _, y, _ = train_test_split(X, y, random_state=0, train_size=119, test_size=59)
    estimator = ExtraTreesClassifier(random_state=0, n_estimators=10, **GOOD)
    folds = KFold(5, shuffle=True, random_state=0)
    right = cross_val_score(make_pipeline(StandardScaler(), estimator), X, y, cv=folds)
    problem = load("extra-wine")
    assert problem.is_exact
    assert problem.evaluate(GOOD, 0) == problem.score(GOOD) == pytest.approx(1.0 - right.mean())


def test_one_split_is_noisy_and_scored_by_what_was_held_out() -> None:
    problem = load("extra-wine-split")
    outcomes = [problem.evaluate(GOOD, seed) for seed in (0, 1, 1)]
    assert problem.noisy
    assert outcomes[0] != outcomes[1] == outcomes[2]
    assert problem.score(GOOD) == load("extra-wine").measures(GOOD)["held out"]


def test_evaluations_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fails = {"n_neighbors": 100, "weights": "uniform", "metric": "minkowski", "p": 2.0}
    first = load("neighbours-wine", tmp_path)
    points = [point(first), fails]
    losses = [first.evaluate(one, 0) for one in points]
    assert losses[1] is None
    again = load("neighbours-wine", tmp_path)
    monkeypatch.setattr(type(again), "_computed", None)
    assert [again.evaluate(one, 0) for one in points] == losses


@pytest.mark.parametrize("name", ["svm-diabetes", "sgd-diabetes", "neighbours-cancer"])
def test_what_has_no_meaning_makes_no_difference(name: str) -> None:
    problem = load(name)
    points = [point(problem, index) for index in range(12)]
    same = [problem.space.decode(problem.space.encode(one)) for one in points]
    assert any(one != other for one, other in zip(points, same, strict=True))
    losses, others = ([problem.score(one) for one in each] for each in (points, same))
    np.testing.assert_allclose(losses, others)


def test_half_is_developed_on_and_half_is_judged_on() -> None:
    halves = [load_campaign(name)["problems"] for name in ("tuning-develop", "tuning")]
    own = [name for name in PROBLEMS if name.startswith("tuning-") and not name.endswith("-split")]
    assert sorted(halves[0] + halves[1]) == sorted(own)
    for half in halves:
        assert {name.rpartition("-")[2] for name in half} == {
            "cancer",
            "wine",
            "digits",
            "diabetes",
        }
