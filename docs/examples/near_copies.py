"""Evaluations spent beside a point that is known, where the best is in a corner or on a plateau.

Prints of each function how many of the 30 suggestions after a design of ten are within 1e-3 of an
earlier point in every parameter and no improvement, and the mean best value.
"""

import argparse
import math
from collections.abc import Callable

import numpy as np
import optuna

from botorch_popbo.optuna import PoPBOSampler

DESIGN, TRIALS, NEAR = 10, 40, 1e-3
FUNCTIONS: dict[str, tuple[int, Callable[..., float]]] = {
    "x + 2y + z / 2": (3, lambda x, y, z: x + 2 * y + z / 2),
    "exp(x + y) + z + w / 10": (4, lambda x, y, z, w: math.exp(x + y) + z + w / 10),
    "1 - x + 0.3 cos 3y": (2, lambda x, y: 1 - x + 0.3 * math.cos(3 * y)),
    "max(.05, (x - .2)^2 + (y - .7)^2 + z)": (
        3,
        lambda x, y, z: max(0.05, (x - 0.2) ** 2 + (y - 0.7) ** 2 + z),
    ),
    "log(x + .01) + y + z": (3, lambda x, y, z: math.log(x + 0.01) + y + z),
    "-x y z": (3, lambda x, y, z: -x * y * z),
    "sqrt(x) + y^2": (2, lambda x, y: math.sqrt(x) + y**2),
    "squared distance to (1.3, ...)": (4, lambda *x: sum((value - 1.3) ** 2 for value in x)),
    "(x - .3)^2 + y": (2, lambda x, y: (x - 0.3) ** 2 + y),
}
SAMPLERS: dict[str, Callable[[int], optuna.samplers.BaseSampler]] = {
    "PoPBOSampler": lambda seed: PoPBOSampler(seed=seed),
    "GPSampler": lambda seed: optuna.samplers.GPSampler(seed=seed),
}


def run(
    function: Callable[..., float], dim: int, sampler: optuna.samplers.BaseSampler
) -> tuple[int, float]:
    """Copies that gain nothing, and the best value."""
    study = optuna.create_study(sampler=sampler)
    study.optimize(
        lambda trial: function(*(trial.suggest_float(f"x{i}", 0.0, 1.0) for i in range(dim))),
        n_trials=TRIALS,
    )
    X = np.array([[trial.params[f"x{i}"] for i in range(dim)] for trial in study.trials])
    best = np.minimum.accumulate([trial.value for trial in study.trials])
    copies = 0
    for n in range(DESIGN, TRIALS):
        is_near = np.abs(X[:n] - X[n]).max(axis=1).min() < NEAR
        copies += int(is_near and best[n] == best[n - 1])
    return copies, float(best[-1])


def main() -> None:
    """Run both samplers, neither told anything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    seeds = range(parser.parse_args().seeds)
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    for name, (dim, function) in FUNCTIONS.items():
        for method, make in SAMPLERS.items():
            copies, best = zip(*(run(function, dim, make(seed)) for seed in seeds), strict=True)
            print(f"{name}, {method}: copies {copies}; best {np.mean(best):.3g}", flush=True)


if __name__ == "__main__":
    main()
