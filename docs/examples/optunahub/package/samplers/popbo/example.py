"""Tune two parameters, one run in some failing."""

import optuna
import optunahub


def objective(trial: optuna.Trial) -> float:
    """A parabola that fails beyond a line."""
    x = trial.suggest_float("x", -5.0, 5.0)
    y = trial.suggest_int("y", -5, 5)
    if x + y > 6.0:
        raise ValueError("diverged")
    return x**2 + y**2


sampler = optunahub.load_module(package="samplers/popbo").PoPBOSampler(seed=0)
study = optuna.create_study(sampler=sampler)
study.optimize(objective, n_trials=15, catch=ValueError)
print(study.best_trial.params)
