"""Evaluations that come in parts: folds, the epochs of a curve, replicates."""

import math
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np

from botorch_popbo._parts import Summary
from botorch_popbo.benchmarks.points import evaluation_seed
from botorch_popbo.benchmarks.problems import PROBLEMS
from botorch_popbo.benchmarks.problems.tuning import NUM_FOLDS, TuningProblem
from botorch_popbo.benchmarks.settings import Parameters
from botorch_popbo.space import Space

_NUM_EPOCHS = 27


@dataclass(frozen=True)
class PartsProblem:
    """A loss that is evaluated in parts.

    Attributes:
        space: The search space.
        summary: Whether the loss is the mean of its parts, or the last of them.
        number: The number of parts.
        parts: Yields them, of a point and the seed of the replication; NaN where it fails.
        score: What a whole evaluation is judged by, if not by its loss.
        held_out: The loss on rows that no part holds, if there are any.
    """

    space: Space
    summary: Summary
    number: int
    parts: Callable[[Parameters, int], Iterator[float]]
    score: Callable[[Parameters], float] | None = None
    held_out: Callable[[Parameters], float] | None = None

    def whole(self, parts: list[float]) -> float:
        """The loss of an evaluation."""
        return float(np.mean(parts)) if self.summary == "mean" else parts[-1]


_DATA = "cancer", "diabetes", "digits", "wine"
#: Those that are known here alone.
CURVES = (
    *(f"curve-{a}-{b}" for a in ("network", "boosting", "descent") for b in _DATA),
    "curve-convolution-digits",
    *("crossing-far", "crossing-random"),
)


def load(name: str) -> PartsProblem:
    """A problem by its name: of the campaign's own, or of tuning or functions in the registry."""
    if name.startswith("curve-"):
        learner, *data = name.split("-")[1:]
        return _curve(learner, *data)
    if name.startswith("crossing"):
        space = Space.read({f"x{i}": (0.0, 1.0) for i in range(4)})
        return PartsProblem(space, "last", _NUM_EPOCHS, partial(_crossing, name))
    problem = PROBLEMS[name].load(None)
    if isinstance(problem, TuningProblem):

        def folds(point: Parameters, _: int) -> Iterator[float]:
            return problem.folds(point)

        return PartsProblem(problem.space, "mean", NUM_FOLDS, folds, held_out=problem.held_out)

    def replicates(point: Parameters, seed: int) -> Iterator[float]:
        for place in range(NUM_FOLDS):
            noise = evaluation_seed(repr(sorted(point.items())), seed, place)
            outcome = problem.evaluate(point, noise)
            yield math.nan if outcome is None else outcome

    return PartsProblem(problem.space, "mean", NUM_FOLDS, replicates, problem.score)


_SPACES: Mapping[str, Any] = {
    "network": {
        "learning_rate_init": (1e-4, 1.0, "log"),
        "alpha": (1e-6, 10.0, "log"),
        "units": (4, 128, "log"),
        "layers": (1, 3),
        "batch_size": (8, 128, "log"),
        "momentum": (0.0, 0.99),
    },
    "boosting": {
        "learning_rate": (0.01, 1.0, "log"),
        "max_depth": (1, 8),
        "subsample": (0.3, 1.0),
        "max_features": (0.1, 1.0),
        "min_samples_leaf": (1, 30, "log"),
    },
    "descent": {
        "alpha": (1e-7, 1.0, "log"),
        "eta0": (1e-4, 10.0, "log"),
        "power_t": (0.0, 1.0),
        "penalty": ["l2", "l1", "elasticnet"],
    },
    "convolution": {
        "lr": (1e-4, 0.3, "log"),
        "channels": (2, 16, "log"),
        "kernel": (1, 5),
        "batch_size": (16, 128, "log"),
        "momentum": (0.0, 0.99),
        "weight_decay": (1e-6, 0.1, "log"),
        "dropout": (0.0, 0.7),
    },
}


def _curve(learner: str, data: str) -> PartsProblem:
    """The validation loss after each of 27 epochs, or of as many portions of trees."""
    train = {"boosting": _boosting, "convolution": _convolution}.get(learner, _by_epochs)

    def losses(point: Parameters, _: int) -> Iterator[float]:
        X, X_valid, y, y_valid, is_regression = _split(data)
        # Budgets of epochs are part of the problem.
        with warnings.catch_warnings(action="ignore"), np.errstate(all="ignore"):
            for guess in train(learner, dict(point), X, X_valid, y, is_regression):
                yield _loss(guess, y_valid, is_regression)

    return PartsProblem(Space.read(_SPACES[learner]), "last", _NUM_EPOCHS, losses)


def _loss(guess: Any, y: Any, is_regression: bool) -> float:
    """Squared error in deviations, or log loss, of at most ten: training diverges."""
    if is_regression:
        loss = np.mean((np.clip(guess, -1e3, 1e3) - y) ** 2)
    else:
        loss = -np.mean(np.log(np.clip(guess[np.arange(len(y)), y], 1e-6, 1.0)))
    return float(min(loss, 10.0)) if np.isfinite(loss) else 10.0


@cache
def _split(data: str) -> tuple[Any, ...]:
    """Rows to train on, at most 600, and rows to validate on; targets of regressions scaled."""
    import sklearn.datasets
    from sklearn.model_selection import train_test_split
    from sklearn.preprocessing import StandardScaler

    name = {"cancer": "breast_cancer"}.get(data, data)
    X, y = getattr(sklearn.datasets, f"load_{name}")(return_X_y=True)
    if is_regression := data == "diabetes":
        y = (y - y.mean()) / y.std()
    kind = None if is_regression else y
    X, X_valid, y, y_valid = train_test_split(X, y, random_state=0, test_size=0.4, stratify=kind)
    scaler = StandardScaler().fit(X)
    return scaler.transform(X)[:600], scaler.transform(X_valid), y[:600], y_valid, is_regression


def _by_epochs(
    learner: str, point: dict[str, Any], X: Any, X_valid: Any, y: Any, is_regression: bool
) -> Iterator[Any]:
    from sklearn.linear_model import SGDClassifier, SGDRegressor
    from sklearn.neural_network import MLPClassifier, MLPRegressor

    if learner == "network":
        sizes = (int(point.pop("units")),) * int(point.pop("layers"))
        point |= {"hidden_layer_sizes": sizes, "solver": "sgd"}
        model = (MLPRegressor if is_regression else MLPClassifier)(random_state=0, **point)
    elif is_regression:
        model = SGDRegressor(learning_rate="invscaling", random_state=0, **point)
    else:
        point |= {"loss": "log_loss", "learning_rate": "invscaling"}
        model = SGDClassifier(random_state=0, **point)
    options = {} if is_regression else {"classes": np.unique(y)}
    for _ in range(_NUM_EPOCHS):
        try:
            model.partial_fit(X, y, **options)
            yield model.predict(X_valid) if is_regression else model.predict_proba(X_valid)
        except ValueError:  # of weights that are no longer numbers
            yield np.full(len(X_valid) if is_regression else (len(X_valid), y.max() + 1), np.nan)


def _boosting(
    _: str, point: dict[str, Any], X: Any, X_valid: Any, y: Any, is_regression: bool
) -> Iterator[Any]:
    from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor

    make = GradientBoostingRegressor if is_regression else GradientBoostingClassifier
    model = make(warm_start=True, random_state=0, n_estimators=0, **point)
    for _epoch in range(_NUM_EPOCHS):
        model.set_params(n_estimators=model.n_estimators + 4).fit(X[:300], y[:300])
        yield model.predict(X_valid) if is_regression else model.predict_proba(X_valid)


def _convolution(
    _: str, point: dict[str, Any], X: Any, X_valid: Any, y: Any, is_regression: bool
) -> Iterator[Any]:
    import torch
    from torch import nn

    generator = torch.Generator().manual_seed(0)
    images, valid = (torch.tensor(rows).float().reshape(-1, 1, 8, 8) for rows in (X, X_valid))
    channels = int(point.pop("channels"))
    kernel, size = int(point.pop("kernel")), int(point.pop("batch_size"))
    with torch.random.fork_rng():
        torch.manual_seed(0)
        network = nn.Sequential(
            *(nn.Conv2d(1, channels, kernel, padding="same"), nn.ReLU(), nn.MaxPool2d(2)),
            nn.Conv2d(channels, 2 * channels, kernel, padding="same"),
            *(nn.ReLU(), nn.MaxPool2d(2)),
            *(nn.Flatten(), nn.Dropout(point.pop("dropout")), nn.Linear(8 * channels, 10)),
        )
    optimizer = torch.optim.SGD(network.parameters(), **point)
    loss, labels = nn.CrossEntropyLoss(), torch.tensor(y)
    for _epoch in range(_NUM_EPOCHS):
        network.train()
        with torch.random.fork_rng(), torch.enable_grad():
            torch.manual_seed(_epoch)  # of the dropout
            for batch in torch.randperm(len(images), generator=generator).split(size):
                optimizer.zero_grad()
                loss(network(images[batch]), labels[batch]).backward()
                optimizer.step()
        network.eval()
        with torch.no_grad():
            yield network(valid).softmax(-1).numpy()


def _crossing(name: str, point: Parameters, _: int) -> Iterator[float]:
    """Curves that end by another order than they begin with, on purpose.

    ``crossing-far`` begins with the distance to another point, ``crossing-random`` with a number
    that has to do with nothing.
    """
    x = np.array([float(point[f"x{i}"]) for i in range(4)])
    last = np.sum((x - 0.3) ** 2) + 0.1 * np.sum(np.sin(9.0 * x))
    first = float(np.sum((x - 0.8) ** 2))
    if name == "crossing-random":
        first = np.random.default_rng(int(1e6 * x[0])).normal()
    for epoch in range(1, _NUM_EPOCHS + 1):
        share = (epoch / _NUM_EPOCHS) ** 2
        yield float(share * last + (1.0 - share) * (first + 1.0))
