"""How often the rest of a search finds something better, and how often it was said to.

Searches of cheap functions by the default, of 100 evaluations, are kept in files; a later call goes
on from them. After 15, 20, ... 40 evaluations it asks for the chance that anything is better by the
default margin, and looks whether the next 60 found it. Beside it are Optuna's own evaluators after
40 (their error is a median of earlier improvements, as there is no cross-validation). Prints
Markdown tables; half a minute for each search on a free core.
"""

import argparse
import json
import warnings
from itertools import pairwise
from pathlib import Path
from statistics import mean, median
from time import process_time
from typing import NamedTuple

from optuna.terminator import (
    BestValueStagnationEvaluator,
    EMMREvaluator,
    MedianErrorEvaluator,
    RegretBoundEvaluator,
    StaticErrorEvaluator,
    Terminator,
)

from botorch_popbo import minimize
from botorch_popbo.benchmarks.problems import PROBLEMS
from botorch_popbo.minimization import Result
from botorch_popbo.optuna import study_of

NAMES = (
    *("branin", "bbob-f1-d3", "bbob-f15-d2", "bbob-f8-d3", "hartmann6", "bbob-f21-d2"),
    *("bbob-f2-d3", "bbob-f10-d2", "bbob-f17-d3", "bbob-f6-d3", "bbob-f22-d3", "bbob-f13-d2"),
    *("bbob-f3-d2", "bbob-f20-d2", "bbob-f5-d5", "bbob-f12-d3", "bbob-f18-d2", "bbob-f24-d2"),
    *("bbob-f14-d5", "rosenbrock2"),
)
ASKED, LEFT = range(15, 45, 5), 60
ENDS = 0.0, 0.02, 0.1, 0.35, 0.65, 0.9, 1.01


class Case(NamedTuple):
    """A search at some time, and whether the rest of it found better."""

    chance: float
    is_found: bool
    seconds: float
    stops: dict[str, bool]


def search(name: str, seed: int, number: int, path: Path) -> Result:
    """The default's search of a problem's instance for the seed."""
    problem = PROBLEMS[name].load(None).for_seed(seed)
    options = {"seed": seed, "path": path, "progress": False}
    return minimize(lambda **x: problem.score(x), problem.space, number, **options)


def case(name: str, seed: int, number: int, path: Path) -> Case:
    """What is said after some evaluations of a search that is kept."""
    content = json.loads(path.read_text())
    values = [e["value"] for e in content["evaluations"]]
    early = path.with_suffix(".part")
    early.write_text(json.dumps(content | {"evaluations": content["evaluations"][:number]}))
    result = search(name, seed, number, early)
    start = process_time()
    chance, margin = result.outlook(None)
    seconds = process_time() - start
    is_found = min(values[number : number + LEFT]) < min(values[:number]) - margin
    stops = others(result) if number == max(ASKED) else {}
    return Case(chance, is_found, seconds, stops)


def others(result: Result) -> dict[str, bool]:
    """Whether Optuna's evaluators would stop."""
    study = study_of(result)
    rules = {
        "regret bound": RegretBoundEvaluator(seed=0),
        "EMMR": EMMREvaluator(seed=0),
        "stagnation": BestValueStagnationEvaluator(),
    }
    errors = {name: MedianErrorEvaluator(rule) for name, rule in rules.items()}
    errors["stagnation"] = StaticErrorEvaluator(0)
    return {n: Terminator(rules[n], errors[n]).should_terminate(study) for n in rules}


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where searches are kept")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--functions", type=int, default=len(NAMES), help="how many of them")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore")
    cases = []
    for seed in range(args.seeds):
        for name in NAMES[: args.functions]:
            path = args.folder / f"{name}_{seed}.json"
            search(name, seed, max(ASKED) + LEFT, path)
            cases += [case(name, seed, number, path) for number in ASKED]
    print(f"{args.seeds * args.functions} searches, {len(cases)} cases, ", end="")
    print(f"{median(c.seconds for c in cases):.3f} s for a chance\n")
    print("| chance | cases | stated | found |\n| --- | --- | --- | --- |")
    for low, high in pairwise(ENDS):
        chosen = [c for c in cases if low <= c.chance < high]
        if chosen:
            stated, found = mean(c.chance for c in chosen), mean(c.is_found for c in chosen)
            print(f"| {low} to {min(high, 1.0)} | {len(chosen)} | {stated:.3f} | {found:.2f} |")
    late = [c for c in cases if c.stops]
    rules = {n: [c for c in late if c.stops[n]] for n in late[0].stops}
    rules["chance of at most .05"] = [c for c in late if c.chance <= 0.05]
    print("\n| rule, after 40 | stops | better was left |\n| --- | --- | --- |")
    for name, chosen in rules.items():
        wrong = sum(c.is_found for c in chosen)
        print(f"| {name} | {len(chosen)} of {len(late)} | {wrong} |")


if __name__ == "__main__":
    main()
