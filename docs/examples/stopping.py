"""How often the rest of a search finds something better, and how often it was said to.

Searches of 100 evaluations by the default are kept in a folder; a later call goes on from them.
After 15, 20, ... evaluations the chance is asked for that anything is better by the default margin,
and after 20, 30, ... whether Optuna's evaluators and Ax's strategy would stop, at their defaults
(an error of Optuna's is the median of earlier improvements, as there is no cross-validation).
Writes all cases to ``stopping.csv`` in the folder, of which ``recount.py`` makes the tables. A
search takes a minute of one core.
"""

import argparse
import json
import math
import warnings
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

import optuna
import pandas as pd
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
PROBLEMS = (
    *("branin", "bbob-f1-d3", "bbob-f15-d2", "bbob-f8-d3", "hartmann6", "bbob-f21-d2"),
    *("bbob-f2-d3", "bbob-f10-d2", "bbob-f17-d3", "bbob-f6-d3", "bbob-f22-d3", "bbob-f13-d2"),
    *("bbob-f3-d2", "bbob-f20-d2", "bbob-f5-d5", "bbob-f12-d3", "bbob-f18-d2", "bbob-f24-d2"),
    *("bbob-f14-d5", "rosenbrock2", "nasbench201"),
    *(f"fcnet-{d}" for d in ("naval", "parkinsons", "protein", "slice")),
    *(f"tuning-{e}-{d}" for d in ("wine", "digits", "diabetes") for e in TUNED),
)
BUDGET, DESIGN, LEFT, JUDGED = 100, 12, 60, 2


def instance(name: str, seed: int, data: Path | None) -> tuple[problems.Problem, float]:
    """A problem's instance for a seed, and the sign that makes small values good."""
    problem = problems.PROBLEMS[name].load(data).for_seed(seed)
    return problem, 1.0 if problem.minimize else -1.0


def search(name: str, seed: int, number: int, path: Path, data: Path | None) -> Result:
    """The default's search of a problem's instance for the seed."""
    problem, sign = instance(name, seed, data)
    options = {"seed": seed, "path": path, "progress": False}
    return minimize(lambda **x: sign * problem.score(x), problem.space, number, **options)


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
        outlook = result.outlook()
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


def cases_of(path: Path, data: Path | None) -> list[dict[str, Any]]:
    """What was said of a search at each time, and what the rest of it was.

    ``found`` is whether the next 60 evaluations are better by the margin, and ``there`` whether
    anything is, as far as the optimum is known. ``lost`` is what the rest gains, as a share of what
    the search gains over the middle of its design. The rules follow, where they were asked.
    """
    name, _, seed = path.stem.rpartition("_")
    content = json.loads(path.read_text())
    values = [math.inf if v is None else v for v in content["values"]]
    problem, sign = instance(name, int(seed), data)
    optimum = None if problem.optimal_value is None else sign * problem.optimal_value
    scale = median(v for v in values[:DESIGN] if v < math.inf) - min(values)
    cases = []
    for e in content["said"]:
        number, best = e["number"], min(values[: e["number"]])
        goal = best - e["margin"]
        case = {
            "problem": name,
            "seed": int(seed),
            "evaluations": number,
            "chance": round(e["chance"], 4),
            "found": int(min(values[number : number + LEFT], default=math.inf) < goal),
            "there": "" if optimum is None else int(optimum < goal),
            "lost": round((best - min(values)) / scale if scale > 0.0 else 0.0, 5),
            "seconds": round(e["seconds"], 4),
        }
        cases.append(case | {rule: int(is_over) for rule, is_over in e["stops"].items()})
    return cases


def main() -> None:
    """Search, and write the cases."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where searches are kept")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--problems", nargs="*", help="some of them alone")
    parser.add_argument("--data", type=Path, help="folder of the tables")
    parser.add_argument("--jobs", type=int, default=1)
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    names = args.problems or PROBLEMS
    runs = [(n, s, args.folder, args.data) for s in range(args.seeds) for n in names]
    Parallel(args.jobs, batch_size=1)(delayed(said)(*r) for r in runs)
    warnings.simplefilter("ignore")
    cases = [
        case for path in sorted(args.folder.glob("*.said")) for case in cases_of(path, args.data)
    ]
    pd.DataFrame(cases).to_csv(args.folder / "stopping.csv", index=False)


if __name__ == "__main__":
    main()
