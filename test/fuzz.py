"""Random models, studies of Optuna, experiments of Ax: no NaN, no hang, no error of others.

``studies``, ``experiments`` and ``optimizers`` are searched in batches and partly fixed, and repeat
no point.
``python test/fuzz.py --number 10000`` prints each case that breaks a promise, with its number, and
exits with their count; ``--first 17 --number 1`` repeats one. The same seed draws the same cases.
"""

import argparse
import logging
import math
import signal
import sys
import traceback
import warnings
from collections.abc import Callable
from contextlib import redirect_stdout, suppress
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import optuna
import torch
from ax.api.client import Client
from ax.api.configs import ChoiceParameterConfig, RangeParameterConfig
from botorch.exceptions import BotorchTensorDimensionError, InputDataError, UnsupportedError
from optuna.trial import TrialState
from torch import Tensor

import botorch_popbo
from botorch_popbo import (
    ExpectedRankingImprovement,
    LogExpectedFrontImprovement,
    LogExpectedUtilityImprovement,
    Optimizer,
    PoissonRankModel,
    RankingGP,
    RankModel,
    RectifiedLowerConfidenceBound,
)
from botorch_popbo._reproducible import derive_seed
from botorch_popbo.ax import popbo_generation_strategy
from botorch_popbo.benchmarks.cli import main as main_of_popbo
from botorch_popbo.optuna import PoPBOSampler

MAX_SECONDS = 30
PACKAGE = Path(botorch_popbo.__file__).parent
OF_RANKS: list[Callable[[Any], Any]] = [ExpectedRankingImprovement, RectifiedLowerConfidenceBound]
OF_UTILITIES: list[Callable[[Any], Any]] = [
    LogExpectedUtilityImprovement,
    lambda model: LogExpectedUtilityImprovement(model, slack_models=[model]),
    lambda model: LogExpectedFrontImprovement([model, model]),
]
#: Outcomes made of plain ones, by a source of chance.
KINDS: tuple[Callable[[Tensor, torch.Generator], Tensor], ...] = (
    lambda Y, _: Y,
    lambda Y, _: (3.0 * Y).round(),  # ties
    lambda Y, g: Y.where(uniform(g, len(Y)) > 0.5, -torch.inf),  # failures
    lambda Y, _: Y * 1e300,
    lambda Y, _: Y * 1e-300,
    lambda Y, _: torch.zeros_like(Y),
    lambda Y, g: Y.where(uniform(g, len(Y)) > 0.2, 1e6 * Y),  # outliers
)


def uniform(generator: torch.Generator, *shape: int) -> Tensor:
    return torch.rand(*shape, generator=generator, dtype=torch.double)


def pick(generator: torch.Generator, *choices: Any) -> Any:
    return choices[int(torch.randint(len(choices), (1,), generator=generator))]


def draw(seed: int) -> tuple[RankModel, Tensor]:
    """A fitted model, and points to ask it about."""
    generator = torch.Generator().manual_seed(seed)
    number, dim = (
        int(torch.randint(low, high, (1,), generator=generator)) for low, high in ((1, 61), (1, 13))
    )
    X = uniform(generator, number, dim)
    if pick(generator, True, False):  # duplicates
        X = X[torch.randint(number, (number,), generator=generator)]
    if pick(generator, True, False):  # a grid
        X = (3.0 * X).round() / 3.0
    kind = pick(generator, *KINDS)
    Y = -(X - 0.4).square().sum(-1) + 0.1 * torch.randn(len(X), generator=generator).double()
    Y = kind(Y, generator).unsqueeze(-1)
    dtype = pick(generator, torch.double, torch.float)
    # In a box of 1e-300 a slope of 1e8 a box is no number.
    scales = (1.0, 1.0, 1e-10, 1e30) + ((1e-250, 1e300) if dtype is torch.double else ())
    scale, query = pick(generator, *scales), uniform(generator, 4, dim)
    if dtype is torch.float:
        Y = Y.clamp(-1e38, 1e38).where(Y.isfinite(), Y)
    make = pick(generator, RankingGP, RankingGP, PoissonRankModel, PoissonRankModel.paper)
    model = make((scale * X).to(dtype), Y.to(dtype)).fit()
    far = 3.0 * query - 1.0
    return model, (scale * torch.cat([query, X[:3], far])).to(dtype)


def check(seed: int) -> None:
    """Raise an error if something is not finite."""
    model, X = draw(seed)
    points = X.unsqueeze(-2).requires_grad_()
    ranks, posterior = model.rank_posterior(points), model.posterior(points)
    values = [
        ("posterior mean", posterior.mean),
        ("posterior variance", posterior.variance),
        ("rank mean", ranks.mean),
        ("rank variance", ranks.variance),
        ("rank log-rate", ranks.log_rate),
    ]
    for make in [*OF_RANKS, *(OF_UTILITIES if model.has_uncertainty else [])]:
        function = make(model)
        values.append((type(function).__name__, function(points)))
    for name, value in values:
        if not bool(value.isfinite().all()):
            raise AssertionError(f"{name} is not finite")
        if "variance" in name and bool((value < 0.0).any()):
            raise AssertionError(f"{name} is negative")
        if value.requires_grad:
            [gradient] = torch.autograd.grad(value.sum(), points, retain_graph=True)
            if not bool(gradient.isfinite().all()):
                raise AssertionError(f"the gradient of {name} is not finite")


def check_study(seed: int) -> None:
    """Search a random space of Optuna, partly fixed, with ranges that depend on others, in batches.

    Raises:
        AssertionError: If a fixed value is not kept, or a point comes twice.
    """
    generator = torch.Generator().manual_seed(seed)
    width, is_dynamic = pick(generator, 1.0, 1e-8, 1e6), pick(generator, True, True, False)
    curve, is_mixed = pick(generator, 1.0, 1.0, 2.0, 0.5), pick(generator, True, False)
    outcome = pick(generator, "distance", "edge", "equal", "failing")
    more = torch.Generator().manual_seed(seed + 1)
    has_child, is_part = pick(more, True, False, False), pick(more, True, False, False)

    def objective(trial: optuna.Trial) -> float:
        a = trial.suggest_float("a", 0.0, width)
        rest = width * (1.0 - (a / width) ** curve) if is_dynamic else width
        b = trial.suggest_float("b", 0.0, rest)
        n = trial.suggest_int("n", 0, 9) if is_mixed else 0
        m = trial.suggest_int("m", 0, 9 - n if is_dynamic else 9) if is_mixed else 0
        kind = trial.suggest_categorical("kind", ["u", "v"]) if is_mixed else "u"
        if kind == "v" and has_child:  # asked for beside one choice only, of a range of its own
            trial.suggest_float("c", 0.0, rest)
        if outcome == "failing" and a < 0.3 * width:
            return math.nan
        distance = abs(a / width - 0.3) + abs(b / width - 0.4) + (kind == "v") + abs(n + m - 5)
        return {"equal": 0.0, "edge": -(a + b) / width}.get(outcome, distance)

    sampler: Any = PoPBOSampler(seed=seed % 2**31, n_startup_trials=4)
    if is_part:
        sampler = optuna.samplers.PartialFixedSampler({"a": 0.25 * width}, sampler)
    study, fixed = optuna.create_study(sampler=sampler), dict[int, dict[str, Any]]()
    for _ in range(pick(generator, 3, 4)):
        number = len(study.trials)
        for index in range(pick(generator, 0, 0, 1, 2)):
            part = pick(generator, {"a": 0.75 * width}, {"b": 0.0}, {"a": 0.5 * width, "b": 0.0})
            fixed[number + index] = part
            study.enqueue_trial(part)
        asked = [study.ask() for _ in range(4)]
        values = [objective(trial) for trial in asked]
        late = pick(more, 0, 0, 1)  # which goes on running
        for trial, value in [*zip(asked, values, strict=True)][late:]:
            state = TrialState.FAIL if math.isnan(value) else TrialState.COMPLETE
            study.tell(trial, None if math.isnan(value) else value, state=state)
    points = [tuple(trial.params.items()) for trial in study.trials]
    for index, part in fixed.items():
        if part.items() - study.trials[index].params.items():
            raise AssertionError(f"trial {index} is not where it was fixed: {part}")
    free = [point for index, point in enumerate(points) if index not in fixed]
    if len(set(free)) < len(free):
        raise AssertionError("a point comes twice")


def check_experiment(seed: int) -> None:
    """Search a random space of Ax, partly fixed, in batches of which some arms fail.

    Raises:
        AssertionError: If a fixed value is not kept, or a point comes twice.
    """
    generator = torch.Generator().manual_seed(seed)
    width, outcome = pick(generator, 1.0, 1.0, 1e6), pick(generator, "distance", "edge", "equal")
    own: list[Any] = [RangeParameterConfig("a", (0.0, width), "float")]
    own += [RangeParameterConfig("n", (0, 9), "int")] * pick(generator, 0, 1)
    own += [RangeParameterConfig("g", (0.0, 1.0), "float", step_size=0.25)] * pick(generator, 0, 1)
    own += [ChoiceParameterConfig("kind", ["u", "v"], "str")] * pick(generator, 0, 1)
    own += [RangeParameterConfig("b", (0.0, 1.0), "float")]
    client, points = Client(random_seed=seed % 2**31), list[tuple[Any, ...]]()
    limits = [["a + b <= 1.2"]] if width == 1.0 else []
    client.configure_experiment(own, parameter_constraints=pick(generator, None, *limits))
    client.configure_optimization("-y")
    options: dict[str, Any] = {"num_initial_trials": 4, "seed": seed % 2**31}
    client.set_generation_strategy(popbo_generation_strategy(**options))
    for _ in range(3):
        part = pick(generator, None, None, {"a": 0.75 * width}, {"b": 0.25})
        for index, x in client.get_next_trials(3, fixed_parameters=part).items():
            if part and part.items() - x.items():
                raise AssertionError(f"{x} is not where it was fixed: {part}")
            points.append(tuple(x.items()))
            y = abs(x["a"] / width - 0.3) + abs(x["b"] - 0.4) + x.get("n", 0) / 9
            edge = -x["a"] / width
            if pick(generator, True, True, True, False):
                client.complete_trial(index, {"y": {"equal": 0.0, "edge": edge}.get(outcome, y)})
            else:
                client.mark_trial_failed(index)
    if len(set(points)) < len(points):
        raise AssertionError("a point comes twice")


def check_optimizer(seed: int) -> None:
    """Ask and tell over a random space or list, in any order, with what is told and failed.

    Raises:
        AssertionError: If a fixed value is not kept, if a point comes twice though none may, if one
            is not of the space, or if what is read from a file goes on differently.
    """
    generator = torch.Generator().manual_seed(seed)
    tree = {"u": {"b": (0.0, 1.0)}, "v": {"n": (0, 9), "b": (0.0, 1.0)}, "w": {}}
    plain = {"a": (1e-3, 1.0, "log"), "kind": ["u", "v"], "n": (0, 9)}
    rows = [
        {"a": a, "kind": kind, "n": n}
        for a in (0.1, 0.2, 0.9)
        for kind, n in zip("uuvw", (1, 2, 3, None), strict=True)
    ]
    space: Any = pick(generator, plain, {"a": (0.0, 1.0), "kind": tree}, rows)
    goals: Any = pick(generator, "maximize", "minimize", {"y": "maximize", "z": "minimize"})
    limits = pick(generator, None, {"c": (None, 0.5)}, {"c": (0.2, 1.0)})
    options: dict[str, Any] = {"constraints": limits, "n_initial": 3}
    optimizer = Optimizer(space, goals, **options)
    asked: list[dict[str, Any]] = []
    for _ in range(4):
        fixed = pick(generator, {}, {}, {"kind": "v"}, {"kind": "u", "a": 0.2})
        batch = optimizer.ask(pick(generator, 1, 1, 2, 3), fixed)
        if not batch and not fixed and space is not rows:
            raise AssertionError("nothing is left of an endless space")
        if any(fixed.items() - point.items() for point in batch):
            raise AssertionError(f"{batch} is not where it was fixed: {fixed}")
        if space is rows and any(point not in rows for point in batch):
            raise AssertionError(f"{batch} is not on the list")
        asked += batch
        for index in torch.randperm(len(optimizer.pending), generator=generator).tolist()[:3]:
            point = [*optimizer.pending][min(index, len(optimizer.pending) - 1)]
            y = pick(generator, -point["a"], 1.0, point.get("n") or 0.0, None, math.nan)
            names = dict.fromkeys(optimizer.outcomes, y)
            told = None if y is None else names | {"c": point["a"]} if limits else names
            optimizer.tell(point, told, standard_error=pick(generator, None, 0.0, 0.1))
        if pick(generator, True, False, False):
            with TemporaryDirectory() as folder:
                optimizer.save(path := Path(folder) / "state.json")
                before, optimizer = optimizer, Optimizer.load(path)
            if (again := before.ask(2)) != optimizer.ask(2):
                raise AssertionError(f"what was read goes on differently than {again}")
            asked += again
        with suppress(RuntimeError):
            optimizer.explain(optimizer.front[0])
    if len({*map(repr, asked)}) < len(asked):
        raise AssertionError("a point comes twice")


def check_sheet(seed: int) -> None:
    """Fill in cells of a table of any writing at random, and let rows be written below it.

    Raises:
        AssertionError: If a byte that was there has changed, no page is there, or it fails.
    """
    generator = torch.Generator().manual_seed(seed)
    separator, end = pick(generator, ",", ";", "\t"), pick(generator, "\n", "\r\n")
    encoding, mark = pick(generator, "utf-8", "utf-8-sig", "cp1252"), pick(generator, ".", ",")
    mark = "." if separator == "," else mark

    def number() -> str:
        return f"{float(uniform(generator, 1)) * 90:.{pick(generator, 0, 1, 2)}f}".replace(
            ".", mark
        )

    def result() -> str:
        return str(pick(generator, "", "failed", f"<{number()}", number(), f" {number()}"))

    names = ["Nr", "T [°C]", "Lösung", "Ausbeute"]
    solvents = ["Wasser", "2-Äthyl", '"a b"', "x"]
    rows = [[str(i), number(), pick(generator, *solvents), result()] for i in range(1, 6)]
    with TemporaryDirectory() as folder, redirect_stdout(StringIO()):
        path = Path(folder) / "lab.csv"
        lines = [separator.join(row) for row in [names, *rows]]
        path.write_bytes(end.join(lines).encode(encoding))
        main_of_popbo(["next", str(path)])
        for _ in range(3):
            before = path.read_bytes()
            status = main_of_popbo(["next", str(path), "-n", str(pick(generator, 1, 2, 5))])
            after = path.read_bytes()
            if status != 0 or not after.startswith(before):
                raise AssertionError(f"{status}: {before!r} became {after!r}")
            path.with_suffix(".html").unlink()  # which is written each time
            filled = [  # as somebody would in a spreadsheet
                line + result() if line.strip(separator) and line.endswith(separator) else line
                for line in after.decode(encoding).split(end)
            ]
            filled += pick(generator, [], [""], [separator * 3])
            path.write_bytes(end.join(filled).encode(encoding))


def is_refused_by_us(error: BaseException) -> bool:
    """Whether an error is one of those that the package documents, and raised by itself."""
    if not isinstance(error, InputDataError | UnsupportedError | BotorchTensorDimensionError):
        return False
    last = traceback.extract_tb(error.__traceback__)[-1].filename
    return Path(last).is_relative_to(PACKAGE) and bool(str(error))


def run(first: int, number: int, seed: int = 0, check: Callable[[int], None] = check) -> list[str]:
    """What is wrong with so many cases.

    Args:
        first: Number of the first case.
        number: How many there are.
        seed: Seed of all of them.
        check: What is asked of each.

    Returns:
        A line for each case that breaks a promise.
    """

    def stop(*_: object) -> None:
        raise TimeoutError(f"took more than {MAX_SECONDS} seconds")

    signal.signal(signal.SIGPROF, stop)  # of process time: a machine may be busy
    wrong = []
    for case in range(first, first + number):
        signal.setitimer(signal.ITIMER_PROF, MAX_SECONDS)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                check(derive_seed(seed, case))
        except Exception as error:
            if not is_refused_by_us(error):
                wrong.append(f"case {case}: {type(error).__name__}: {error}")
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
    return wrong


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--number", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    checks = {"models": check, "studies": check_study, "experiments": check_experiment}
    checks |= {"optimizers": check_optimizer, "sheets": check_sheet}
    parser.add_argument("what", nargs="?", choices=checks, default="models")
    options = parser.parse_args()
    torch.set_num_threads(1)
    logging.disable(logging.WARNING)
    wrong = 0
    for case in range(options.first, options.first + options.number):
        for line in run(case, 1, options.seed, checks[options.what]):
            wrong += 1
            print(line, flush=True)
    print(f"{wrong} of {options.number} cases break a promise")
    sys.exit(min(wrong, 1))


if __name__ == "__main__":
    main()
