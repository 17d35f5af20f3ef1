"""Searches in many columns: regret after 40, 60 and 80 evaluations in Optuna, told nothing.

``python docs/examples/many_columns.py rosenbrock-20 hartmann6-50 f8-40 --seeds 3`` minimizes each
function from each seed. The number after the dash is that of its columns, of which Hartmann-6 has
six that matter, and f8 is COCO's. With ``PYTHONPATH`` at another checkout it runs that one.
"""

import argparse
import os
import time
from collections.abc import Callable

os.environ.setdefault("OMP_NUM_THREADS", "1")

import optuna
import torch
from botorch.test_functions import Hartmann, Levy, Rosenbrock
from joblib import Parallel, delayed
from optuna.distributions import FloatDistribution
from torch import Tensor

from botorch_popbo.benchmarks.problems.coco import open_function, optimum
from botorch_popbo.benchmarks.problems.coco_names import CocoName
from botorch_popbo.optuna import PoPBOSampler

BUDGETS = (40, 60, 80)


def regret_of(name: str) -> tuple[int, Callable[[Tensor], float]]:
    """Number of columns, and the regret at a point of the unit cube."""
    kind, dim = name.rsplit("-", 1)
    columns = torch.arange(int(dim))
    if kind.startswith("f"):
        coco = CocoName(suite="bbob", function=int(kind[1:]), dimension=int(dim), instance=1)
        function, best = open_function(coco), optimum(coco)
        low, high = torch.tensor(function.lower_bounds), torch.tensor(function.upper_bounds)
        return int(dim), lambda x: float(function((low + x * (high - low)).numpy())) - best
    if kind == "hartmann6":
        generator = torch.Generator().manual_seed(3)
        columns, test = torch.randperm(int(dim), generator=generator)[:6], Hartmann(6)
    else:
        test = {"rosenbrock": Rosenbrock, "levy": Levy}[kind](int(dim))
    low, high = test.bounds.double()

    def regret(x: Tensor) -> float:
        point = low + x[columns] * (high - low)
        return float(test.evaluate_true(point.unsqueeze(0))) - float(test.optimal_value)

    return int(dim), regret


def search(name: str, seed: int) -> str:
    """One search, in words."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    torch.set_num_threads(1)
    dim, regret = regret_of(name)
    study, start = optuna.create_study(sampler=PoPBOSampler(seed=seed)), time.process_time()
    ends = []
    for number in range(1, BUDGETS[-1] + 1):
        trial = study.ask({f"x{i}": FloatDistribution(0.0, 1.0) for i in range(dim)})
        x = torch.tensor([trial.params[f"x{i}"] for i in range(dim)], dtype=torch.double)
        study.tell(trial, regret(x))
        if number in BUDGETS:
            ends.append(f"{study.best_value:.3g}")
    return f"{name} seed {seed}: {' '.join(ends)} ({time.process_time() - start:.0f} CPU seconds)"


def main() -> None:
    """Search."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("functions", nargs="+")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    runs = [(name, seed) for name in arguments.functions for seed in range(arguments.seeds)]
    for line in Parallel(arguments.jobs, return_as="generator")(delayed(search)(*r) for r in runs):
        print(line, flush=True)


if __name__ == "__main__":
    main()
