"""Three smooth functions of numbers, whole numbers and a choice: how far a search gets, how fast.

Prints the mean of the best values after 25 and 40 trials, and seconds for a suggestion.
"""

import argparse
import math
from collections.abc import Callable
from time import perf_counter

import numpy as np
import optuna

from botorch_popbo.optuna import PoPBOSampler


def bowl(trial: optuna.Trial) -> float:
    """A parabola; the optimum is 0."""
    x, y = (trial.suggest_float(name, 0.0, 1.0) for name in "xy")
    m, n = (trial.suggest_int(name, 1, 30) for name in "mn")
    return (x - m / 40) ** 2 + (y - 0.3) ** 2 + ((m - 17) / 30) ** 2 + ((n - 5) / 30) ** 2


def wave(trial: optuna.Trial) -> float:
    """A wave, of which a choice sets the level; the optimum is -1."""
    x, y = (trial.suggest_float(name, 0.0, 1.0) for name in "xy")
    m, n = (trial.suggest_int(name, 1, 20) for name in "mn")
    level = {"a": 0.0, "b": 0.2, "c": 0.4}[trial.suggest_categorical("c", ["a", "b", "c"])]
    return math.sin(5 * x + m / 5) + (y - n / 20) ** 2 + 0.02 * abs(m - 12) + level


def valley(trial: optuna.Trial) -> float:
    """Whole numbers that depend on each other; the optimum is 0."""
    x, y = trial.suggest_float("x", 1e-4, 1.0, log=True), trial.suggest_float("y", 0.0, 1.0)
    m, n, k = (trial.suggest_int(name, 1, 12) for name in "mnk")
    of_numbers = (math.log10(x) + 2) ** 2 / 4 + (y - 0.6) ** 2
    return (
        of_numbers + ((m - 4) * (n - 9) / 20) ** 2 + ((k - 6) / 12) ** 2 + ((m - n + 5) / 12) ** 2
    )


def run(
    function: Callable[[optuna.Trial], float], sampler: optuna.samplers.BaseSampler
) -> tuple[float, float, float]:
    """The best values after 25 and 40 trials, and seconds for a suggestion."""
    study = optuna.create_study(sampler=sampler)
    study.optimize(function, n_trials=10)
    start = perf_counter()
    study.optimize(function, n_trials=30)
    best = np.minimum.accumulate([trial.value for trial in study.trials])
    return best[24], best[39], (perf_counter() - start) / 30


def main() -> None:
    """Run both samplers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=6)
    seeds = range(parser.parse_args().seeds)
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    for function in (bowl, wave, valley):
        for kind in (PoPBOSampler, optuna.samplers.GPSampler):
            rows = [run(function, kind(seed=seed)) for seed in seeds]
            early, late, seconds = np.mean(rows, axis=0)
            told = f"{early:.4f} {late:.4f}, {seconds:.2f} s"
            print(f"{function.__name__}, {kind.__name__}: {told}", flush=True)


if __name__ == "__main__":
    main()
