"""Two objectives in five parts each, at equal cost: hypervolume with and without stopping.

A part is an objective plus a level of its own and a wave of the point, which the five parts cancel.
Prints the hypervolume of the whole trials after the cost of 10, 20 and 30 of them, and the paired
lead of stopping, over the seeds.
"""

import argparse
import math
import warnings

import optuna
import pandas as pd

from botorch_popbo.benchmarks.problems.goals import GOALS
from botorch_popbo.optuna import PoPBOPruner, PoPBOSampler, report_parts

PARTS, COSTS, WAVE = 5, (10, 20, 30), 0.1
WAYS = {
    "PoPBO, stopped": (PoPBOSampler, PoPBOPruner),
    "PoPBO, whole": (PoPBOSampler, None),
    "TPE, stopped": (optuna.samplers.TPESampler, PoPBOPruner),
    "TPE, whole": (optuna.samplers.TPESampler, None),
}


def run(name: str, way: str, seed: int) -> list[float]:
    """The hypervolume of whole trials at each cost."""
    problem, (sampler, pruner) = GOALS[name](), WAYS[way]
    found, volumes, spent = [], [], 0

    def objective(trial: optuna.Trial) -> list[float]:
        nonlocal spent
        point = [trial.suggest_float(f"x{i}", *ends) for i, ends in enumerate(problem.bounds)]
        values, slacks = problem.evaluate(point)
        for part in range(PARTS):
            wave = WAVE * math.sin(40.0 * sum(point) + 2.0 * math.pi * part / PARTS)
            spent += 1
            stops = report_parts(trial, [value + part + wave for value in values], part)
            if part == PARTS - 1:
                found.append((values, slacks))
            volumes.append(-problem.loss(found) if found else 0.0)
            if pruner and stops and part < PARTS - 1:
                raise optuna.TrialPruned
        return [value + (PARTS - 1) / 2.0 for value in values]

    study = optuna.create_study(
        directions=["minimize"] * 2,
        sampler=sampler(seed=seed),
        pruner=PoPBOPruner(parts="mean"),
    )
    while spent < COSTS[-1] * PARTS:
        study.optimize(objective, n_trials=1)
    return [volumes[cost * PARTS - 1] for cost in COSTS]


def main() -> None:
    """Print a table for each problem."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--problems", nargs="+", choices=GOALS, default=["zdt2", "dh1"])
    arguments = parser.parse_args()
    optuna.logging.set_verbosity(optuna.logging.CRITICAL)
    warnings.simplefilter("ignore")
    for name in arguments.problems:
        rows = {
            (way, seed): run(name, way, seed) for way in WAYS for seed in range(arguments.seeds)
        }
        table = pd.DataFrame(rows, index=pd.Index(COSTS, name="cost")).T
        print(f"\n{name}\n{table.groupby(level=0, sort=False).mean().round(4).to_markdown()}")
        for sampler in ("PoPBO", "TPE"):
            lead = table.loc[f"{sampler}, stopped"] - table.loc[f"{sampler}, whole"]
            both = pd.DataFrame({"lead": lead.mean(), "error": lead.sem()}).round(4)
            print(f"{sampler}: {both.T.to_dict()}", flush=True)


if __name__ == "__main__":
    main()
