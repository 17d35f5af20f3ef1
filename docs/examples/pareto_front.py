"""How the Pareto front grows, beside Ax's own strategy, on two-objective problems of BoTorch.

Prints a Markdown table of the dominated hypervolume (BoTorch's reference points, larger is better),
its mean and standard error: ``OMP_NUM_THREADS=1 python docs/examples/pareto_front.py --seeds 10``.
In the rows "exp" the strategies see exp(3 z) of the first objective z, standardised over a Sobol
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
from botorch.test_functions.base import BaseTestProblem, ConstrainedBaseTestProblem
from botorch.test_functions.multi_objective import (
    DTLZ2,
    ZDT1,
    ZDT2,
    BraninCurrin,
    ConstrainedBraninCurrin,
)
from botorch.utils.multi_objective.hypervolume import Hypervolume
from botorch.utils.sampling import draw_sobol_samples
from strategies import METHODS, Configure
from torch import Tensor

NUM_INITIAL = 8
CHECKPOINTS = (20, 40)
STEEPNESS = 3.0

PROBLEMS: dict[str, BaseTestProblem] = {
    "Branin-Currin": BraninCurrin().double(),
    "ZDT1, 5 parameters": ZDT1(dim=5).double(),
    "ZDT2, 5 parameters": ZDT2(dim=5).double(),
    "DTLZ2, 4 parameters": DTLZ2(dim=4, num_objectives=2).double(),
    "DTLZ2, 6 parameters": DTLZ2(dim=6, num_objectives=2).double(),
    "constrained Branin-Currin": ConstrainedBraninCurrin().double(),
}
# What is asked for beside each problem: is the first objective distorted, are thresholds given?
VARIANTS = {"": (False, False), "exp": (True, False), "thresholds": (False, True)}


def slacks(problem: BaseTestProblem, X: Tensor) -> Tensor:
    """What is left of every constraint, negative where violated, an ``n x k`` tensor."""
    constrained = isinstance(problem, ConstrainedBaseTestProblem)
    return problem.evaluate_slack_true(X) if constrained else X[:, :0]


def run(
    problem: BaseTestProblem, variant: str, configure: Configure, seed: int
) -> tuple[list[float], float]:
    """Hypervolumes at the checkpoints, and seconds a suggestion."""
    is_distorted, has_thresholds = VARIANTS[variant]
    spread = problem.evaluate_true(draw_sobol_samples(problem.bounds, 1024, 1, seed=0)[:, 0])
    mean, deviation = spread[:, 0].mean(), spread[:, 0].std()
    reference = problem.ref_point.tolist()
    client = Client(random_seed=seed)
    names = [f"x{i}" for i in range(problem.dim)]
    client.configure_experiment(
        [
            RangeParameterConfig(name, bounds=(low, high), parameter_type="float")
            for name, low, high in zip(names, *problem.bounds.tolist(), strict=True)
        ]
    )
    wanted = [f"g{j} >= 0" for j in range(slacks(problem, spread[:0]).shape[-1])]
    if has_thresholds:
        wanted += [f"f{i} <= {value}" for i, value in enumerate(reference)]
    client.configure_optimization(objective="-f0, -f1", outcome_constraints=wanted)
    configure(client, NUM_INITIAL, seed)
    outcomes, seconds = [], []
    for _ in range(CHECKPOINTS[-1]):
        start = time.perf_counter()
        [(index, p)] = client.get_next_trials(max_trials=1).items()
        seconds.append(time.perf_counter() - start)
        X = torch.tensor([[p[name] for name in names]], dtype=torch.double)
        values, slack = problem.evaluate_true(X)[0], slacks(problem, X)[0]
        is_feasible = bool((slack >= 0).all())
        outcomes.append(-values if is_feasible else -problem.ref_point)
        reported = values.clone()
        if is_distorted:
            reported[0] = (STEEPNESS * (values[0] - mean) / deviation).exp()
        data = {f"f{i}": value for i, value in enumerate(reported.tolist())}
        data |= {f"g{j}": value for j, value in enumerate(slack.tolist())}
        client.complete_trial(index, data)
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
    parser.add_argument("--seeds", type=int, default=10, help="number of seeds, from 0")
    parser.add_argument("--problems", nargs="+", default=list(PROBLEMS), choices=PROBLEMS)
    parser.add_argument("--variants", nargs="+", default=list(VARIANTS), choices=VARIANTS)
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=METHODS)
    chosen = parser.parse_args()
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    columns = " | ".join(f"at {n}" for n in CHECKPOINTS)
    print(
        f"| problem | variant | method | {columns} | s a suggestion |\n| {'--- | ' * 5}--- |",
        flush=True,
    )
    for title in chosen.problems:
        for variant in chosen.variants:
            for method in chosen.methods:
                runs = [
                    run(PROBLEMS[title], variant, METHODS[method], seed)
                    for seed in range(chosen.seeds)
                ]
                cells = " | ".join(map(cell, zip(*(volumes for volumes, _ in runs), strict=True)))
                seconds = statistics.median(second for _, second in runs)
                row = f"| {title} | {variant} | {method} | {cells} | {seconds:.2f} |"
                print(row, flush=True)


if __name__ == "__main__":
    main()
