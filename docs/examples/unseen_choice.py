"""A choice of six functions, one or two of which no trial has yet: how far a search gets.

Prints the mean regret after 5, 10 and 20 trials, in deviations of all values, and how many of the
new choices were never tried.
"""

import argparse
import math
from collections import defaultdict
from collections.abc import Callable

import numpy as np
import optuna

from botorch_popbo.optuna import PoPBOSampler

KINDS = "abcdef"
GRID = np.meshgrid(np.linspace(0.0, 1.0, 101), np.linspace(0.0, 1.0, 101))
Function = Callable[..., float]


def bowls(draw: np.random.Generator) -> list[Function]:
    """Parabolas."""
    centre, floor = draw.random((6, 2)), 0.5 * draw.random(6)
    width = 0.5 + 2.0 * draw.random((6, 2))
    return [
        lambda u, v, k=k: (
            floor[k] + width[k, 0] * (u - centre[k, 0]) ** 2 + width[k, 1] * (v - centre[k, 1]) ** 2
        )
        for k in range(6)
    ]


def waves(draw: np.random.Generator) -> list[Function]:
    """Draws of a Gaussian process."""
    slope, phase = draw.normal(size=(6, 60, 2)) / 0.3, 2.0 * math.pi * draw.random((6, 60))
    height = draw.normal(size=(6, 60)) * math.sqrt(2.0 / 60.0)
    return [
        lambda u, v, k=k: sum(
            height[k, i] * np.cos(slope[k, i, 0] * u + slope[k, i, 1] * v + phase[k, i])
            for i in range(60)
        )
        for k in range(6)
    ]


def gap(draw: np.random.Generator) -> list[Function]:
    """Bowls, of which the lowest is lower by a deviation of all values."""
    found = bowls(draw)
    values = np.array([f(*GRID) for f in found])
    best = int(values.min((1, 2)).argmin())
    lowest, fall = found[best], float(values.std())
    found[best] = lambda u, v: lowest(u, v) - fall
    return found


def run(
    make: Callable[..., list[Function]], seed: int, sampler: optuna.samplers.BaseSampler
) -> tuple[np.ndarray, int, int]:
    """Regrets, how many new choices were never tried, and how many there were."""
    draw = np.random.default_rng(seed)
    functions = make(draw)
    values = np.array([f(*GRID) for f in functions])
    order = values.min((1, 2)).argsort().tolist()
    # In half of the runs the best choice is new; of a gap always.
    new = order[: 1 + seed % 2] if seed % 4 < 2 or make is gap else order[-1 - seed % 2 :]
    kinds = optuna.distributions.CategoricalDistribution(KINDS)
    unit = optuna.distributions.FloatDistribution(0.0, 1.0)
    space = {"kind": kinds, "u": unit, "v": unit}

    def loss(kind: str, u: float, v: float) -> float:
        return float(functions[KINDS.index(kind)](u, v))

    study = optuna.create_study(sampler=sampler)
    old = [kind for number, kind in enumerate(KINDS) if number not in new]
    for number in range(10):
        told = {"kind": old[number % len(old)], "u": draw.random(), "v": draw.random()}
        study.add_trial(optuna.create_trial(params=told, distributions=space, value=loss(**told)))
    for _ in range(20):
        trial = study.ask(space)
        study.tell(trial, loss(**trial.params))
    best = np.minimum.accumulate([trial.value for trial in study.trials])
    tried = {trial.params["kind"] for trial in study.trials}
    regret = (best[[14, 19, 29]] - values.min()) / values.std()
    return regret.clip(0.0), sum(KINDS[number] not in tried for number in new), len(new)


def main() -> None:
    """Run both samplers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    seeds = range(parser.parse_args().seeds)
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    for name, makes in {"bowls and waves": (bowls, waves), "gap": (gap,)}.items():
        found = defaultdict(list)
        for make in makes:
            for seed in seeds:
                for sampler in (PoPBOSampler(seed=seed), optuna.samplers.GPSampler(seed=seed)):
                    found[type(sampler).__name__].append(run(make, seed, sampler))
        for method, rows in found.items():
            regret, missed, number = zip(*rows, strict=True)
            mean = " ".join(f"{value:.3f}" for value in np.mean(regret, axis=0))
            print(f"{name}, {method}: regret {mean}; never tried {sum(missed)} of {sum(number)}")


if __name__ == "__main__":
    main()
