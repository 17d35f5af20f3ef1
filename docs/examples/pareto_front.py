"""How the Pareto front grows, beside Ax's own strategy, on two-objective problems of BoTorch.

Prints a Markdown table of the dominated hypervolume (BoTorch's reference points, larger is better),
its mean and standard error, then the first method's paired lead over each other one, the share of
runs in which it is ahead less the share in which it is behind:
``OMP_NUM_THREADS=1 python docs/examples/pareto_front.py --seeds 5``.
With ``--exp`` the strategies see exp(3 z) of the first objective z, standardised over a Sobol
sequence; the hypervolume is that of the objective itself.
"""

import argparse
import logging
import math
import statistics
import time
import warnings

import torch
from ax.api.client import Client
from ax.api.configs import RangeParameterConfig
from botorch.test_functions.base import BaseTestProblem
from botorch.test_functions.multi_objective import DTLZ2, ZDT1, ZDT2, BraninCurrin
from botorch.utils.multi_objective.hypervolume import Hypervolume
from botorch.utils.sampling import draw_sobol_samples
from strategies import METHODS, Configure

NUM_INITIAL = 8
CHECKPOINTS = (20, 40)
STEEPNESS = 3.0

PROBLEMS: dict[str, BaseTestProblem] = {
    "Branin-Currin": BraninCurrin().double(),
    "ZDT1, 5 parameters": ZDT1(dim=5).double(),
    "ZDT2, 5 parameters": ZDT2(dim=5).double(),
    "DTLZ2, 4 parameters": DTLZ2(dim=4, num_objectives=2).double(),
    "DTLZ2, 6 parameters": DTLZ2(dim=6, num_objectives=2).double(),
}


def run(
    problem: BaseTestProblem, is_distorted: bool, configure: Configure, seed: int
) -> tuple[list[float], float]:
    """Hypervolumes at the checkpoints, and seconds a suggestion."""
    spread = problem.evaluate_true(draw_sobol_samples(problem.bounds, 1024, 1, seed=0)[:, 0])
    mean, deviation = spread[:, 0].mean(), spread[:, 0].std()
    client = Client(random_seed=seed)
    names = [f"x{i}" for i in range(problem.dim)]
    client.configure_experiment(
        [
            RangeParameterConfig(name, bounds=(low, high), parameter_type="float")
            for name, low, high in zip(names, *problem.bounds.tolist(), strict=True)
        ]
    )
    client.configure_optimization(objective="-f0, -f1")
    configure(client, NUM_INITIAL, seed)
    outcomes, seconds = [], []
    for _ in range(CHECKPOINTS[-1]):
        start = time.perf_counter()
        [(index, p)] = client.get_next_trials(max_trials=1).items()
        seconds.append(time.perf_counter() - start)
        X = torch.tensor([[p[name] for name in names]], dtype=torch.double)
        values = problem.evaluate_true(X)[0]
        outcomes.append(-values)
        reported = values.clone()
        if is_distorted:
            reported[0] = (STEEPNESS * (values[0] - mean) / deviation).exp()
        client.complete_trial(index, dict(zip(("f0", "f1"), reported.tolist(), strict=True)))
    volume = Hypervolume(-problem.ref_point)
    volumes = [float(volume.compute(torch.stack(outcomes[:n]))) for n in CHECKPOINTS]
    return volumes, statistics.median(seconds[NUM_INITIAL:])


def cell(column: list[float]) -> str:
    """Mean and standard error."""
    error = statistics.stdev(column) / math.sqrt(len(column)) if len(column) > 1 else 0.0
    return f"{statistics.mean(column):.4g} ± {error:.2g}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5, help="number of seeds, from 0")
    parser.add_argument("--problems", nargs="+", default=list(PROBLEMS), choices=PROBLEMS)
    parser.add_argument("--exp", action="store_true", help="distort the first objective")
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=METHODS)
    chosen = parser.parse_args()
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    columns = " | ".join(f"at {n}" for n in CHECKPOINTS)
    print(f"| problem | method | {columns} | s a suggestion |\n| {'--- | ' * 4}--- |", flush=True)
    every: dict[str, list[list[float]]] = {method: [] for method in chosen.methods}
    for title in chosen.problems:
        for method in chosen.methods:
            runs = [
                run(PROBLEMS[title], chosen.exp, METHODS[method], seed)
                for seed in range(chosen.seeds)
            ]
            cells = " | ".join(map(cell, zip(*(volumes for volumes, _ in runs), strict=True)))
            every[method] += [volumes for volumes, _ in runs]
            seconds = statistics.median(second for _, second in runs)
            name = f"{title}, exp" if chosen.exp else title
            print(f"| {name} | {method} | {cells} | {seconds:.2f} |", flush=True)
    first, *others = chosen.methods
    for method in others:
        pairs = zip(every[first], every[method], strict=True)
        signs = [[(a > b) - (a < b) for a, b in zip(*pair, strict=True)] for pair in pairs]
        print(f"{first} leads {method} by {' and '.join(map(cell, zip(*signs, strict=True)))}")


if __name__ == "__main__":
    main()
