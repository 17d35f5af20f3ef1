"""Short searches for every promise of the docs, by interfaces that old versions have, too.

A search takes a seed and a number of evaluations. It returns the regret after each: that of the
best evaluated point, without noise; of the recommended one, every ten trials; of a judge's
champion; or the share of volume a front lacks.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from random import Random
from typing import Any

import optuna
import torch
from optuna.trial import Trial, TrialState

from .problems import Cube, Notation, Problem, coco, function, table, tuning

Search = Callable[[int, int], list[float]]


@dataclass(frozen=True)
class Suite:
    """Searches for one promise.

    Attributes:
        budgets: Numbers of evaluations after which regrets count; the last one ends the search.
        searches: By the name of the problem. What stands before a slash is its family.
    """

    budgets: tuple[int, ...]
    searches: Mapping[str, Search]


# --- outcomes -------------------------------------------------------------------------------------

#: The outcome of a problem's point that has such a regret; ``None`` is a failure.
Outcome = Callable[[Any, Mapping[str, Any], float, Random], float | None]


def exact(problem: Problem, point: Mapping[str, Any], regret: float, random: Random) -> float:
    return regret


def failing(cube: Cube, point: Mapping[str, float], regret: float, random: Random) -> float | None:
    """Half of the cube fails."""
    return regret if cube.is_near(list(point.values()), 0.5) else None


def penalized(
    penalty: float, cube: Cube, point: Mapping[str, float], regret: float, random: Random
) -> float:
    """Four fifths of the cube return a penalty."""
    return regret if cube.is_near(list(point.values()), 0.2) else penalty


def outliers(cube: Cube, point: Mapping[str, float], regret: float, random: Random) -> float:
    """One in seven is ten random regrets off, to either side."""
    return regret + (10.0 * random.choice((-1, 1)) if random.random() < 1 / 7 else 0.0)


def student(cube: Cube, point: Mapping[str, float], regret: float, random: Random) -> float:
    """Noise of two degrees of freedom, its scale a tenth of a random regret."""
    return regret + 0.1 * random.gauss(0.0, 1.0) / math.sqrt(random.expovariate(1.0))


# --- doors ----------------------------------------------------------------------------------------

#: Asks a trial for a point; returns its regret and the outcome.
Objective = Callable[[Trial, Random], tuple[float, Any]]


def study(
    objective: Objective,
    seed: int,
    number: int,
    at_once: int = 1,
    directions: int = 1,
    recommended: bool = False,
    **options: Any,
) -> list[float]:
    """The best regret so far after each trial of Optuna's, or the recommended trial's."""
    from botorch_popbo.optuna import PoPBOSampler

    sampler = PoPBOSampler(seed=seed, **options)
    study = optuna.create_study(directions=["minimize"] * directions, sampler=sampler)
    regrets, verdicts, random = list[float](), [math.inf], Random(seed)
    for _ in range(0, number, at_once):
        for trial in [study.ask() for _ in range(at_once)]:
            regret, outcome = objective(trial, random)
            regrets.append(regret)
            study.tell(trial, outcome, TrialState.FAIL if outcome is None else None)
        is_asked = recommended and not len(regrets) % 10
        best = regrets[sampler.best_trial(study).number] if is_asked else verdicts[-1]
        verdicts.append(best)
    return verdicts[1:] if recommended else list(accumulate(regrets, min))


def suggest(trial: Trial, space: Notation) -> dict[str, Any]:
    """Ask for a point of a space."""
    point: dict[str, Any] = {}
    for name, values in space.items():
        if isinstance(values[0], str | bool):
            point[name] = trial.suggest_categorical(name, values)
            continue
        low, high, *log = values
        kind = trial.suggest_int if isinstance(high, int) else trial.suggest_float
        point[name] = kind(name, low, high, log=bool(log))
    return point


def in_optuna(
    make: Callable[[], Problem], seed: int, number: int, outcome: Outcome = exact, **options: Any
) -> list[float]:
    problem = make()

    def objective(trial: Trial, random: Random) -> tuple[float, float | None]:
        point = suggest(trial, problem.space)
        regret = problem(**point)
        return regret, outcome(problem, point, regret, random)

    return study(objective, seed, number, **options)


def in_minimize(make: Callable[[], Problem], seed: int, number: int) -> list[float]:
    from botorch_popbo import minimize

    problem, regrets = make(), list[float]()

    def evaluate(**point: Any) -> float:
        regrets.append(problem(**point))
        return regrets[-1]

    minimize(evaluate, problem.space, number, seed=seed, n_initial=10, progress=False)
    return list(accumulate(regrets, min))


def in_ax(make: Callable[[], Problem], seed: int, number: int) -> list[float]:
    from ax.api.client import Client
    from ax.api.configs import RangeParameterConfig

    from botorch_popbo.ax import popbo_generation_strategy

    problem, regrets = make(), list[float]()
    client = Client(random_seed=seed)
    client.configure_experiment(
        [RangeParameterConfig(name, ends, "float") for name, ends in problem.space.items()]
    )
    client.configure_optimization("-loss")
    client.set_generation_strategy(popbo_generation_strategy(num_initial_trials=10, seed=seed))
    for _ in range(number):
        [(index, point)] = client.get_next_trials(max_trials=1).items()
        regrets.append(problem(**point))
        client.complete_trial(index, raw_data={"loss": regrets[-1]})
    return list(accumulate(regrets, min))


def in_botorch(make: Callable[[], Cube], seed: int, number: int) -> list[float]:
    """In single precision, far from zero, and one outcome is far off."""
    from botorch.optim import optimize_acqf

    from botorch_popbo import LogExpectedUtilityImprovement, RankingGP, rank_initial_conditions

    cube = make()
    X = torch.quasirandom.SobolEngine(cube.dim, scramble=True, seed=seed).draw(10)
    bounds = torch.stack([torch.zeros(cube.dim), torch.ones(cube.dim)])
    torch.manual_seed(seed)
    while len(X) < number:
        Y = torch.tensor([[1000.0 - 0.1 * cube.regret(x)] for x in X.tolist()])
        Y[3] = 990.0
        acqf = LogExpectedUtilityImprovement(RankingGP(X, Y).fit())
        options: dict[str, Any] = {"num_restarts": 4, "raw_samples": 128}
        options["ic_generator"] = rank_initial_conditions
        X = torch.cat([X, optimize_acqf(acqf, bounds, q=1, **options)[0]])
    return list(accumulate(map(cube.regret, X.tolist()), min))


def by_judge(make: Callable[[], Cube], seed: int, number: int) -> list[float]:
    """Of the champion; one answer in ten is wrong."""
    from botorch_popbo import PreferenceSearch

    cube, random, regrets = make(), Random(seed), list[float]()
    bounds = torch.tensor([[0.0] * cube.dim, [1.0] * cube.dim], dtype=torch.double)
    search = PreferenceSearch(bounds, seed=seed)
    for _ in range(number):
        items = search.ask()
        champion, rival = map(cube.regret, items.tolist())
        regrets.append(champion)
        search.tell(items, int((rival < champion) != (random.random() < 0.1)))
    return regrets


# --- objectives of Optuna's alone -----------------------------------------------------------------


def constrained(make: Callable[[], Cube], seed: int, number: int) -> list[float]:
    """A point that violates a constraint has an outcome, too."""
    cube = make()

    def objective(trial: Trial, random: Random) -> tuple[float, float]:
        x = list(suggest(trial, cube.space).values())
        X = torch.tensor([x], dtype=torch.double)
        assert cube.slack is not None
        trial.set_user_attr("violations", (-cube.slack(X)).squeeze(0).tolist())
        return cube.regret(x), float(cube.value(X))

    def violations(trial: Any) -> Sequence[float]:
        return trial.user_attrs["violations"]

    return study(objective, seed, number, constraints_func=violations)


def front(title: str, seed: int, number: int, **options: int) -> list[float]:
    """The share of the volume that is known to be there that is not dominated."""
    from botorch.test_functions import multi_objective
    from botorch.utils.multi_objective.hypervolume import Hypervolume
    from botorch.utils.multi_objective.pareto import is_non_dominated

    test = getattr(multi_objective, title)(dtype=torch.double, **options)
    low, high = test.bounds.double()
    volume, Y = Hypervolume(-test.ref_point), list[list[float]]()

    def objective(trial: Trial, random: Random) -> tuple[float, list[float]]:
        x = [trial.suggest_float(f"x{i}", 0.0, 1.0) for i in range(test.dim)]
        point = low + torch.tensor(x, dtype=torch.double) * (high - low)
        Y.append(test.evaluate_true(point.unsqueeze(0)).squeeze(0).tolist())
        found = -torch.tensor(Y, dtype=torch.double)
        return 1.0 - volume.compute(found[is_non_dominated(found)]) / test.max_hv, Y[-1]

    return study(objective, seed, number, directions=test.num_objectives)


def branches(names: Sequence[str], seed: int, number: int) -> list[float]:
    """Every choice is a function of columns of its own; that of the last reaches zero."""

    def objective(trial: Trial, random: Random) -> tuple[float, float]:
        name = trial.suggest_categorical("function", names)
        cube = function(name)
        x = [trial.suggest_float(f"{name}-{i}", 0.0, 1.0) for i in range(cube.dim)]
        regret = cube.regret(x) + 0.1 * (name != names[-1])
        return regret, regret

    return study(objective, seed, number)


def layers(deepest: int, best: int, seed: int, number: int) -> list[float]:
    """Every layer has a width and a rate, and the number of layers is a parameter."""

    def objective(trial: Trial, random: Random) -> tuple[float, float]:
        depth = trial.suggest_int("depth", 1, deepest)
        regret = 0.3 * abs(depth - best)
        for layer in range(depth):
            width = trial.suggest_int(f"width-{layer}", 8, 512, log=True)
            rate = trial.suggest_float(f"rate-{layer}", 1e-4, 1.0, log=True)
            error = math.log2(width / 64) / 3, math.log10(rate / 1e-3) / 2 - 0.2 * layer
            regret += (error[0] ** 2 + error[1] ** 2 + error[0] * error[1]) / depth
        return regret, regret

    return study(objective, seed, number)


# --- suites ---------------------------------------------------------------------------------------

FEW = ("Branin", "Hartmann", "Levy-4", "StyblinskiTang-4", "Ackley-4", "Griewank-5")
COCO = {
    "separable": (2, 3),
    "moderate": (8, 9),
    "ill-conditioned": (10, 12),
    "multimodal": (15, 17),
    "weak structure": (21, 24),
}


def of(
    *names: str, door: Callable[..., list[float]] = in_optuna, **options: Any
) -> dict[str, Search]:
    """A search of each function."""
    return {name: partial(door, partial(function, name), **options) for name in names}


def tuned(suite: str) -> dict[str, Search]:
    """A search of each problem of a suite."""
    problems = tuning(suite)
    return {name: partial(in_optuna, partial(problems.get, name)) for name in problems}


SUITES: dict[str, Suite] = {
    "smooth": Suite((15, 20, 30), of(*FEW, "Rosenbrock-6", "Powell-8")),
    "coco": Suite(
        (20, 30, 40),
        {
            f"{group}/f{number}": partial(in_optuna, partial(coco, number))
            for group, numbers in COCO.items()
            for number in numbers
        },
    ),
    "columns-20": Suite(
        (50, 60), of("Rosenbrock-20", "Levy-20", "StyblinskiTang-20", "DixonPrice-20")
    ),
    "columns-50": Suite(
        (30, 40), of("Hartmann-6-50", "Levy-3-50", "StyblinskiTang-3-50", "Ackley-3-50")
    ),
    "tuning": Suite((15, 20, 30), tuned("tuning")),
    "boosting": Suite((15, 20, 30), tuned("boosting")),
    "conditional": Suite(
        (20, 30),
        {
            "branches/two": partial(branches, ("Branin", "Levy-4")),
            "branches/three": partial(branches, ("Levy-3", "Beale", "Hartmann")),
            "branches/four": partial(branches, ("Ackley-2", "Levy-2", "Hartmann", "Branin")),
            "layers/three": partial(layers, 3, 2),
            "layers/five": partial(layers, 5, 3),
            "layers/eight": partial(layers, 8, 3),
        },
    ),
    "constraints": Suite(
        (20, 30),
        of(
            "ConstrainedGramacy",
            "ConstrainedHartmann",
            "TensionCompressionString",
            door=constrained,
        ),
    ),
    "fronts": Suite(
        (20, 30),
        {
            "BraninCurrin": partial(front, "BraninCurrin"),
            "DTLZ2/two": partial(front, "DTLZ2", dim=4, num_objectives=2),
            "DTLZ2/three": partial(front, "DTLZ2", dim=4, num_objectives=3),
            "ZDT1": partial(front, "ZDT1", dim=4, num_objectives=2),
            "VehicleSafety": partial(front, "VehicleSafety"),
            "Penicillin": partial(front, "Penicillin"),
        },
    ),
    "batches": Suite((24, 32, 40), of(*FEW, at_once=8)),
    "failures": Suite((20, 30), of(*FEW, outcome=failing)),
    "penalties": Suite(
        (20, 30),
        {
            f"{name}/{penalty:.0e}": search
            for penalty in (1e12, 1e15)
            for name, search in of(*FEW[:4], outcome=partial(penalized, penalty)).items()
        },
    ),
    "outliers": Suite((20, 30), of(*FEW, outcome=outliers)),
    "student": Suite((20, 30), of(*FEW, outcome=student)),
    "tables": Suite(
        (20, 30), {name: partial(in_minimize, partial(table, name, 6)) for name in FEW[1:]}
    ),
    "exact": Suite((15, 20, 30), of(*FEW, deterministic_objective=True)),
    "float32": Suite((15, 20, 30), of(*FEW, door=in_botorch)),
    "ax": Suite((15, 20), of("Branin", "Hartmann", "Levy-4", door=in_ax)),
    "judges": Suite(
        (20, 30), of("Branin", "Levy-2", "StyblinskiTang-3", "Hartmann", door=by_judge)
    ),
    "order-only": Suite((15, 20, 30), of(*FEW, order_only=True)),
    "recommended": Suite(
        (20, 40),
        {
            f"{name}/{way}": search
            for way, outcome in (("outliers", outliers), ("student", student))
            for name, search in of(*FEW[:4], outcome=outcome, recommended=True).items()
        }
        | {
            f"rough/f{number}": partial(in_optuna, partial(coco, number), recommended=True)
            for number in (3, 15, 17, 20, 21, 24)
        },
    ),
    "long": Suite(
        (40, 80),
        of("Branin", "Levy-4", "Rosenbrock-6", "Hartmann")
        | {f"{name}/student": search for name, search in of(*FEW[:2], outcome=student).items()},
    ),
}
