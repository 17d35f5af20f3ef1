"""How the Pareto front grows, beside Ax's own strategy, on Branin and Currin.

Prints a Markdown table of the dominated hypervolume (reference point 18 and 6, larger is better),
its mean and standard error: ``OMP_NUM_THREADS=1 python docs/examples/pareto_front.py --seeds 5``.
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
from botorch.test_functions.multi_objective import BraninCurrin
from botorch.utils.multi_objective.hypervolume import Hypervolume
from strategies import METHODS, Configure
from torch import Tensor

NUM_INITIAL = 8
CHECKPOINTS = (20, 40)


def run(configure: Configure, thresholds: list[str], seed: int) -> tuple[list[float], float]:
    """Hypervolumes at the checkpoints, and seconds a suggestion."""
    problem = BraninCurrin().double()
    worst = torch.tensor([-18.0, -6.0], dtype=torch.double)
    client = Client(random_seed=seed)
    client.configure_experiment(
        [RangeParameterConfig(f"x{i}", bounds=(0.0, 1.0), parameter_type="float") for i in range(2)]
    )
    client.configure_optimization(objective="-branin, -currin", outcome_constraints=thresholds)
    configure(client, NUM_INITIAL, seed)
    outcomes: list[Tensor] = []
    seconds = []
    for _ in range(CHECKPOINTS[-1]):
        start = time.perf_counter()
        [(index, p)] = client.get_next_trials(max_trials=1).items()
        seconds.append(time.perf_counter() - start)
        point = torch.tensor([[p["x0"], p["x1"]]], dtype=torch.double)
        values = problem.evaluate_true(point)[0]
        client.complete_trial(index, {"branin": values[0].item(), "currin": values[1].item()})
        outcomes.append(-values)
    volume = Hypervolume(worst)
    volumes = [float(volume.compute(torch.stack(outcomes[:n]))) for n in CHECKPOINTS]
    return volumes, statistics.median(seconds[NUM_INITIAL:])


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5, help="number of seeds, from 0")
    num_seeds = parser.parse_args().seeds
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    columns = " | ".join(f"at {n}" for n in CHECKPOINTS)
    print(
        f"| method | thresholds | {columns} | s a suggestion |\n| {'--- | ' * 4}--- |", flush=True
    )
    for thresholds in ([], ["branin <= 18", "currin <= 6"]):
        for name, configure in METHODS.items():
            runs = [run(configure, thresholds, seed) for seed in range(num_seeds)]
            cells = [
                f"{statistics.mean(column):.1f} ± "
                f"{statistics.stdev(column) / math.sqrt(num_seeds) if num_seeds > 1 else 0:.1f}"
                for column in zip(*(volumes for volumes, _ in runs), strict=True)
            ]
            seconds = statistics.median(second for _, second in runs)
            given = "given" if thresholds else "none"
            print(f"| {name} | {given} | {' | '.join(cells)} | {seconds:.2f} |", flush=True)


if __name__ == "__main__":
    main()
