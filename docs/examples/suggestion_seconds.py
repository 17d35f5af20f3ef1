"""Seconds of a suggestion in Optuna beside ``GPSampler``, as long as a user waits for it.

Half of the trials are uniform, the others near the optimum, as a search leaves them. Prints the
mean over five such histories of the least of three repetitions, and ratios in the geometric mean.
Threads are as they come, so run it on idle cores, or with ``--busy`` beside so many processes that
want a core for themselves. With ``--conditional`` trials are random, most parameters are asked for
beside some values of others only, and seconds are those of the CPU.
"""

import argparse
import multiprocessing
import random
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import optuna
import torch
from botorch.test_functions import Hartmann
from optuna.distributions import CategoricalDistribution, FloatDistribution

from botorch_popbo.optuna import PoPBOSampler

HARTMANN = Hartmann(6)
UNIT = FloatDistribution(0.0, 1.0)


def hartmann6(**x: float) -> float:
    """A function of six numbers."""
    return float(HARTMANN(torch.tensor([[*x.values()]], dtype=torch.double)))


def mixed(kind: str, **x: float) -> float:
    """A function of eight numbers and a choice."""
    bowl = sum((value - 0.1 * i - 0.1) ** 2 for i, value in enumerate(x.values()))
    return bowl + {"a": 0.0, "b": 0.3, "c": 0.5}[kind]


OPTIMUM = {f"x{i}": value for i, value in enumerate((0.20, 0.15, 0.48, 0.28, 0.31, 0.66))}
BOTTOM = {f"x{i}": 0.1 * i + 0.1 for i in range(8)} | {"kind": "a"}
CASES: list[tuple[str, Callable[..., float], dict[str, Any], int]] = [
    ("Hartmann-6", hartmann6, OPTIMUM, 25),
    ("Hartmann-6", hartmann6, OPTIMUM, 100),
    ("Hartmann-6", hartmann6, OPTIMUM, 500),
    ("mixed", mixed, BOTTOM, 100),
]
SAMPLERS: dict[str, Callable[[], optuna.samplers.BaseSampler]] = {
    "default": lambda: PoPBOSampler(seed=0),
    "order alone": lambda: PoPBOSampler(seed=0, order_only=True),
    "GPSampler": lambda: optuna.samplers.GPSampler(seed=0),
}


def layers(trial: optuna.Trial) -> float:
    """A network of up to twelve layers, with three parameters each."""
    total = trial.suggest_float("rate", 1e-5, 1.0, log=True)
    for i in range(trial.suggest_int("layers", 1, 12)):
        total += abs(trial.suggest_int(f"units_{i}", 16, 512, log=True) - 100) / 1000
        total += trial.suggest_float(f"drop_{i}", 0.0, 0.5)
        total += trial.suggest_categorical(f"act_{i}", ["relu", "gelu", "tanh"]) == "tanh"
    return total


def learners(trial: optuna.Trial) -> float:
    """That network, or one of two others with a dozen or 13 parameters: 64 in all."""
    learner = trial.suggest_categorical("learner", ["network", "forest", "boosting"])
    if learner == "network":
        return layers(trial)
    total = 0.5
    for i in range(12 + (learner == "boosting")):
        name = f"{learner}_{i}"
        if i % 3 == 0:
            total += abs(trial.suggest_float(name, 1e-4, 1.0, log=True) - 0.01)
        elif i % 3 == 1:
            total += abs(trial.suggest_int(name, 1, 64) - 20) / 100
        else:
            total += 0.1 * (trial.suggest_categorical(name, ["a", "b", "c"]) == "b")
    return total


def conditional(objective: Callable[[optuna.Trial], float], number: int) -> None:
    """Print the CPU seconds of a suggestion after so many random trials, the mean of three."""
    times = {}
    for name, make in SAMPLERS.items():
        study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
        study.optimize(objective, n_trials=number)
        study.sampler = make()
        study.optimize(objective, n_trials=1)  # which loads what is needed
        start = time.process_time()
        study.optimize(objective, n_trials=3)
        times[name] = (time.process_time() - start) / 3
    told = ", ".join(f"{name} {seconds:.2f}" for name, seconds in times.items())
    ratio = times["default"] / times["GPSampler"]
    print(f"{objective.__name__}, {number}: {told}; default by GPSampler {ratio:.1f}", flush=True)


def history(
    loss: Callable[..., float], best: dict[str, Any], number: int, seed: int
) -> list[optuna.trial.FrozenTrial]:
    """Trials of a search."""
    draw = random.Random(seed)
    kinds = CategoricalDistribution(["a", "b", "c"])
    space = {name: kinds if name == "kind" else UNIT for name in best}
    trials = []
    for i in range(number):
        point: dict[str, Any] = {}
        for name, value in best.items():
            near = i >= number // 2
            if name == "kind":
                point[name] = value if near else draw.choice(kinds.choices)
            else:
                moved = value + 0.2 * (draw.random() - 0.5)
                point[name] = min(1.0, max(0.0, moved)) if near else draw.random()
        told = optuna.create_trial(params=point, distributions=space, value=loss(**point))
        trials.append(told)
    return trials


def seconds(trials: list[optuna.trial.FrozenTrial], make: Callable[[], Any]) -> float:
    """Of the next suggestion, the least of three times."""
    times = []
    for _ in range(3):
        study = optuna.create_study(sampler=make())
        study.add_trials(trials)
        start = time.perf_counter()
        study.ask(trials[0].distributions)
        times.append(time.perf_counter() - start)
    return min(times)


def spin() -> None:
    """Keep a core busy."""
    while True:
        pass


def main() -> None:
    """Print a line for each case."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--busy", type=int, default=0, help="processes beside")
    parser.add_argument("--conditional", action="store_true", help="CPU seconds, one thread")
    arguments = parser.parse_args()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    if arguments.conditional:
        torch.set_num_threads(1)
        for objective, number in ((layers, 100), (layers, 300), (learners, 300)):
            conditional(objective, number)
        return
    others = [multiprocessing.Process(target=spin, daemon=True) for _ in range(arguments.busy)]
    for other in others:
        other.start()
    for name, loss, best, number in CASES:
        found: dict[str, list[float]] = {sampler: [] for sampler in SAMPLERS}
        for seed in range(5):
            trials = history(loss, best, number, seed)
            for sampler, make in SAMPLERS.items():
                found[sampler].append(seconds(trials, make))
        mean = ", ".join(f"{sampler} {np.mean(times):.3f}" for sampler, times in found.items())
        logs = {sampler: np.mean(np.log(times)) for sampler, times in found.items()}
        ratios = [np.exp(logs["default"] - logs[other]) for other in ("order alone", "GPSampler")]
        print(f"{name}, {number}: {mean}; default by the others {ratios[0]:.2f}, {ratios[1]:.2f}")


if __name__ == "__main__":
    main()
