"""Tuning scikit-learn's estimators on data that come with it: what most people optimize.

Each estimator has a space as a user would write it. A few hundred rows of a data set are for the
search, others are held out. Columns are standardized, targets of regressions are in their own unit.
"""

import json
import math
import sqlite3
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import sklearn
from sklearn import datasets, ensemble, linear_model, metrics, neighbors, neural_network, svm, tree
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import KFold, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.settings import Parameters
from botorch_popbo.space import Space

_NUM_ROWS, _NUM_HELD_OUT, _NUM_FOLDS = 250, 500, 5


class _Data(NamedTuple):
    """A data set; the loss is of what the estimator's method of that name returns."""

    load: Callable[..., tuple[Any, Any]]
    label: str
    loss: Callable[[Any, Any], float]
    method: str = "predict"

    @cache  # noqa: B019  # there are four
    def parts(self) -> list[Any]:
        """Rows and targets for the search, and those held out."""
        X, y = self.load(return_X_y=True)
        held_out = min(_NUM_HELD_OUT, len(y) // 3)
        size = {"train_size": min(_NUM_ROWS, len(y) - held_out), "test_size": held_out}
        X, other_X, y, other_y = train_test_split(X, y, random_state=0, **size)
        return [X, y, other_X, other_y]


_DATA = {
    "cancer": _Data(datasets.load_breast_cancer, "log loss", metrics.log_loss, "predict_proba"),
    "wine": _Data(datasets.load_wine, "error rate", metrics.zero_one_loss),
    "digits": _Data(datasets.load_digits, "error rate", metrics.zero_one_loss),
    "diabetes": _Data(datasets.load_diabetes, "squared error", metrics.mean_squared_error),
}


class _Estimator(NamedTuple):
    """A classifier, a regressor and their spaces.

    Parameters of ``dependents`` have a meaning beside some choices of another only.
    """

    kinds: Sequence[Callable[..., Any]]
    space: Mapping[str, Any]
    of_regressor: Mapping[str, Any] = {}
    dependents: Mapping[str, Mapping[str, list[str]]] = {}


def _seeded(*kinds: Any, **fixed: Any) -> list[Any]:
    return [partial(kind, random_state=0, **fixed) for kind in kinds]


_FOREST: dict[str, Any] = {
    "max_depth": (1, 15),
    "min_samples_split": (2, 20),
    "min_samples_leaf": (1, 20, "log"),
    "max_features": (0.05, 1.0),
    "bootstrap": [False, True],
}
_MACHINES = [partial(kind, max_iter=10_000) for kind in (svm.SVC, svm.SVR)]
_SVM: dict[str, Any] = {
    "kernel": ["linear", "poly", "rbf", "sigmoid"],
    "C": (1e-3, 1e3, "log"),
    "gamma": (1e-4, 10.0, "log"),
    "degree": (2, 5),
    "coef0": (0.0, 1.0),
}
_OF_SVR = {"epsilon": (0.01, 100.0, "log")}
_OF_KERNELS = {"linear": [], "rbf": ["gamma"], "sigmoid": ["gamma", "coef0"]}
_SGD: dict[str, Any] = {
    "loss": ["hinge", "log_loss", "modified_huber"],
    "penalty": ["l1", "l2", "elasticnet"],
    "l1_ratio": (0.0, 1.0),
    "alpha": (1e-6, 1.0, "log"),
    "learning_rate": ["constant", "invscaling", "adaptive"],
    "eta0": (1e-4, 10.0, "log"),
}
_ESTIMATORS = {
    "tree": _Estimator(
        _seeded(tree.DecisionTreeClassifier, tree.DecisionTreeRegressor),
        {
            "max_depth": (1, 15),
            "min_samples_split": (0.01, 0.99),
            "min_samples_leaf": (0.01, 0.49),
            "min_weight_fraction_leaf": (0.01, 0.49),
            "max_features": (0.01, 0.99),
            "min_impurity_decrease": (0.0, 0.5),
        },
    ),
    "adaboost": _Estimator(
        _seeded(ensemble.AdaBoostClassifier, ensemble.AdaBoostRegressor),
        {"n_estimators": (2, 30, "log"), "learning_rate": (1e-3, 10.0, "log")},
    ),
    "forest": _Estimator(
        _seeded(ensemble.RandomForestClassifier, ensemble.RandomForestRegressor, n_estimators=10),
        _FOREST,
    ),
    "boosting": _Estimator(
        _seeded(
            ensemble.HistGradientBoostingClassifier,
            ensemble.HistGradientBoostingRegressor,
            early_stopping=False,
        ),
        {
            "learning_rate": (0.01, 1.0, "log"),
            "max_iter": (2, 20),
            "max_leaf_nodes": (2, 31, "log"),
            "min_samples_leaf": (1, 50, "log"),
            "l2_regularization": (1e-6, 100.0, "log"),
            "max_features": (0.05, 1.0),
        },
    ),
    "extra": _Estimator(
        _seeded(ensemble.ExtraTreesClassifier, ensemble.ExtraTreesRegressor, n_estimators=10),
        _FOREST,
    ),
    "sgd": _Estimator(
        _seeded(linear_model.SGDClassifier, linear_model.SGDRegressor, max_iter=30, tol=None),
        _SGD,
        _SGD | {"loss": ["squared_error", "huber", "epsilon_insensitive"]},
        {"penalty": {"l1": [], "l2": [], "elasticnet": ["l1_ratio"]}},
    ),
    "svm": _Estimator(
        _MACHINES,
        _SVM,
        _SVM | _OF_SVR,
        {"kernel": _OF_KERNELS | {"poly": ["gamma", "degree", "coef0"]}},
    ),
    "mlp": _Estimator(
        _seeded(neural_network.MLPClassifier, neural_network.MLPRegressor, max_iter=12),
        {
            "hidden_layer_sizes": (4, 64, "log"),
            "activation": ["identity", "logistic", "relu", "tanh"],
            "alpha": (1e-6, 100.0, "log"),
            "learning_rate_init": (1e-4, 1.0, "log"),
            "batch_size": (16, 128, "log"),
            "beta_1": (0.0, 0.99),
        },
    ),
    "svm-flat": _Estimator(_MACHINES, _SVM, _SVM | _OF_SVR),
    "neighbours": _Estimator(
        [neighbors.KNeighborsClassifier, neighbors.KNeighborsRegressor],
        {
            "n_neighbors": (1, 100, "log"),  # more than a fold of wine has, which fails
            "weights": ["uniform", "distance"],
            "metric": ["minkowski", "chebyshev", "canberra"],
            "p": (1.0, 6.0),
        },
        dependents={"metric": {"minkowski": ["p"], "chebyshev": [], "canberra": []}},
    ),
    "linear": _Estimator(
        _seeded(linear_model.LogisticRegression, linear_model.ElasticNet),
        {
            "C": (1e-5, 1e4, "log"),
            "solver": ["lbfgs", "liblinear", "newton-cg", "saga"],  # one fails for three classes
            "tol": (1e-5, 0.1, "log"),
            "fit_intercept": [False, True],
        },
        {
            "alpha": (1e-4, 100.0, "log"),
            "l1_ratio": (0.0, 1.0),
            "selection": ["cyclic", "random"],
            "tol": (1e-5, 0.1, "log"),
            "fit_intercept": [False, True],
        },
    ),
}


@dataclass(frozen=True, kw_only=True)
class TuningProblem(Problem):
    """The loss of 5-fold cross-validation, minimized; what raises or is not a number has failed.

    The folds and the estimator's randomness are fixed.

    Attributes:
        kind: Makes the estimator.
        data: The data set.
        kept: A file of evaluations, which all methods share, or None.
    """

    kind: Callable[..., Any] = field(repr=False)
    data: _Data = field(repr=False)
    kept: Path | None = None

    def score(self, parameters: Parameters) -> float:
        return self._loss(parameters, "folds")

    def evaluate(self, parameters: Parameters, seed: int) -> float | None:
        value = self.score(parameters)
        return None if math.isnan(value) else value

    def measures(self, parameters: Parameters) -> Mapping[str, float]:
        return {"held out": self._loss(parameters, "held out")}

    def _loss(self, parameters: Parameters, split: str | int) -> float:
        """The loss by a kind of split, or that of a seed; not a number if it fails."""
        if self.kept is None:
            return self._computed(parameters, split)
        key = json.dumps([self.name, split, sklearn.__version__, sorted(parameters.items())])
        with closing(sqlite3.connect(self.kept, timeout=60.0)) as file, file:
            file.execute("CREATE TABLE IF NOT EXISTS losses (key TEXT PRIMARY KEY, loss REAL)")
            known = file.execute("SELECT loss FROM losses WHERE key = ?", [key]).fetchone()
        if known is None:
            known = (self._computed(parameters, split),)
            with closing(sqlite3.connect(self.kept, timeout=60.0)) as file, file:
                file.execute("INSERT OR REPLACE INTO losses VALUES (?, ?)", [key, *known])
        return math.nan if known[0] is None else float(known[0])  # SQLite has no NaN

    def _computed(self, parameters: Parameters, split: str | int) -> float:
        X, y, other_X, other_y = self.data.parts()
        if split == "held out":
            splits = [(X, other_X, y, other_y)]
        elif split == "folds":
            folds = KFold(_NUM_FOLDS, shuffle=True, random_state=0).split(X)
            splits = [(X[fit], X[test], y[fit], y[test]) for fit, test in folds]
        else:
            splits = [train_test_split(X, y, test_size=1.0 / _NUM_FOLDS, random_state=split)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of budgets that are part of the problem
            try:
                return float(np.mean([self._of_split(parameters, *one) for one in splits]))
            except ValueError:  # of scikit-learn, and of losses of what is not finite
                return math.nan

    def _of_split(
        self, parameters: Parameters, X: Any, other_X: Any, y: Any, other_y: Any
    ) -> float:
        estimator = self.kind(**parameters)
        if not hasattr(estimator, self.data.method):  # no probabilities
            estimator = CalibratedClassifierCV(estimator, cv=3, ensemble=False)
        pipeline = make_pipeline(StandardScaler(), estimator).fit(X, y)
        return float(self.data.loss(other_y, getattr(pipeline, self.data.method)(other_X)))


@dataclass(frozen=True, kw_only=True)
class SplitTuningProblem(TuningProblem):
    """The loss of one random split, scored by the data that are held out."""

    def score(self, parameters: Parameters) -> float:
        return self._loss(parameters, "held out")

    def evaluate(self, parameters: Parameters, seed: int) -> float | None:
        value = self._loss(parameters, seed)
        return None if math.isnan(value) else value


def tuning() -> Iterator[tuple[str, str, Callable[[Path | None], Problem]]]:
    """Names and descriptions of problems, and what makes them of a folder for evaluations."""
    for title, part in product(_ESTIMATORS, _DATA):
        name, text = f"tuning-{title}-{part}", f"tuning: {title} on {part}, {_DATA[part].label}"
        yield name, f"{text} of 5 folds", partial(_load, TuningProblem, name, title, part)
        name = f"{name}-split"
        yield (
            name,
            f"{text} of a random split",
            partial(_load, SplitTuningProblem, name, title, part),
        )


def _load(
    kind: type[TuningProblem], name: str, title: str, part: str, folder: Path | None
) -> Problem:
    estimator, is_regression = _ESTIMATORS[title], part == "diabetes"
    notation = (is_regression and estimator.of_regressor) or estimator.space
    parameters = Space.read(notation).parameters
    dependents = {
        parent: {parameters[parent].place(choice): names for choice, names in by.items()}
        for parent, by in estimator.dependents.items()
    }
    return kind(
        name=name,
        space=Space(parameters, dependents),
        label=_DATA[part].label,
        num_initial=10,
        noisy=kind is SplitTuningProblem,
        group=f"tuning {title}",
        library="scikit-learn",
        kind=estimator.kinds[is_regression],
        data=_DATA[part],
        kept=folder and folder / "tuning.sqlite",
    )
