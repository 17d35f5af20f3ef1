"""Problems whose best value is known.

What they return is a regret: zero is the best, one the median of random points. So all of them
share one scale, on which a floor has one meaning.
"""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor

#: Choices, or the ends of a range of floats or whole numbers, with "log" behind them.
Notation = Mapping[str, Any]
#: The regret of a point that violates a constraint or diverges.
WORST = 10.0


class Problem(Protocol):
    """What has a space and, of a point in it, a regret."""

    @property
    def space(self) -> Notation: ...

    def __call__(self, **point: Any) -> float: ...


# --- functions ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cube:
    """A function of the unit cube.

    Attributes:
        dim: Number of columns.
        value: The function, of a tensor ``n x d``.
        best: Its smallest value.
        optimum: Where that is, as far as it is published.
        slack: Of points ``n x d``, how far constraints are fulfilled, ``n x m``.
    """

    dim: int
    value: Callable[[Tensor], Tensor]
    best: float
    optimum: Tensor | None = None
    slack: Callable[[Tensor], Tensor] | None = None

    @property
    def space(self) -> Notation:
        return {f"x{i}": (0.0, 1.0) for i in range(self.dim)}

    @cached_property
    def random(self) -> Tensor:
        engine = torch.quasirandom.SobolEngine(self.dim, scramble=True, seed=0)
        X = engine.draw(2048, dtype=torch.double)
        return X if self.slack is None else X[(self.slack(X) >= 0).all(-1)]

    @cached_property
    def typical(self) -> float:
        return float((self.value(self.random[:256]) - self.best).median())

    def __call__(self, **point: float) -> float:
        return self.regret(list(point.values()))

    def regret(self, x: Sequence[float]) -> float:
        X = torch.tensor([x], dtype=torch.double)
        if self.slack is not None and bool((self.slack(X) < 0).any()):
            return WORST
        return max(float(self.value(X)) - self.best, 0.0) / self.typical

    @cached_property
    def distances(self) -> Tensor:
        return self._distance(self.random).sort().values

    def is_near(self, x: Sequence[float], share: float) -> bool:
        """Whether a point is in a box about the optimum that fills such a share of the cube."""
        distance = self._distance(torch.tensor(x, dtype=torch.double))
        return bool(distance <= self.distances[int(share * len(self.distances))])

    def _distance(self, X: Tensor) -> Tensor:
        assert self.optimum is not None
        return (X - self.optimum - 0.1).abs().amax(-1)


@cache
def function(name: str) -> Cube:
    """A test function of BoTorch's: ``Levy-4``, or ``Levy-4-50``, of four columns among 50.

    Symmetric ranges are cut, so that no optimum is in the middle of the cube.
    """
    from botorch.test_functions import synthetic

    title, *dims = name.split("-")
    options: dict[str, Any] = {"dim": int(dims[0])} if dims else {}
    test = getattr(synthetic, title)(dtype=torch.double, **options)
    low, high = test.bounds.double()
    low = torch.where(low == -high, low + 0.05 * (high - low), low)

    def inside(X: Tensor) -> Tensor:
        return (low + X[..., : test.dim] * (high - low)).minimum(high)  # but for rounding

    return Cube(
        dim=int(dims[-1]) if dims else test.dim,
        value=lambda X: test.evaluate_true(inside(X)),
        best=test._optimal_value,
        optimum=(torch.tensor(test._optimizers[0]) - low) / (high - low)
        if test._optimizers
        else None,
        slack=(lambda X: test.evaluate_slack_true(inside(X)))
        if hasattr(test, "num_constraints")
        else None,
    )


@cache
def coco(number: int) -> Cube:
    """A function of COCO's in five columns, its first instance."""
    from botorch_popbo.benchmarks.problems import PROBLEMS

    problem: Any = PROBLEMS[f"bbob-f{number}-d5-i1"].load(None)

    def value(X: Tensor) -> Tensor:
        points = [{f"x{i}": x for i, x in enumerate(row)} for row in (10 * X - 5).tolist()]
        return torch.tensor([problem.score(point) for point in points], dtype=torch.double)

    return Cube(5, value, problem.optimal_value)


@dataclass(frozen=True)
class Table:
    """A function at so many levels of every column, of which the best is known."""

    cube: Cube
    levels: int

    @property
    def space(self) -> Notation:
        return {f"x{i}": (0, self.levels - 1) for i in range(self.cube.dim)}

    @cached_property
    def regrets(self) -> Tensor:
        steps = torch.linspace(0.0, 1.0, self.levels, dtype=torch.double)
        value = self.cube.value(torch.cartesian_prod(*[steps] * self.cube.dim))
        excess = (value - value.min()).reshape([self.levels] * self.cube.dim)
        return excess / excess.median()

    def __call__(self, **point: int) -> float:
        return float(self.regrets[tuple(point.values())])


def table(name: str, levels: int) -> Table:
    return Table(function(name), levels)


# --- estimators -----------------------------------------------------------------------------------

_TUNING = tomllib.loads(Path(__file__).with_name("tuning.toml").read_text("utf-8"))
_SCORING = {
    "diabetes": "neg_mean_squared_error",
    "breast_cancer": "neg_log_loss",
    "digits": "accuracy",
}


@dataclass(frozen=True)
class Tuning:
    """The loss of an estimator of scikit-learn's on 150 rows, in threefold cross-validation.

    Attributes:
        estimator: Where its class is.
        data: Which of scikit-learn's data sets.
        space: What is tuned.
        best: The smallest loss that is known.
        typical: The median regret of random points.
        fixed: Other arguments.
    """

    estimator: str
    data: str
    space: Notation
    best: float
    typical: float
    fixed: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, **point: Any) -> float:
        from sklearn.model_selection import KFold, cross_val_score
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        estimator = resolve_name(f"sklearn.{self.estimator}")(**self.fixed, **point)
        pipeline, folds = make_pipeline(StandardScaler(), estimator), KFold(3)
        scoring = _SCORING[self.data]
        loss = -cross_val_score(pipeline, *_rows(self.data), scoring=scoring, cv=folds).mean()
        regret = max(float(np.nan_to_num(loss, nan=np.inf)) - self.best, 0.0)
        return min(regret / self.typical, WORST)


def tuning(suite: str) -> dict[str, Tuning]:
    """The problems of a suite, by their names."""
    spaces = _TUNING["spaces"]
    return {
        name: Tuning(space=spaces[name.split("/")[0]], **fields)
        for name, fields in _TUNING[suite].items()
    }


@cache
def _rows(data: str) -> Sequence[Any]:
    X, y = resolve_name(f"sklearn.datasets:load_{data}")(return_X_y=True)
    chosen = np.random.default_rng(0).permutation(len(y))[:150]
    return X[chosen], y[chosen]
