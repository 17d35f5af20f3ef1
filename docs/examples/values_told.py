"""What the values would tell that a judge's choices hide: the default, told them one by one.

A random tournament of 24 answers has seen 25 points. Here the same number of points is measured,
with the noise that the judge of the campaign ``preferences`` has, and without. Prints a Markdown
table of the noise-free regret of the recommended point, mean and standard error over seeds:
``OMP_NUM_THREADS=1 python docs/examples/values_told.py --seeds 10``
"""

import argparse
import statistics
import warnings

import torch
from botorch.test_functions import Hartmann

from botorch_popbo import minimize

POINTS = (25, 37)
DEVIATIONS = (0.0, 0.2)
FUNCTIONS = {dim: Hartmann(dim=dim, dtype=torch.double) for dim in (3, 6)}


def regret(dim: int, deviation: float, num_points: int, seed: int) -> float:
    """Of the point recommended after so many measurements."""
    function = FUNCTIONS[dim]
    generator = torch.Generator().manual_seed(seed)

    def value(**parameters: float) -> float:
        X = torch.tensor([list(parameters.values())], dtype=torch.double)
        return float(function.evaluate_true(X))

    def measure(**parameters: float) -> float | tuple[float, float]:
        noise = deviation * float(torch.randn(1, generator=generator, dtype=torch.double))
        return value(**parameters) + noise if deviation else (value(**parameters), 0.0)

    space = {f"x{i}": (0.0, 1.0) for i in range(dim)}
    found = minimize(measure, space, num_points, seed=seed, progress=False)
    return value(**found.best.parameters) - float(function.optimal_value)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10, help="number of seeds, from 0")
    seeds = range(parser.parse_args().seeds)
    warnings.simplefilter("ignore")
    print(f"| function, noise | {' | '.join(map(str, POINTS))} |\n| --- {'| --- ' * len(POINTS)}|")
    for dim in FUNCTIONS:
        for deviation in DEVIATIONS:
            cells = []
            for number in POINTS:
                regrets = [regret(dim, deviation, number, seed) for seed in seeds]
                error = statistics.stdev(regrets) / len(regrets) ** 0.5
                cells.append(f"{statistics.mean(regrets):.2f} ± {error:.2f}")
            print(f"| Hartmann-{dim}, {deviation:g} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
