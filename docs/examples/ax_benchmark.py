"""Ax's own benchmark: this package's strategies beside Ax's, on problems of Ax's registry.

``python docs/examples/ax_benchmark.py FILE.csv --seeds 10`` runs what the file lacks and prints the
tables of ``docs/results/journal``. What ends is written at once. Ax seeds each replication;
our strategies have no seed of their own and take that one. ``--seeds 0`` prints the tables alone.
"""

import argparse
import csv
import logging
import os
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from ax.benchmark.benchmark import benchmark_multiple_problems_methods
from ax.benchmark.benchmark_method import BenchmarkMethod
from ax.benchmark.problems.registry import get_benchmark_problem
from ax.generation_strategy.generation_strategy import GenerationStrategy

from botorch_popbo.ax import gp_generation_strategy, popbo_generation_strategy
from botorch_popbo.benchmarks.methods.strategies import ax_strategy

#: Number of trials in all, and where else to look.
NUM_TRIALS, EARLY = 30, 20
#: Of every strategy the same design: as many points as ours has by default. Ax's own would begin
#: with the centre of the space, where Ackley's function has its minimum.
NUM_INITIAL = 12
#: Makes a strategy; the seed is for Ax's own, whose design would be another one.
METHODS: dict[str, Callable[[int], GenerationStrategy]] = {
    "default": lambda seed: popbo_generation_strategy(),
    "paper, R-LCB": lambda seed: popbo_generation_strategy("rlcb", preset="paper"),
    "paper, ERI": lambda seed: popbo_generation_strategy("eri", preset="paper"),
    "GP, log EI": lambda seed: gp_generation_strategy(),
    "Ax": lambda seed: ax_strategy(NUM_INITIAL, seed),
}
FIRST, *OTHERS = METHODS
PROBLEMS = (
    "hartmann6",
    "rosenbrock4",
    "ackley4_async_noisy",
    "Discrete Hartmann",
    "constrained_gramacy_observed_noise",
    "branin_currin",
)
#: One GP and its improvement know neither constraints nor several objectives.
NEEDS_MORE = {"GP, log EI": ("constrained_gramacy_observed_noise", "branin_currin")}
#: What a row is about, and what it says.
KEY, VALUES = ("problem", "method", "seed"), ("early", "left", "seconds")
Rows = dict[tuple[str, str, int], tuple[float, ...]]


def replicate(problem: str, method: str, seed: int) -> list[float]:
    """One search.

    Args:
        problem: A name of Ax's registry.
        method: A name of ours.
        seed: Seed of the replication.

    Returns:
        What is left of the way from Ax's baseline to the optimum, in per cent, by Ax's score: at
        an early trial and at the end; and CPU seconds.
    """
    tested = BenchmarkMethod(name=method, generation_strategy=METHODS[method](seed))
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        [found] = benchmark_multiple_problems_methods(
            [get_benchmark_problem(problem, num_trials=NUM_TRIALS)],
            [tested],
            [seed],
            orchestrator_logging_level=logging.ERROR,
        )
    seconds = time.process_time() - start
    score = found.results[0].score_trace
    return [100.0 - score[EARLY - 1], 100.0 - score[-1], seconds]


def read(path: Path) -> Rows:
    """The rows of a file, if there is one."""
    if not path.exists():
        return {}
    with path.open(newline="") as file:
        return {
            (row["problem"], row["method"], int(row["seed"])): tuple(
                float(row[name]) for name in VALUES
            )
            for row in csv.DictReader(file)
        }


def run(path: Path, seeds: int, problems: Sequence[str], methods: Sequence[str]) -> None:
    """Append what a file lacks, all methods of a problem and seed one after another."""
    rows, is_new = read(path), not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.writer(file)
        if is_new:
            writer.writerow((*KEY, *VALUES))
        for seed in range(seeds):
            for problem in problems:
                for method in methods:
                    key = (problem, method, seed)
                    if key in rows or problem in NEEDS_MORE.get(method, ()):
                        continue
                    values = replicate(*key)
                    writer.writerow((*key, *(f"{value:.6g}" for value in values)))
                    file.flush()


def told(values: np.ndarray) -> str:
    """Mean and standard error."""
    return f"{values.mean():.3g} ± {values.std(ddof=1) / len(values) ** 0.5:.2g}"


def tables(rows: Rows) -> None:
    """Print what is left, then the first method's paired lead over each other."""
    problems = dict.fromkeys(problem for problem, _, _ in rows)
    for column, trials in ((0, EARLY), (1, NUM_TRIALS)):
        print(f"\n| left after {trials} | {' | '.join(METHODS)} |\n|" + "---|" * (len(METHODS) + 1))
        for problem in problems:
            print(f"| {problem} |", end="")
            for method in METHODS:
                found = by_seed(rows, problem, method, column)
                print(f" {told(np.array([*found.values()])) if len(found) > 1 else '-'} |", end="")
            print()
    print(f"\n| better, worse | {' | '.join(OTHERS)} |\n|" + "---|" * (len(OTHERS) + 1))
    for problem in problems:
        print(f"| {problem} |", end="")
        for method in OTHERS:
            ours, theirs = (by_seed(rows, problem, m, 1) for m in (FIRST, method))
            gain = np.array([theirs[seed] - ours[seed] for seed in ours.keys() & theirs.keys()])
            cell = "-" if len(gain) < 2 else f"{(gain > 0).sum()}, {(gain < 0).sum()}; {told(gain)}"
            print(f" {cell} |", end="")
        print()
    for method in METHODS:
        seconds = [values[2] for (_, name, _), values in rows.items() if name == method]
        print(f"{method}: {np.mean(seconds):.1f} CPU seconds a search")


def by_seed(rows: Rows, problem: str, method: str, column: int) -> dict[int, float]:
    """One value of each replication."""
    return {
        seed: values[column]
        for (p, m, seed), values in sorted(rows.items())
        if (p, m) == (problem, method)
    }


def main() -> None:
    """Run what is asked for, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--problems", nargs="+", default=PROBLEMS, choices=PROBLEMS)
    parser.add_argument("--methods", nargs="+", default=[*METHODS], choices=METHODS)
    arguments = parser.parse_args()
    logging.disable(logging.ERROR)
    run(arguments.file, arguments.seeds, arguments.problems, arguments.methods)
    tables(read(arguments.file))


if __name__ == "__main__":
    main()
