"""Tuning scikit-learn's estimators on data that come with it: what most people optimize.

Estimators and their spaces are in ``tuning.toml``. A few hundred rows of a data set are for the
search, others are held out. Columns are standardized, targets of regressions in their own unit.
"""

import math
import tomllib
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import product
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import numpy as np

from botorch_popbo.benchmarks.problems.base import Problem, ProblemEntry
from botorch_popbo.benchmarks.settings import Parameters

_ESTIMATORS = tomllib.loads(Path(__file__).with_name("tuning.toml").read_text("utf-8"))
_NUM_ROWS, _NUM_HELD_OUT = 250, 500
NUM_FOLDS = 5


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
    """

    estimator: Callable[..., Any] = field(repr=False)
    data: _Task = field(repr=False)

    def score(self, parameters: Parameters) -> float:
        """See the base class."""
        return float(np.mean([*self.folds(parameters)]))

    def default_score(self) -> float:
        """That of scikit-learn's defaults."""
        return self.score({})

    def folds(self, parameters: Parameters) -> Iterator[float]:
        """The loss of each fold."""
        from sklearn.model_selection import KFold

        X, y, *_ = _rows(self.data)
        for fit, test in KFold(NUM_FOLDS, shuffle=True, random_state=0).split(X):
            yield self._of_split(parameters, X[fit], X[test], y[fit], y[test])

    def held_out(self, parameters: Parameters) -> float:
        """The loss on rows that no fold holds, after a fit to all that are for the search.

        Args:
            parameters: A configuration.

        Returns:
            The loss, or not a number if scikit-learn refuses the configuration.
        """
        X, y, other_X, other_y = _rows(self.data)
        return self._of_split(parameters, X, other_X, y, other_y)

    def _of_split(
        self, parameters: Parameters, X: Any, other_X: Any, y: Any, other_y: Any
    ) -> float:
        """The loss on other rows than those that are fitted to; not a number if that fails."""
        from sklearn.calibration import CalibratedClassifierCV
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        estimator = self.estimator(**parameters)
        if not hasattr(estimator, self.data.method):  # it has no probabilities
            estimator = CalibratedClassifierCV(estimator, cv=3, ensemble=False)
        loss = resolve_name(f"sklearn.metrics:{self.data.loss}")
        with warnings.catch_warnings(action="ignore"):  # budgets are part of the problem
            try:
                pipeline = make_pipeline(StandardScaler(), estimator).fit(X, y)
                return float(loss(other_y, getattr(pipeline, self.data.method)(other_X)))
            except ValueError:
                return math.nan


def tuning() -> Iterator[ProblemEntry]:
    """The problems of all estimators and data sets that go together."""
    for (title, estimator), (part, task) in product(_ESTIMATORS.items(), _TASKS.items()):
        if task.kind in estimator:
            name, text = f"tuning-{title}-{part}", f"tuning: {title} on {part}, {task.label}"
            yield ProblemEntry(name, f"{text} of 5 folds", partial(_load, name, title, task))


def _load(name: str, title: str, task: _Task, _: Path | None) -> Problem:
    from botorch_popbo.space import Space

    estimator = _ESTIMATORS[title]
    notation = estimator["space"]
    if task.kind == "regressor":
        notation = notation | estimator.get("of_regressor", {})
    parameters = Space.read(notation).parameters
    dependents = {
        parent: {parameters[parent].place(choice): names for choice, names in by.items()}
        for parent, by in estimator.get("dependents", {}).items()
    }
    return TuningProblem(
        name=name,
        space=Space(parameters, dependents),
        label=task.label,
        num_initial=10,
        group=f"tuning {title}",
        library="scikit-learn",
        estimator=partial(resolve_name(estimator[task.kind]), **estimator.get("fixed", {})),
        data=task,
    )


@cache
def _rows(task: _Task) -> list[Any]:
    """Rows and targets for the search, and those of rows that are held out."""
    from sklearn.model_selection import train_test_split

    X, y = resolve_name(f"sklearn.datasets:{task.load}")(return_X_y=True)
    num_held_out = min(_NUM_HELD_OUT, len(y) // 3)
    num_rows = min(_NUM_ROWS, len(y) - num_held_out)
    sizes = {"train_size": num_rows, "test_size": num_held_out}
    X, other_X, y, other_y = train_test_split(X, y, random_state=0, **sizes)
    return [X, y, other_X, other_y]
