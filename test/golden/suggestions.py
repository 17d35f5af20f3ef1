"""What every front door suggests: recorded once, compared ever after.

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

import torch
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
from botorch_popbo.data import combine, from_comparisons, from_groups, from_outcomes, from_top_k

FILE = Path(__file__).with_suffix(".json")
DOORS: dict[str, Callable[[], Any]] = {}
Point = dict[str, Any]


def door(function: Callable[[], Any]) -> Callable[[], Any]:
    """Register a front door under the name of its function."""
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


def in_box(make: Callable[[Tensor, Tensor], Any], number: int = 3, dim: int = 3) -> list[Any]:
    """Suggestions of a plain loop; ``make`` returns an acquisition function of X and Y."""
    from botorch.optim import optimize_acqf

    X, bounds = design(10, dim), torch.tensor([[0.0] * dim, [1.0] * dim], dtype=torch.double)
    for step in range(number):
        torch.manual_seed(step)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            x, _ = optimize_acqf(
                make(X, -losses(X)),
                bounds,
                q=1,
                num_restarts=4,
                raw_samples=64,
                ic_generator=rank_initial_conditions,
            )
        X = torch.cat([X, x])
    return X[10:].tolist()


OUTCOMES: dict[str, Callable[[Tensor, Tensor], tuple[Tensor, ...]]] = {
    "default": lambda X, Y: (Y,),
    "exact": lambda X, Y: (Y, torch.zeros_like(Y)),
    "known-variance": lambda X, Y: (Y, torch.full_like(Y, 0.01)),
    "ties": lambda X, Y: ((Y * 4).round() / 4,),
    "outlier": lambda X, Y: (Y.index_fill(0, torch.tensor([3]), 100.0),),
    "failures": lambda X, Y: (Y.where(X[:, :1] < 0.7, torch.tensor(-torch.inf).double()),),
}


def of_outcomes(name: str) -> list[Any]:
    """Suggestions of the default for outcomes of a kind."""
    return in_box(
        lambda X, Y: LogExpectedUtilityImprovement(RankingGP(X, *OUTCOMES[name](X, Y)).fit()),
        number=5 if name == "default" else 3,
    )


DOORS |= {f"botorch-{name}": partial(of_outcomes, name) for name in OUTCOMES}


@door
def botorch_pending() -> Any:
    pending = design(13, 3)[10:]
    return in_box(
        lambda X, Y: LogExpectedUtilityImprovement(RankingGP(X, Y).fit(), X_pending=pending)
    )


@door
def botorch_stock_acquisition() -> Any:
    from botorch.acquisition import LogExpectedImprovement

    def make(X: Tensor, Y: Tensor) -> Any:
        model = RankingGP(X, Y).fit()
        return LogExpectedImprovement(model, best_f=model.posterior(X).mean.max().detach())

    return in_box(make)


@door
def botorch_eri() -> Any:
    return in_box(lambda X, Y: ExpectedRankingImprovement(RankingGP(X, Y).fit()))


@door
def botorch_rlcb() -> Any:
    return in_box(lambda X, Y: RectifiedLowerConfidenceBound(RankingGP(X, Y).fit()))


@door
def paper_eri() -> Any:
    return in_box(
        lambda X, Y: ExpectedRankingImprovement(PoissonRankModel.paper(X, Y, seed=0).fit(), seed=0)
    )


@door
def paper_rlcb() -> Any:
    return in_box(
        lambda X, Y: RectifiedLowerConfidenceBound.paper(
            PoissonRankModel.paper(X, Y, seed=0).fit(), seed=0
        )
    )


@door
def paper_predictions() -> Any:
    X = design(16, 2)
    model = PoissonRankModel.paper(X, -losses(X), seed=0).fit()
    rank = model.rank_posterior(design(24, 2)[16:])
    return [rank.mean.tolist(), rank.variance.tolist()]


def predictions(model: Any, dim: int) -> list[Any]:
    """Laws of the utility and of the rank at eight points, the incumbent, the evidence."""
    X = design(40, dim)[32:]
    with torch.no_grad():
        utility, rank = model.posterior(X), model.rank_posterior(X)
        return [
            utility.mean.tolist(),
            utility.variance.tolist(),
            rank.mean.tolist(),
            rank.variance.tolist(),
            model.incumbent.tolist(),
            float(model.log_likelihood()),
        ]


@door
def predictions_default() -> Any:
    X = design(20, 2)
    return predictions(RankingGP(X, -losses(X)).fit(), 2)


@door
def predictions_comparisons() -> Any:
    X = design(12, 2)
    Y = losses(X).squeeze(-1)
    pairs = [
        (i, j) if Y[i] < Y[j] else (j, i) for i, j in zip(range(11), range(1, 12), strict=True)
    ]
    pairs += [(0, 5) if Y[0] < Y[5] else (5, 0), (7, 2), (2, 7)]
    return predictions(RankingGP(order=from_comparisons(X, torch.tensor(pairs))).fit(), 2)


@door
def predictions_lists() -> Any:
    X = design(18, 2)
    orders = [
        from_groups(X[:12], -losses(X[:12]), torch.arange(12) // 4),
        from_top_k(X[6:], [3, 1], [0, 2, 5]),
        from_outcomes(X[10:], -losses(X[10:])),
    ]
    return predictions(RankingGP(order=combine(*orders)).fit(), 2)


@door
def predictions_sources() -> Any:
    X = design(30, 2)
    sources = [from_outcomes(X[:12], -losses(X[:12])), from_outcomes(X[12:24], losses(X[12:24]))]
    return predictions(RankingGP(X[24:], -losses(X[24:]), sources=sources).fit(), 2)


@door
def predictions_many() -> Any:
    X = design(300, 2)
    return predictions(RankingGP(X, -losses(X)).fit(), 2)


# --- Ax -------------------------------------------------------------------------------------------


def in_ax(
    parameters: list[Any],
    evaluate: Callable[..., dict[str, float] | None],
    number: int = 9,
    objective: str = "-loss",
    constraints: tuple[str, ...] = (),
    bounds: tuple[str, ...] = (),
    at_once: int = 1,
    **options: Any,
) -> list[Point]:
    """Suggestions after a design of four; ``None`` is a failed trial."""
    from ax.api.client import Client

    from botorch_popbo.ax import popbo_generation_strategy

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


def box(*names: str) -> list[Any]:
    from ax.api.configs import RangeParameterConfig

    return [RangeParameterConfig(name, (0.0, 1.0), "float") for name in names]


def mixed() -> list[Any]:
    from ax.api.configs import ChoiceParameterConfig, RangeParameterConfig

    return [
        RangeParameterConfig("rate", (1e-6, 1.0), "float", scaling="log"),
        RangeParameterConfig("depth", (1, 8), "int"),
        ChoiceParameterConfig("kind", ["a", "b", "c"], "str", is_ordered=False),
    ]


def of_bowl(**p: float) -> dict[str, float]:
    return {"loss": bowl(**p)}


@door
def ax_default() -> Any:
    return in_ax(box("x", "y", "z"), of_bowl)


@door
def ax_mixed() -> Any:
    return in_ax(mixed(), lambda **p: {"loss": mixed_loss(**p)})


@door
def ax_table() -> Any:
    from ax.api.configs import ChoiceParameterConfig

    parameters = [
        ChoiceParameterConfig("depth", [1, 2, 3, 5, 8], "int", is_ordered=True),
        ChoiceParameterConfig("kind", ["a", "b", "c"], "str", is_ordered=False),
    ]
    return in_ax(parameters, lambda **p: {"loss": mixed_loss(1e-2, **p)})


@door
def ax_linear_constraint() -> Any:
    return in_ax(box("x", "y"), of_bowl, bounds=("x + y <= 0.8",))


@door
def ax_outcome_constraint() -> Any:
    def evaluate(x: float, y: float) -> dict[str, float]:
        return {"loss": bowl(x, y), "cost": x + y}

    return in_ax(box("x", "y"), evaluate, constraints=("cost <= 0.7",))


@door
def ax_two_objectives() -> Any:
    def evaluate(x: float, y: float) -> dict[str, float]:
        return {"loss": bowl(x, y), "cost": x + y}

    return in_ax(box("x", "y"), evaluate, objective="-loss, -cost", number=8)


@door
def ax_failures() -> Any:
    return in_ax(box("x", "y"), lambda x, y: None if x > 0.6 else {"loss": bowl(x, y)})


@door
def ax_batches() -> Any:
    return in_ax(box("x", "y"), of_bowl, at_once=3)


@door
def ax_standard_errors() -> Any:
    return in_ax(box("x", "y"), lambda x, y: {"loss": (bowl(x, y), 0.05)})


OPTIONS = {
    "eri": {"acquisition": "eri"},
    "rlcb": {"acquisition": "rlcb"},
    "paper": {"preset": "paper"},
}
DOORS |= {
    f"ax-{name}": lambda options=options: in_ax(box("x", "y"), of_bowl, number=7, **options)
    for name, options in OPTIONS.items()
}


@door
def ax_sources() -> Any:
    import pandas as pd

    rows = [{"x": x, "y": y, "loss": bowl(x, y)} for x, y in design(10, 2).tolist()]
    return in_ax(box("x", "y"), of_bowl, number=5, sources=[pd.DataFrame(rows)])


# --- Optuna ---------------------------------------------------------------------------------------


def in_optuna(
    objective: Callable[[Any], Any], number: int = 9, directions: int = 1, **options: Any
) -> list[Point]:
    """Suggestions of a study with a design of four; an exception is a failed trial."""
    import optuna

    from botorch_popbo.optuna import PoPBOSampler

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    sampler = PoPBOSampler(seed=1, n_startup_trials=4, **options)
    study = optuna.create_study(directions=["minimize"] * directions, sampler=sampler)
    study.optimize(objective, n_trials=number, catch=ZeroDivisionError)
    return [trial.params for trial in study.trials]


def suggest_box(trial: Any, *names: str) -> dict[str, float]:
    return {name: trial.suggest_float(name, 0.0, 1.0) for name in names}


@door
def optuna_default() -> Any:
    return in_optuna(lambda trial: bowl(**suggest_box(trial, "x", "y", "z")))


@door
def optuna_exact() -> Any:
    return in_optuna(
        lambda trial: bowl(**suggest_box(trial, "x", "y")), deterministic_objective=True
    )


@door
def optuna_mixed() -> Any:
    def objective(trial: Any) -> float:
        return mixed_loss(
            trial.suggest_float("rate", 1e-6, 1.0, log=True),
            trial.suggest_int("depth", 1, 8),
            trial.suggest_categorical("kind", ["a", "b", "c"]),
        )

    return in_optuna(objective)


@door
def optuna_steps() -> Any:
    def objective(trial: Any) -> float:
        return bowl(
            trial.suggest_float("x", 0.0, 1.0, step=0.05), trial.suggest_int("n", 1, 900) / 900
        )

    return in_optuna(objective)


@door
def optuna_table() -> Any:
    def objective(trial: Any) -> float:
        kind = trial.suggest_categorical("kind", ["a", "b", "c"])
        return mixed_loss(1e-2, trial.suggest_int("depth", 1, 5), kind)

    return in_optuna(objective)


@door
def optuna_conditional() -> Any:
    def objective(trial: Any) -> float:
        if trial.suggest_categorical("model", ["svm", "forest"]) == "svm":
            return math.log10(trial.suggest_float("C", 1e-3, 1e3, log=True)) ** 2 + 0.1
        return (trial.suggest_int("depth", 1, 10) - 4) ** 2 / 9

    return in_optuna(objective, 12)


@door
def optuna_constraint() -> Any:
    def objective(trial: Any) -> float:
        p = suggest_box(trial, "x", "y")
        trial.set_user_attr("c", p["x"] + p["y"] - 0.7)
        return bowl(**p)

    return in_optuna(objective, constraints_func=lambda trial: [trial.user_attrs["c"]])


@door
def optuna_two_objectives() -> Any:
    def objective(trial: Any) -> tuple[float, float]:
        p = suggest_box(trial, "x", "y")
        return bowl(**p), p["x"] + p["y"]

    return in_optuna(objective, 8, directions=2)


@door
def optuna_failures() -> Any:
    def objective(trial: Any) -> float:
        p = suggest_box(trial, "x", "y")
        return bowl(**p) if p["x"] < 0.6 else 1 / 0

    return in_optuna(objective)


@door
def optuna_pruned() -> Any:
    import optuna

    def objective(trial: Any) -> float:
        value = bowl(**suggest_box(trial, "x", "y"))
        for step in range(3):
            trial.report(value + 1 - step / 3, step)
            if step == 1 and value > 0.5:
                raise optuna.TrialPruned
        return value

    return in_optuna(objective)


@door
def optuna_pending() -> Any:
    import optuna

    from botorch_popbo.optuna import PoPBOSampler

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(sampler=PoPBOSampler(seed=1, n_startup_trials=4))
    study.optimize(lambda trial: bowl(**suggest_box(trial, "x", "y")), n_trials=5)
    trials = [study.ask() for _ in range(3)]
    return [suggest_box(trial, "x", "y") for trial in trials]


# --- one function, judges, the lab ----------------------------------------------------------------


@door
def minimize_mixed() -> Any:
    space: dict[str, Any] = {"rate": (1e-6, 1.0, "log"), "depth": (1, 8), "kind": ["a", "b", "c"]}
    points: list[Point] = []

    def function(rate: float, depth: int, kind: str) -> float:
        points.append({"rate": rate, "depth": depth, "kind": kind})
        return mixed_loss(rate, depth, kind)

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
        search.tell(
            items, winner=int((items - items.new_tensor([0.2, 0.4])).abs().sum(-1).argmin())
        )
    return questions


def in_lab(problem: str, method: str, number: int) -> list[Any]:
    """What a method of the lab suggests after eight random points, by the records it leaves."""
    words = f"compare {problem} --methods {method} --initial 8 --trials {number} --seeds 1"
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "botorch_popbo.benchmarks", *words.split(), "--jobs", "1"]
        subprocess.run([*command, "--output", folder], check=True, capture_output=True)
        [records] = Path(folder).rglob("*.jsonl")
        lines = [json.loads(line) for line in records.read_text().splitlines()]
    return [line["parameters"] for line in lines if "parameters" in line][8:]


SEARCHED = {
    "branin": ("branin", "popbo", 3),
    "hartmann6": ("hartmann6", "popbo", 3),
    "mixed": ("sklearn-digits", "popbo", 2),
    "paper": ("branin", "popbo-eri", 2),
}
DOORS |= {f"lab-{name}": partial(in_lab, *words) for name, words in SEARCHED.items()}


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


def difference(recorded: Any, found: Any) -> str | None:
    """Where two records depart first, and the largest difference; ``None`` if they are equal."""
    old, new = dict(leaves(recorded)), dict(leaves(found))
    if old.keys() != new.keys():
        return f"other places: {sorted(old.keys() ^ new.keys())[:3]}"
    departed = [place for place in old if old[place] != new[place]]
    if not departed:
        return None
    numbers = [
        abs(old[place] - new[place]) if isinstance(old[place], float) else math.inf
        for place in departed
    ]
    first = departed[0]
    change = f"{old[first]!r}, now {new[first]!r}"
    return f"first at {first}: {change}; largest difference {max(numbers):.2g}"


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
    torch.set_num_threads(1)
    names = [name for name in DOORS if name.startswith(tuple(arguments.doors or [""]))]
    recorded = json.loads(FILE.read_text()) if FILE.exists() else {}
    departed = False
    for name in names:
        start = time.perf_counter()
        try:
            found = suggest(name)
            text = (
                "recorded"
                if arguments.action == "record"
                else difference(recorded.get(name), found)
            )
        except Exception as error:  # one broken door does not hide the others
            found, text = None, f"{type(error).__name__}: {error}"
        print(f"{name}: {text or 'identical'} ({time.perf_counter() - start:.1f} s)", flush=True)
        departed |= text not in (None, "recorded")
        if arguments.action == "record" and found is not None:
            recorded[name] = found
    if arguments.action == "record":
        FILE.write_text(json.dumps(recorded, indent=1, sort_keys=True) + "\n")
    sys.exit(int(departed))


if __name__ == "__main__":
    main()
