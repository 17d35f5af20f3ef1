"""The best feasible value under outcome constraints, beside Ax's own strategy.

Prints a Markdown table of means and standard errors, smaller is better:
``OMP_NUM_THREADS=1 python docs/examples/constraints.py --seeds 3``. The metrics are the objective
and the slack of every constraint.
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
from botorch.test_functions.base import ConstrainedBaseTestProblem
from botorch.test_functions.synthetic import ConstrainedGramacy, PressureVessel, SpeedReducer
from strategies import METHODS, Configure

NUM_INITIAL = 8
CHECKPOINTS = (20, 40)

PROBLEMS: dict[str, type[ConstrainedBaseTestProblem]] = {
    "Gramacy, 2 parameters, 2 constraints": ConstrainedGramacy,
    "pressure vessel, 4 parameters, 4 constraints": PressureVessel,
    "speed reducer, 7 parameters, 11 constraints": SpeedReducer,
}


def run(problem: ConstrainedBaseTestProblem, configure: Configure, seed: int) -> list[float]:
    """Best feasible values at the checkpoints, then seconds a suggestion."""
    lower, upper = problem.bounds
    names = [f"x{i}" for i in range(problem.dim)]
    slacks = [f"slack{j}" for j in range(problem.num_constraints)]
    client = Client(random_seed=seed)
    client.configure_experiment(
        [
            RangeParameterConfig(name, bounds=(low, high), parameter_type="float")
            for name, low, high in zip(names, lower.tolist(), upper.tolist(), strict=True)
        ]
    )
    client.configure_optimization("-loss", outcome_constraints=[f"{name} >= 0" for name in slacks])
    configure(client, NUM_INITIAL, seed)
    best, values, seconds = math.inf, [], []
    for _ in range(CHECKPOINTS[-1]):
        start = time.perf_counter()
        [(index, p)] = client.get_next_trials(max_trials=1).items()
        seconds.append(time.perf_counter() - start)
        X = torch.tensor([[p[name] for name in names]], dtype=torch.double).clamp(lower, upper)
        loss, slack = problem.evaluate_true(X).item(), problem.evaluate_slack_true(X)[0]
        client.complete_trial(
            index, {"loss": loss, **dict(zip(slacks, slack.tolist(), strict=True))}
        )
        if bool((slack >= 0).all()):
            best = min(best, loss)
        values.append(best)
    return [*(values[n - 1] for n in CHECKPOINTS), statistics.median(seconds[NUM_INITIAL:])]


def cell(column: list[float]) -> str:
    """Mean and standard error, or how many runs found nothing feasible."""
    missing = sum(map(math.isinf, column))
    if missing:
        return f"{missing} of {len(column)} runs without a feasible point"
    error = statistics.stdev(column) / math.sqrt(len(column)) if len(column) > 1 else 0.0
    return f"{statistics.mean(column):.4g} ± {error:.2g}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3, help="number of seeds, from 0")
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=METHODS)
    options = parser.parse_args()
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    columns = " | ".join(f"at {n}" for n in CHECKPOINTS)
    print(f"| problem | method | {columns} | s a suggestion |\n| {'--- | ' * 4}--- |", flush=True)
    for title, problem in PROBLEMS.items():
        for name in options.methods:
            runs = [run(problem().double(), METHODS[name], seed) for seed in range(options.seeds)]
            *found, seconds = (list(column) for column in zip(*runs, strict=True))
            cells = " | ".join(map(cell, found))
            print(f"| {title} | {name} | {cells} | {statistics.median(seconds):.2f} |", flush=True)


if __name__ == "__main__":
    main()
