"""Seconds of a suggestion in Optuna beside ``GPSampler``, as long as a user waits for it.

Half of the trials are uniform, the others near the optimum, as a search leaves them. Prints the
mean over five such histories of the least of three repetitions, and ratios in the geometric mean.
Threads are as they come, so run it on idle cores, or with ``--busy`` beside so many processes that
want a core for themselves.
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
    others = [
        multiprocessing.Process(target=spin, daemon=True) for _ in range(parser.parse_args().busy)
    ]
    optuna.logging.set_verbosity(optuna.logging.ERROR)
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
