"""Tuning scikit-learn's estimators on data that come with it: what most people optimize.

Estimators and their spaces are in ``tuning.toml``. A few hundred rows of a data set are for the
search, others are held out. Columns are standardized, targets of regressions in their own unit.
"""

import json
import math
import sqlite3
import tomllib
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import product
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import numpy as np

from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.settings import Parameters

_ESTIMATORS = tomllib.loads(Path(__file__).with_name("tuning.toml").read_text("utf-8"))
_NUM_ROWS, _NUM_HELD_OUT, _NUM_FOLDS = 250, 500, 5


@dataclass(frozen=True)
class _Task:
    """A data set and a loss of scikit-learn's, of what the estimator's method returns."""

    load: str
    label: str
    loss: str
    method: str = "predict"
    kind: str = "classifier"


_TASKS = {
    "cancer": _Task("load_breast_cancer", "log loss", "log_loss", "predict_proba"),
    "wine": _Task("load_wine", "error rate", "zero_one_loss"),
    "digits": _Task("load_digits", "error rate", "zero_one_loss"),
    "diabetes": _Task("load_diabetes", "squared error", "mean_squared_error", kind="regressor"),
}


@dataclass(frozen=True, kw_only=True)
class TuningProblem(Problem):
    """The loss of 5-fold cross-validation, minimized; what scikit-learn refuses has failed.

    The folds and the estimator's randomness are fixed.

    Attributes:
        estimator: Makes the estimator.
        data: The data set.
        kept: A file of evaluations, which all methods share, or None.
    """

    estimator: Callable[..., Any] = field(repr=False)
    data: _Task = field(repr=False)
    kept: Path | None = None

    def score(self, parameters: Parameters) -> float:
        return self._loss(parameters, "folds")

    def evaluate(self, parameters: Parameters, seed: int) -> float | None:
        return _success(self.score(parameters))

    @property
    def is_exact(self) -> bool:
        return not self.noisy

    def measures(self, parameters: Parameters) -> Mapping[str, float]:
        return {"held out": self._loss(parameters, "held out")}

    def _loss(self, parameters: Parameters, split: str | int) -> float:
        """The loss by a kind of split, or that of a seed; not a number if it fails."""
        if self.kept is None:
            return self._computed(parameters, split)
        import sklearn

        key = json.dumps([self.name, split, sklearn.__version__, sorted(parameters.items())])
        with closing(sqlite3.connect(self.kept, timeout=60.0)) as file:
            with file:
                file.execute("CREATE TABLE IF NOT EXISTS losses (key TEXT PRIMARY KEY, loss REAL)")
            known = file.execute("SELECT loss FROM losses WHERE key = ?", [key]).fetchone()
            if known is None:
                known = (self._computed(parameters, split),)
                with file:
                    file.execute("INSERT OR REPLACE INTO losses VALUES (?, ?)", [key, *known])
        return math.nan if known[0] is None else float(known[0])  # SQLite has no NaN

    def _computed(self, parameters: Parameters, split: str | int) -> float:
        from sklearn.model_selection import KFold, train_test_split

        X, y, other_X, other_y = _rows(self.data)
        if split == "held out":
            splits = [(X, other_X, y, other_y)]
        elif split == "folds":
            folds = KFold(_NUM_FOLDS, shuffle=True, random_state=0).split(X)
            splits = [(X[fit], X[test], y[fit], y[test]) for fit, test in folds]
        else:
            splits = [train_test_split(X, y, test_size=1.0 / _NUM_FOLDS, random_state=split)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # budgets of iterations are part of the problem
            try:
                return float(np.mean([self._of_split(parameters, *one) for one in splits]))
            except ValueError:
                return math.nan

    def _of_split(self, parameters: Parameters, X: Any, other_X: Any, y: Any, other_y: Any) -> Any:
        from sklearn.calibration import CalibratedClassifierCV
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        estimator = self.estimator(**parameters)
        if not hasattr(estimator, self.data.method):  # it has no probabilities
            estimator = CalibratedClassifierCV(estimator, cv=3, ensemble=False)
        pipeline = make_pipeline(StandardScaler(), estimator).fit(X, y)
        loss = resolve_name(f"sklearn.metrics:{self.data.loss}")
        return loss(other_y, getattr(pipeline, self.data.method)(other_X))


@dataclass(frozen=True, kw_only=True)
class SplitTuningProblem(TuningProblem):
    """The loss of one random split, scored by the rows that are held out."""

    noisy: bool = True

    def score(self, parameters: Parameters) -> float:
        return self._loss(parameters, "held out")

    def evaluate(self, parameters: Parameters, seed: int) -> float | None:
        return _success(self._loss(parameters, seed) + 0.0 * self.score(parameters))  # or neither


def tuning() -> Iterator[tuple[str, str, Callable[[Path | None], Problem]]]:
    """Names and descriptions of problems, and what makes them, given a folder for evaluations."""
    for (title, said), (part, task) in product(_ESTIMATORS.items(), _TASKS.items()):
        if task.kind in said:
            name, text = f"tuning-{title}-{part}", f"tuning: {title} on {part}, {task.label}"
            yield name, f"{text} of 5 folds", partial(_load, TuningProblem, name, title, task)
            name, text = f"{name}-split", f"{text} of a random split"
            yield name, text, partial(_load, SplitTuningProblem, name, title, task)


def _load(
    kind: type[TuningProblem], name: str, title: str, task: _Task, folder: Path | None
) -> Problem:
    from botorch_popbo.space import Space

    said = _ESTIMATORS[title]
    notation = said["space"] | (said.get("of_regressor", {}) if task.kind == "regressor" else {})
    parameters = Space.read(notation).parameters
    dependents = {
        parent: {parameters[parent].place(choice): names for choice, names in by.items()}
        for parent, by in said.get("dependents", {}).items()
    }
    return kind(
        name=name,
        space=Space(parameters, dependents),
        label=task.label,
        num_initial=10,
        group=f"tuning {title}",
        library="scikit-learn",
        estimator=partial(resolve_name(said[task.kind]), **said.get("fixed", {})),
        data=task,
        kept=folder and folder / "tuning.sqlite",
    )


@cache
def _rows(task: _Task) -> list[Any]:
    """Rows and targets for the search, and those held out."""
    from sklearn.model_selection import train_test_split

    X, y = resolve_name(f"sklearn.datasets:{task.load}")(return_X_y=True)
    num_held_out = min(_NUM_HELD_OUT, len(y) // 3)
    num_rows = min(_NUM_ROWS, len(y) - num_held_out)
    sizes = {"train_size": num_rows, "test_size": num_held_out}
    X, other_X, y, other_y = train_test_split(X, y, random_state=0, **sizes)
    return [X, y, other_X, other_y]


def _success(loss: float) -> float | None:
    return None if math.isnan(loss) else loss
