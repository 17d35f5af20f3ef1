import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.model_selection import KFold, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from botorch_popbo.benchmarks.points import uniform_point
from botorch_popbo.benchmarks.problems import PROBLEMS, Problem

GOOD = {"max_depth": 9, "min_samples_split": 2, "min_samples_leaf": 1, "max_features": 0.3}
GOOD |= {"bootstrap": False}


def load(name: str) -> Problem:
    return PROBLEMS[f"tuning-{name}"].load(None)


def test_the_loss_is_that_of_cross_validation() -> None:
    X, y = load_wine(return_X_y=True)
    X, other_X, y, other_y = train_test_split(X, y, random_state=0, train_size=119, test_size=59)
    estimator = ExtraTreesClassifier(random_state=0, n_estimators=10, **GOOD)
    pipeline = make_pipeline(StandardScaler(), estimator)
    right = cross_val_score(pipeline, X, y, cv=KFold(5, shuffle=True, random_state=0))
    problem = load("extra-wine")
    assert problem.is_exact
    assert problem.evaluate(GOOD, 0) == problem.score(GOOD) == pytest.approx(1.0 - right.mean())
    accuracy = pipeline.fit(X, y).score(other_X, other_y)
    assert problem.held_out(GOOD) == pytest.approx(1.0 - accuracy)


def test_what_is_refused_has_failed() -> None:
    problem = load("neighbours-wine")
    good = {"n_neighbors": 5, "weights": "uniform", "metric": "minkowski", "p": 2.0}
    assert 0.0 <= problem.score(good) < 0.2
    assert problem.evaluate({**good, "n_neighbors": 100}, 0) is None


@pytest.mark.parametrize("name", ["svm-diabetes", "sgd-diabetes", "neighbours-cancer"])
def test_what_has_no_meaning_makes_no_difference(name: str) -> None:
    problem = load(name)
    points = [uniform_point(problem.space, name, 0, index) for index in range(12)]
    same = [problem.space.decode(problem.space.encode(one)) for one in points]
    assert any(one != other for one, other in zip(points, same, strict=True))
    losses, others = ([problem.score(one) for one in each] for each in (points, same))
    np.testing.assert_allclose(losses, others)


def test_digits_are_split_by_the_seed() -> None:
    problem = PROBLEMS["sklearn-digits"].load(None)
    point = uniform_point(problem.space, problem.name, 0, 0)
    first, again, other = (problem.evaluate(point, seed) for seed in (1, 1, 2))
    assert first == again != other
