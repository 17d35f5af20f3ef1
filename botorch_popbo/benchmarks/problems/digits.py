"""A real tuning problem that needs no download: a network on scikit-learn's digits.

Random configurations err on 4 % to 90 % of the digits, half of them on more than 40 %; another
split of the data moves the error of a good one by about half a percentage point. One evaluation
takes a few hundredths of a second.
"""

import warnings
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier

from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.settings import Parameters
from botorch_popbo.space import Space

_NUM_EPOCHS = 10
_SCORE_SEEDS = range(5)


@dataclass(frozen=True, kw_only=True)
class DigitsProblem(Problem):
    """The share of misclassified digits after ten epochs of Adam, minimized.

    An observation trains on a random half of the data and tests on the other; the score is the
    mean over five fixed splits.
    """

    def evaluate(self, parameters: Parameters, seed: int) -> float:
        """See the base class."""
        images, labels = _digits()
        train_x, test_x, train_y, test_y = train_test_split(
            images, labels, train_size=0.5, stratify=labels, random_state=seed
        )
        model = MLPClassifier(
            hidden_layer_sizes=(int(parameters["width"]),),
            activation=str(parameters["activation"]),
            learning_rate_init=float(parameters["learning_rate"]),
            alpha=float(parameters["weight_decay"]),
            batch_size=int(parameters["batch_size"]),
            beta_1=float(parameters["momentum"]),
            max_iter=_NUM_EPOCHS,
            random_state=seed,
        )
        # The budget of epochs is part of the problem.
        with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
            model.fit(train_x, train_y)
        return float(np.mean(model.predict(test_x) != test_y))

    def score(self, parameters: Parameters) -> float:
        """See the base class."""
        return float(np.mean([self.evaluate(parameters, seed) for seed in _SCORE_SEEDS]))


def digits(_: Path | None) -> DigitsProblem:
    """Make the problem, which needs no folder of tables."""
    return DigitsProblem(
        name="sklearn-digits",
        space=Space.read(
            {
                "learning_rate": (1e-5, 1.0, "log"),
                "weight_decay": (1e-6, 100.0, "log"),
                "momentum": (0.0, 0.999),
                "width": (2, 128, "log"),
                "batch_size": (16, 512, "log"),
                "activation": ["identity", "logistic", "relu", "tanh"],
            }
        ),
        label="error rate",
        noisy=True,
    )


@cache
def _digits() -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    images, labels = load_digits(return_X_y=True)
    return images / 16, labels
