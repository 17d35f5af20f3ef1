"""Learners that are trained step by step, pruned, until so many steps are spent in all.

A budget is that of twenty whole trainings of 81 steps. Every way is Optuna's default but for what
its name says. Prints the loss of the best trial that was not pruned, and by how much each way is
behind the first one, as a difference of common logarithms with a standard error over the seeds.
"""

import argparse
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import optuna
import pandas as pd
from optuna.pruners import HyperbandPruner, MedianPruner
from optuna.samplers import TPESampler
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_wine
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import SGDClassifier
from sklearn.metrics import log_loss, mean_squared_error
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.preprocessing import StandardScaler

from botorch_popbo.optuna import PoPBOSampler

STEPS, TRAININGS = 81, 20


def network(trial: optuna.Trial) -> dict[str, Any]:
    """Parameters of a network."""
    return {
        "hidden_layer_sizes": (trial.suggest_int("units", 4, 64, log=True),),
        "alpha": trial.suggest_float("alpha", 1e-6, 10.0, log=True),
        "learning_rate_init": trial.suggest_float("rate", 1e-4, 0.3, log=True),
        "beta_1": trial.suggest_float("momentum", 0.5, 0.99),
        "batch_size": trial.suggest_int("batch", 8, 128, log=True),
    }


def descent(trial: optuna.Trial) -> dict[str, Any]:
    """Parameters of a linear classifier."""
    return {
        "loss": "log_loss",
        "penalty": trial.suggest_categorical("penalty", ["l1", "l2", "elasticnet"]),
        "alpha": trial.suggest_float("alpha", 1e-7, 1.0, log=True),
        "learning_rate": trial.suggest_categorical("schedule", ["constant", "invscaling"]),
        "eta0": trial.suggest_float("rate", 1e-5, 1.0, log=True),
        "power_t": trial.suggest_float("power", 0.1, 0.9),
    }


def boosting(trial: optuna.Trial) -> dict[str, Any]:
    """Parameters of boosted trees."""
    return {
        "learning_rate": trial.suggest_float("rate", 1e-3, 1.0, log=True),
        "max_depth": trial.suggest_int("depth", 1, 8),
        "subsample": trial.suggest_float("share", 0.2, 1.0),
        "min_samples_leaf": trial.suggest_int("leaf", 1, 40, log=True),
        "max_features": trial.suggest_float("columns", 0.05, 1.0),
    }


LEARNERS: dict[str, tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]]] = {
    "network, digits": (load_digits, MLPClassifier, network),
    "network, diabetes": (load_diabetes, MLPRegressor, network),
    "descent, wine": (load_wine, SGDClassifier, descent),
    "boosting, cancer": (load_breast_cancer, GradientBoostingClassifier, boosting),
}
WAYS: dict[str, tuple[Callable[[int], Any], Callable[[], Any]]] = {
    "PoPBO, Hyperband": (lambda seed: PoPBOSampler(seed=seed), HyperbandPruner),
    "PoPBO, median": (lambda seed: PoPBOSampler(seed=seed), MedianPruner),
    "TPE, Hyperband": (lambda seed: TPESampler(seed=seed), HyperbandPruner),
    "TPE, median": (lambda seed: TPESampler(seed=seed), MedianPruner),
}


def losses(learner: str, settings: dict[str, Any]) -> Iterator[float]:
    """The loss on validation rows after each step."""
    load, make, _ = LEARNERS[learner]
    X, y = load(return_X_y=True)
    few = min(200, len(y) // 2)
    X, X_valid, y, y_valid = train_test_split(X, y, train_size=few, random_state=0)
    scaler = StandardScaler().fit(X)
    X, X_valid = scaler.transform(X), scaler.transform(X_valid)
    is_regression = make is MLPRegressor
    if is_regression:
        y, y_valid = (y - y.mean()) / y.std(), (y_valid - y.mean()) / y.std()
    model = make(random_state=0, **settings)
    for step in range(1, STEPS + 1):
        if make is GradientBoostingClassifier:
            model.set_params(n_estimators=step, warm_start=True).fit(X, y)
        else:
            model.partial_fit(X, y, **({} if is_regression else {"classes": np.unique(y)}))
        if is_regression:
            yield mean_squared_error(y_valid, model.predict(X_valid))
        else:
            yield log_loss(y_valid, model.predict_proba(X_valid), labels=np.unique(y))


def run(learner: str, way: str, seed: int) -> float:
    """The best loss of a trial that was not pruned, when the budget is spent."""
    sampler, pruner = WAYS[way]
    left = STEPS * TRAININGS

    def objective(trial: optuna.Trial) -> float:
        nonlocal left
        loss = np.inf
        for step, loss in enumerate(losses(learner, LEARNERS[learner][2](trial)), start=1):
            left -= 1
            trial.report(loss, step)
            if step < STEPS and (left <= 0 or trial.should_prune()):
                raise optuna.TrialPruned
        return loss

    study = optuna.create_study(sampler=sampler(seed), pruner=pruner())
    while left > 0:
        study.optimize(objective, n_trials=1, catch=ValueError)
    complete = study.get_trials(states=[optuna.trial.TrialState.COMPLETE])
    return min((trial.value for trial in complete), default=np.inf)


def main() -> None:
    """Print a table for each learner, and one of all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--learners", nargs="+", choices=LEARNERS, default=[*LEARNERS])
    arguments = parser.parse_args()
    optuna.logging.set_verbosity(optuna.logging.CRITICAL)
    warnings.simplefilter("ignore")
    behind = []
    for learner in arguments.learners:
        seeds = range(arguments.seeds)
        found = pd.DataFrame({way: [run(learner, way, s) for s in seeds] for way in WAYS}, seeds)
        more = np.log10(found.div(found.iloc[:, 0], axis=0))
        behind.append(more)
        table = {"median": found.median(), "behind": more.mean(), "error": more.sem()}
        print(f"\n{learner}\n{pd.DataFrame(table).round(3).to_markdown()}", flush=True)
    every = pd.concat(behind)
    table = {"behind": every.mean(), "error": every.sem()}
    print(f"\nall\n{pd.DataFrame(table).round(3).to_markdown()}")


if __name__ == "__main__":
    main()
