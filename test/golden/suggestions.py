"""What every interface suggests: recorded once, compared ever after.

``python test/golden/suggestions.py compare [door ...]`` says of each door whether what it suggests
is identical to ``suggestions.json``, and if not where it departs first and by how much; it ends
with 1 if any door departs. ``record [door ...]`` writes the file anew. Names of doors are
prefixes: ``compare optuna`` takes all doors of Optuna.

The numbers are those of one machine: another processor may add in another order, and a search
amplifies last digits. So compare against a record that the same machine has made.
"""

import argparse
import json
import logging
import math
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import optuna
import pandas as pd
import torch
from ax.api.client import Client
from ax.api.configs import ChoiceParameterConfig, RangeParameterConfig
from botorch.acquisition import LogExpectedImprovement
from botorch.optim import optimize_acqf
from torch import Tensor

from botorch_popbo import (
    ExpectedRankingImprovement,
    LogExpectedUtilityImprovement,
    PoissonRankModel,
    PreferenceSearch,
    RankingGP,
    RectifiedLowerConfidenceBound,
    minimize,
    rank_initial_conditions,
)
from botorch_popbo.ax import popbo_generation_strategy
from botorch_popbo.data import combine, from_comparisons, from_groups, from_outcomes, from_top_k
from botorch_popbo.optuna import PoPBOSampler

FILE = Path(__file__).with_suffix(".json")
DOORS: dict[str, Callable[[], Any]] = {}
Point = dict[str, Any]


def door(function: Callable[[], Any]) -> Callable[[], Any]:
    """Register an interface under the name of its function."""
    DOORS[function.__name__.replace("_", "-")] = function
    return function


# --- functions to minimize ------------------------------------------------------------------------


def bowl(x: float, y: float, z: float = 0.5) -> float:
    """A tilted valley with its minimum at (.3, .6, .5)."""
    return (
        10 * (x - 0.3 + 0.5 * (y - 0.6)) ** 2
        + (y - 0.6) ** 2
        + math.sin(7 * x) / 5
        + (z - 0.5) ** 2
    )


def mixed_loss(rate: float, depth: int, kind: str) -> float:
    """Of a logarithmic, a whole and a categorical parameter."""
    return math.log10(rate / 1e-3) ** 2 + (depth - 3) ** 2 / 9 + (kind != "b")


def design(number: int, dim: int) -> Tensor:
    """Points of a scrambled Sobol sequence, ``number x dim``."""
    engine = torch.quasirandom.SobolEngine(dim, scramble=True, seed=7)
    return engine.draw(number, dtype=torch.double)


def losses(X: Tensor) -> Tensor:
    """Of points of two or three columns, ``N x 1``."""
    return torch.tensor([[bowl(*x)] for x in X.tolist()], dtype=torch.double)


# --- BoTorch --------------------------------------------------------------------------------------


def default(X: Tensor, *outcomes: Tensor, **options: Any) -> Any:
    return LogExpectedUtilityImprovement(RankingGP(X, *outcomes).fit(), **options)


def stock(X: Tensor, Y: Tensor) -> Any:
    model = RankingGP(X, Y).fit()
    return LogExpectedImprovement(model, best_f=model.posterior(X).mean.max().detach())


def paper(X: Tensor, Y: Tensor) -> PoissonRankModel:
    return PoissonRankModel.paper(X, Y, seed=0).fit()


#: Acquisition functions of points and outcomes.
ACQUISITIONS: dict[str, Callable[[Tensor, Tensor], Any]] = {
    "botorch-default": default,
    "botorch-exact": lambda X, Y: default(X, Y, torch.zeros_like(Y)),
    "botorch-known-variance": lambda X, Y: default(X, Y, torch.full_like(Y, 0.01)),
    "botorch-ties": lambda X, Y: default(X, (Y * 4).round() / 4),
    "botorch-outlier": lambda X, Y: default(X, Y.index_fill(0, torch.tensor([3]), 100.0)),
    "botorch-failures": lambda X, Y: default(X, Y.where(X[:, :1] < 0.7, -torch.inf)),
    "botorch-pending": lambda X, Y: default(X, Y, X_pending=design(13, 3)[10:]),
    "botorch-stock-acquisition": stock,
    "botorch-eri": lambda X, Y: ExpectedRankingImprovement(RankingGP(X, Y).fit()),
    "botorch-rlcb": lambda X, Y: RectifiedLowerConfidenceBound(RankingGP(X, Y).fit()),
    "paper-eri": lambda X, Y: ExpectedRankingImprovement(paper(X, Y), seed=0),
    "paper-rlcb": lambda X, Y: RectifiedLowerConfidenceBound.paper(paper(X, Y), seed=0),
}


def in_box(name: str) -> list[Any]:
    """Suggestions of a plain loop with an acquisition function."""
    X, bounds = design(10, 3), torch.tensor([[0.0] * 3, [1.0] * 3], dtype=torch.double)
    options: Any = {"num_restarts": 4, "raw_samples": 64, "ic_generator": rank_initial_conditions}
    for step in range(5 if name == "botorch-default" else 3):
        torch.manual_seed(step)
        x, _ = optimize_acqf(ACQUISITIONS[name](X, -losses(X)), bounds, q=1, **options)
        X = torch.cat([X, x])
    return X[10:].tolist()


DOORS |= {name: partial(in_box, name) for name in ACQUISITIONS}


@door
def paper_predictions() -> Any:
    X = design(24, 2)
    rank = paper(X[:16], -losses(X[:16])).rank_posterior(X[16:])
    return [rank.mean.tolist(), rank.variance.tolist()]


def of_outcomes(number: int) -> RankingGP:
    X = design(number, 2)
    return RankingGP(X, -losses(X))


def of_comparisons() -> RankingGP:
    X = design(12, 2)
    Y = losses(X).squeeze(-1)
    met = [*zip(range(11), range(1, 12), strict=True), (0, 5)]
    pairs = [(i, j) if Y[i] < Y[j] else (j, i) for i, j in met] + [(7, 2), (2, 7)]
    return RankingGP(order=from_comparisons(X, torch.tensor(pairs)))


def of_lists() -> RankingGP:
    X = design(18, 2)
    orders = [
        from_groups(X[:12], -losses(X[:12]), torch.arange(12) // 4),
        from_top_k(X[6:], [3, 1], [0, 2, 5]),
        from_outcomes(X[10:], -losses(X[10:])),
    ]
    return RankingGP(order=combine(*orders))


def of_sources() -> RankingGP:
    X = design(30, 2)
    sources = [from_outcomes(X[:12], -losses(X[:12])), from_outcomes(X[12:24], losses(X[12:24]))]
    return RankingGP(X[24:], -losses(X[24:]), sources=sources)


def predictions(make: Callable[[], RankingGP]) -> list[Any]:
    """Laws of the utility and of the rank at eight points, the incumbent, the evidence."""
    model, X = make().fit(), design(40, 2)[32:]
    with torch.no_grad():
        laws = model.posterior(X), model.rank_posterior(X)
        moments = [moment.tolist() for law in laws for moment in (law.mean, law.variance)]
        return [*moments, model.incumbent.tolist(), float(model.log_likelihood())]


MODELS: dict[str, Callable[[], RankingGP]] = {
    "default": partial(of_outcomes, 20),
    "comparisons": of_comparisons,
    "lists": of_lists,
    "sources": of_sources,
    "many": partial(of_outcomes, 300),
}
DOORS |= {f"predictions-{name}": partial(predictions, make) for name, make in MODELS.items()}


# --- Ax -------------------------------------------------------------------------------------------


def in_ax(
    parameters: list[Any],
    evaluate: Callable[..., dict[str, Any] | None],
    number: int = 9,
    objective: str = "-loss",
    constraints: tuple[str, ...] = (),
    bounds: tuple[str, ...] = (),
    at_once: int = 1,
    **options: Any,
) -> list[Point]:
    """Suggestions after a design of four; ``None`` is a failed trial."""
    client = Client(random_seed=0)
    client.configure_experiment(parameters, parameter_constraints=list(bounds))
    client.configure_optimization(objective, outcome_constraints=list(constraints))
    options = {"num_initial_trials": 4, "seed": 1} | options
    client.set_generation_strategy(popbo_generation_strategy(**options))
    points: list[Point] = []
    while len(points) < number:
        for index, point in client.get_next_trials(max_trials=at_once).items():
            points.append(dict(point))
            outcome = evaluate(**point)
            if outcome is None:
                client.mark_trial_failed(index)
            else:
                client.complete_trial(index, raw_data=outcome)
    return points


CUBE = [RangeParameterConfig(name, (0.0, 1.0), "float") for name in "xyz"]
BOX = CUBE[:2]
KIND = ChoiceParameterConfig("kind", ["a", "b", "c"], "str", is_ordered=False)
MIXED = [
    RangeParameterConfig("rate", (1e-6, 1.0), "float", scaling="log"),
    RangeParameterConfig("depth", (1, 8), "int"),
    KIND,
]
TABLE = [ChoiceParameterConfig("depth", [1, 2, 3, 5, 8], "int", is_ordered=True), KIND]


def of_bowl(**p: float) -> dict[str, float]:
    return {"loss": bowl(**p)}


def with_cost(x: float, y: float) -> dict[str, float]:
    return {"loss": bowl(x, y), "cost": x + y}


def past_trials() -> pd.DataFrame:
    return pd.DataFrame([{"x": x, "y": y, "loss": bowl(x, y)} for x, y in design(10, 2).tolist()])


DOORS |= {
    "ax-default": lambda: in_ax(CUBE, of_bowl),
    "ax-mixed": lambda: in_ax(MIXED, lambda **p: {"loss": mixed_loss(**p)}),
    "ax-table": lambda: in_ax(TABLE, lambda **p: {"loss": mixed_loss(1e-2, **p)}),
    "ax-linear-constraint": lambda: in_ax(BOX, of_bowl, bounds=("x + y <= 0.8",)),
    "ax-outcome-constraint": lambda: in_ax(BOX, with_cost, constraints=("cost <= 0.7",)),
    "ax-two-objectives": lambda: in_ax(BOX, with_cost, 8, objective="-loss, -cost"),
    "ax-failures": lambda: in_ax(BOX, lambda **p: None if p["x"] > 0.6 else of_bowl(**p)),
    "ax-batches": lambda: in_ax(BOX, of_bowl, at_once=3),
    "ax-standard-errors": lambda: in_ax(BOX, lambda **p: {"loss": (bowl(**p), 0.05)}),
    "ax-eri": lambda: in_ax(BOX, of_bowl, 7, acquisition="eri"),
    "ax-rlcb": lambda: in_ax(BOX, of_bowl, 7, acquisition="rlcb"),
    "ax-paper": lambda: in_ax(BOX, of_bowl, 7, preset="paper"),
    "ax-sources": lambda: in_ax(BOX, of_bowl, 5, sources=[past_trials()]),
}


# --- Optuna ---------------------------------------------------------------------------------------


def in_optuna(
    objective: Callable[[optuna.Trial], Any], number: int = 9, directions: int = 1, **options: Any
) -> list[Point]:
    """Suggestions of a study with a design of four; an exception is a failed trial."""
    sampler = PoPBOSampler(seed=1, n_startup_trials=4, **options)
    study = optuna.create_study(directions=["minimize"] * directions, sampler=sampler)
    study.optimize(objective, n_trials=number, catch=ZeroDivisionError)
    return [trial.params for trial in study.trials]


def box(trial: optuna.Trial, names: str = "xy") -> dict[str, float]:
    return {name: trial.suggest_float(name, 0.0, 1.0) for name in names}


def mixed(trial: optuna.Trial) -> float:
    return mixed_loss(
        trial.suggest_float("rate", 1e-6, 1.0, log=True),
        trial.suggest_int("depth", 1, 8),
        trial.suggest_categorical("kind", ["a", "b", "c"]),
    )


def in_steps(trial: optuna.Trial) -> float:
    x = trial.suggest_float("x", 0.0, 1.0, step=0.05)
    return bowl(x, trial.suggest_int("n", 1, 900) / 900)


def table(trial: optuna.Trial) -> float:
    kind = trial.suggest_categorical("kind", ["a", "b", "c"])
    return mixed_loss(1e-2, trial.suggest_int("depth", 1, 5), kind)


def conditional(trial: optuna.Trial) -> float:
    if trial.suggest_categorical("model", ["svm", "forest"]) == "svm":
        return math.log10(trial.suggest_float("C", 1e-3, 1e3, log=True)) ** 2 + 0.1
    return (trial.suggest_int("depth", 1, 10) - 4) ** 2 / 9


def two_goals(trial: optuna.Trial) -> tuple[float, float]:
    p = box(trial)
    trial.set_user_attr("violation", p["x"] + p["y"] - 0.7)
    return bowl(**p), p["x"] + p["y"]


def violations(trial: optuna.trial.FrozenTrial) -> list[float]:
    return [trial.user_attrs["violation"]]


def failing(trial: optuna.Trial) -> float:
    p = box(trial)
    return bowl(**p) if p["x"] < 0.6 else 1 / 0


def pruned(trial: optuna.Trial) -> float:
    value = bowl(**box(trial))
    for step in range(3):
        trial.report(value + 1 - step / 3, step)
        if step == 1 and value > 0.5:
            raise optuna.TrialPruned
    return value


DOORS |= {
    "optuna-default": lambda: in_optuna(lambda trial: bowl(**box(trial, "xyz"))),
    "optuna-exact": lambda: in_optuna(
        lambda trial: bowl(**box(trial)), deterministic_objective=True
    ),
    "optuna-mixed": lambda: in_optuna(mixed),
    "optuna-steps": lambda: in_optuna(in_steps),
    "optuna-table": lambda: in_optuna(table),
    "optuna-conditional": lambda: in_optuna(conditional, 12),
    "optuna-constraint": lambda: in_optuna(
        lambda trial: two_goals(trial)[0], constraints_func=violations
    ),
    "optuna-two-objectives": lambda: in_optuna(two_goals, 8, directions=2),
    "optuna-failures": lambda: in_optuna(failing),
    "optuna-pruned": lambda: in_optuna(pruned),
}


@door
def optuna_pending() -> Any:
    study = optuna.create_study(sampler=PoPBOSampler(seed=1, n_startup_trials=4))
    study.optimize(lambda trial: bowl(**box(trial)), n_trials=5)
    return [box(trial) for trial in [study.ask() for _ in range(3)]]


# --- one function, judges, the lab ----------------------------------------------------------------


@door
def minimize_mixed() -> Any:
    space: dict[str, Any] = {"rate": (1e-6, 1.0, "log"), "depth": (1, 8), "kind": ["a", "b", "c"]}
    points: list[Point] = []

    def function(**point: Any) -> float:
        points.append(point)
        return mixed_loss(**point)

    minimize(function, space, n_trials=12, seed=1, progress=False)
    return points


@door
def judges_box() -> Any:
    """Questions that a judge who prefers small first columns is asked."""
    bounds = torch.tensor([[0.0, 0.0], [1.0, 1.0]], dtype=torch.double)
    search = PreferenceSearch(bounds, num_initial=4, seed=1)
    questions = []
    for _ in range(9):
        items = search.ask()
        questions.append(items.tolist())
        distances = (items - items.new_tensor([0.2, 0.4])).abs().sum(-1)
        search.tell(items, winner=int(distances.argmin()))
    return questions


def in_lab(problem: str, method: str, number: int) -> list[Any]:
    """What a method of the lab suggests after eight random points, by the records it leaves."""
    words = f"compare {problem} --methods {method} --initial 8 --trials {number} --seeds 1"
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "botorch_popbo", *words.split(), "--jobs", "1"]
        subprocess.run([*command, "--output", folder], check=True, capture_output=True)
        [records] = Path(folder).rglob("*.jsonl")
        lines = [json.loads(line) for line in records.read_text().splitlines()]
    return [line["parameters"] for line in lines][8:]


DOORS |= {
    "lab-branin": partial(in_lab, "branin", "popbo", 3),
    "lab-hartmann6": partial(in_lab, "hartmann6", "popbo", 3),
    "lab-mixed": partial(in_lab, "sklearn-digits", "popbo", 2),
    "lab-paper": partial(in_lab, "branin", "popbo-eri", 2),
}


# --- comparing ------------------------------------------------------------------------------------


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Numbers and texts inside of lists and dictionaries, each with its place."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield from leaves(part, f"{path}.{key}")
    elif isinstance(value, list):
        for place, part in enumerate(value):
            yield from leaves(part, f"{path}[{place}]")
    else:
        yield path, value


def difference(recorded: Any, found: Any) -> str:
    """Where two records depart first, and the largest difference; "identical" if they are equal."""
    old, new = dict(leaves(recorded)), dict(leaves(found))
    if old.keys() != new.keys():
        return f"other places: {sorted(old.keys() ^ new.keys())[:3]}"
    departed = [place for place in old if old[place] != new[place]]
    if not departed:
        return "identical"
    first = departed[0]
    largest = max(
        abs(old[place] - new[place]) if isinstance(old[place], float) else math.inf
        for place in departed
    )
    change = f"{old[first]!r}, now {new[first]!r}"
    return f"first at {first}: {change}; largest difference {largest:.2g}"


def suggest(name: str) -> Any:
    """What a door suggests, as it is after a round trip through JSON."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return json.loads(json.dumps(DOORS[name]()))


def main() -> None:
    """Record or compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("action", choices=("record", "compare"))
    parser.add_argument("doors", nargs="*", default=[""], help="prefixes of names")
    arguments = parser.parse_args()
    logging.disable(logging.WARNING)
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    torch.set_num_threads(1)
    recorded = json.loads(FILE.read_text()) if FILE.exists() else {}
    texts = []
    for name in [name for name in DOORS if name.startswith(tuple(arguments.doors))]:
        start = time.perf_counter()
        try:
            found = suggest(name)
            if arguments.action == "record":
                recorded[name] = found
            texts.append(difference(recorded.get(name), found))
        except Exception as error:  # one broken door does not hide the others
            texts.append(f"{type(error).__name__}: {error}")
        print(f"{name}: {texts[-1]} ({time.perf_counter() - start:.1f} s)", flush=True)
    if arguments.action == "record":
        FILE.write_text(json.dumps(recorded, indent=1, sort_keys=True) + "\n")
    sys.exit(any(text != "identical" for text in texts))


if __name__ == "__main__":
    main()
