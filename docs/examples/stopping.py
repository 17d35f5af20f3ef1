"""How often the rest of a search finds something better, and how often it was said to.

Searches of 100 evaluations by the default are kept in a folder; a later call goes on from them.
After 15, 20, ... evaluations the chance is asked for that anything is better by the default margin,
and after 20, 30, ... whether Optuna's evaluators and Ax's strategy would stop, at their defaults
(an error of Optuna's is the median of earlier improvements, as there is no cross-validation).
Prints Markdown tables; a minute of one core for each search.
"""

import argparse
import json
import math
import warnings
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from statistics import mean, median, stdev
from time import process_time
from typing import Any, NamedTuple

import optuna
from ax.api.client import Client
from ax.api.configs import RangeParameterConfig
from ax.global_stopping.strategies.improvement import ImprovementGlobalStoppingStrategy
from joblib import Parallel, delayed
from optuna.terminator import (
    BestValueStagnationEvaluator,
    EMMREvaluator,
    MedianErrorEvaluator,
    RegretBoundEvaluator,
    StaticErrorEvaluator,
    Terminator,
)

from botorch_popbo import minimize
from botorch_popbo.benchmarks import problems
from botorch_popbo.minimization import Result
from botorch_popbo.optuna import study_of

TUNED = ("tree", "forest", "extra", "adaboost", "svm", "sgd", "mlp", "neighbours", "boosting")
FAMILIES = {
    "functions and tables": (
        *("branin", "bbob-f1-d3", "bbob-f15-d2", "bbob-f8-d3", "hartmann6", "bbob-f21-d2"),
        *("bbob-f2-d3", "bbob-f10-d2", "bbob-f17-d3", "bbob-f6-d3", "bbob-f22-d3", "bbob-f13-d2"),
        *("bbob-f3-d2", "bbob-f20-d2", "bbob-f5-d5", "bbob-f12-d3", "bbob-f18-d2", "bbob-f24-d2"),
        *("bbob-f14-d5", "rosenbrock2", "nasbench201"),
        *(f"fcnet-{d}" for d in ("naval", "parkinsons", "protein", "slice")),
    ),
    "tuning": tuple(f"tuning-{e}-{d}" for d in ("wine", "digits", "diabetes") for e in TUNED),
}
BUDGET, DESIGN, LEFT, JUDGED = 100, 12, 60, 2
ENDS = 0.0, 0.02, 0.1, 0.35, 0.65, 0.9, 1.01
OURS = 0.05, 0.2, 0.5


class Case(NamedTuple):
    """A search at some time: what was said of the rest, and what the rest was.

    Attributes:
        name: The problem.
        number: Evaluations so far.
        chance: That anything is better by the margin.
        seconds: What it took to find the chance.
        stops: Which of the others would stop; empty if they were not asked.
        is_found: Whether the next 60 evaluations are better by the margin.
        is_left: Whether anything is; ``None`` if the optimum is not known.
        lost: What the rest of the search gains, as a share of what it gains over the middle of the
            design.
    """

    name: str
    number: int
    chance: float
    seconds: float
    stops: dict[str, bool]
    is_found: bool
    is_left: bool | None
    lost: float


def search(name: str, seed: int, number: int, path: Path, data: Path | None) -> Result:
    """The default's search of a problem's instance for the seed."""
    problem = problems.PROBLEMS[name].load(data).for_seed(seed)
    options = {"seed": seed, "path": path, "progress": False}
    return minimize(lambda **x: problem.score(x), problem.space, number, **options)


def said(name: str, seed: int, folder: Path, data: Path | None) -> None:
    """Search, and write what is said of the rest at each time."""
    warnings.simplefilter("ignore")
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    path = folder / f"{name}_{seed}.json"
    search(name, seed, BUDGET, path, data)
    written = path.with_suffix(".said")
    if written.exists():
        return
    content, entries = json.loads(path.read_text()), []
    experiment = experiment_of(content["evaluations"])
    for number in range(15, (BUDGET if seed < JUDGED else BUDGET - LEFT) + 1, 5):
        early = path.with_suffix(".part")
        early.write_text(json.dumps(content | {"evaluations": content["evaluations"][:number]}))
        result = search(name, seed, number, early, data)
        start = process_time()
        outlook = result.outlook(None)
        entry: dict[str, Any] = {"number": number, "seconds": process_time() - start}
        entry |= {"chance": outlook.chance, "margin": outlook.margin, "stops": {}}
        if number % 10 == 0 and seed < JUDGED:
            entry["stops"] = others(result) | {"Ax": by_ax(experiment, number)}
        entries.append(entry)
    early.unlink()
    values = [e["value"] for e in content["evaluations"]]
    written.write_text(json.dumps({"values": values, "said": entries}))


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
    return {n: bool(Terminator(rules[n], errors[n]).should_terminate(study)) for n in rules}


def experiment_of(evaluations: list[dict[str, Any]]) -> Client:
    """An experiment of Ax with the values; its rule reads no parameters."""
    client = Client()
    client.configure_experiment([RangeParameterConfig("x", (0, BUDGET), parameter_type="int")])
    client.configure_optimization("-value")
    for place, evaluation in enumerate(evaluations):
        index, value = client.attach_trial({"x": place}), evaluation["value"]
        if value is None or not math.isfinite(value):
            client.mark_trial_failed(index)
        else:
            client.complete_trial(index, {"value": value})
    return client


def by_ax(client: Client, number: int) -> bool:
    """Whether Ax's strategy would stop; it has no default for the trials before it begins."""
    rule = ImprovementGlobalStoppingStrategy(min_trials=DESIGN)
    return bool(rule.should_stop_optimization(client._experiment, trial_to_check=number - 1)[0])


def cases_of(path: Path, data: Path | None) -> list[Case]:
    """What was said of a search."""
    name, _, seed = path.stem.rpartition("_")
    content = json.loads(path.read_text())
    values = [math.inf if v is None else v for v in content["values"]]
    optimum = problems.PROBLEMS[name].load(data).for_seed(int(seed)).optimal_value
    scale = median(v for v in values[:DESIGN] if v < math.inf) - min(values)
    cases = []
    for e in content["said"]:
        number, best = e["number"], min(values[: e["number"]])
        goal = best - e["margin"]
        is_found = min(values[number : number + LEFT], default=math.inf) < goal
        is_left = None if optimum is None else optimum < goal
        lost = (best - min(values)) / scale if scale > 0.0 else 0.0
        what = e["chance"], e["seconds"], e["stops"], is_found, is_left, lost
        cases.append(Case(name, number, *what))
    return cases


def error_of(differences: dict[str, list[float]]) -> tuple[float, float]:
    """The mean over problems, and its standard error."""
    each = [mean(values) for values in differences.values()]
    return mean(each), stdev(each) / math.sqrt(len(each))


def calibration(cases: list[Case]) -> None:
    """The shares in which better was found, and was there, beside the chances stated."""
    print("| chance | cases | stated | found | difference | there |\n| " + "--- | " * 6)
    for low, high in pairwise(ENDS):
        chosen = [c for c in cases if low <= c.chance < high]
        names, known = {c.name for c in chosen}, [c for c in chosen if c.is_left is not None]
        if len(names) > 1:
            stated, found = mean(c.chance for c in chosen), mean(c.is_found for c in chosen)
            each = {n: [c.is_found - c.chance for c in chosen if c.name == n] for n in names}
            there = f"{mean(c.is_left for c in known):.2f} of {len(known)}" if known else ""
            print(
                f"| {low} to {min(high, 1.0)} | {len(chosen)} | {stated:.3f} | {found:.3f}", end=""
            )
            print(f" | {found - stated:+.3f} ± {error_of(each)[1]:.3f} | {there} |")
    print()


def ends(runs: list[list[Case]], is_over: Callable[[Case], bool]) -> list[Case]:
    """Where each search ends."""
    return [next((c for c in run if c.stops and is_over(c)), run[-1]) for run in runs]


def budgets(runs: list[list[Case]]) -> None:
    """What each rule spends and loses, and how much more it spends than a chance of at most .5."""
    runs = [run for run in runs if run[-1].stops]
    rules: dict[str, list[Case]] = {}
    for name in runs[0][-1].stops:
        rules[name] = ends(runs, lambda c, n=name: c.stops[n])  # type: ignore[misc]
    for chance in OURS:
        rules[f"chance of at most {chance}"] = ends(runs, lambda c, p=chance: c.chance <= p)  # type: ignore[misc]
    print(f"{len(runs)} searches\n\n| rule | spent | lost | lost over 2 % | spent more | ")
    print("| " + "--- | " * 5)
    ours = [*rules.values()][-1]
    for name, cases in rules.items():
        more: dict[str, list[float]] = {}
        for own, case in zip(ours, cases, strict=True):
            more.setdefault(case.name, []).append((case.number - own.number) / BUDGET)
        spent, lost = mean(c.number for c in cases) / BUDGET, mean(c.lost for c in cases)
        difference, error = error_of(more)
        print(
            f"| {name} | {spent:.2f} | {lost:.3f} | {mean(c.lost > 0.02 for c in cases):.2f}",
            end="",
        )
        print(f" | {difference:+.2f} ± {error:.2f} |")
    print()


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where searches are kept")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--problems", nargs="*", help="some of them alone")
    parser.add_argument("--data", type=Path, help="folder of the tables")
    parser.add_argument("--jobs", type=int, default=1)
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    names = args.problems or [n for family in FAMILIES.values() for n in family]
    runs = [(n, s, args.folder, args.data) for s in range(args.seeds) for n in names]
    Parallel(args.jobs, batch_size=1)(delayed(said)(*r) for r in runs)
    warnings.simplefilter("ignore")
    found = [cases_of(path, args.data) for path in sorted(args.folder.glob("*.said"))]
    for family, members in (("all", names), *FAMILIES.items()):
        chosen = [run for run in found if run[0].name in members]
        if len({run[0].name for run in chosen}) > 1:
            print(f"## {family}: {len(chosen)} searches\n")
            calibration([c for run in chosen for c in run if c.number <= BUDGET - LEFT])
            budgets(chosen)
    print(f"{median(c.seconds for run in found for c in run):.3f} s for a chance")


if __name__ == "__main__":
    main()
