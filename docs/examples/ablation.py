"""What each mechanism of the default search is worth today: with and without it, one at a time.

``POPBO_DATA=DIR python docs/examples/ablation.py FILE.csv --seeds 2`` runs what the
file lacks, the whole search first, and prints a table; mechanisms may be named. Runs are paired by
problem and seed, and what ends is written at once. ``--seeds 0`` prints the table alone.
"""

import argparse
import csv
import math
import os
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from statistics import fmean, median, stdev
from unittest.mock import patch

os.environ.setdefault("OMP_NUM_THREADS", "1")

import torch
from botorch.utils.sampling import draw_sobol_samples
from torch import Tensor

from botorch_popbo.benchmarks.own.table import TableSource
from botorch_popbo.benchmarks.problems import PROBLEMS
from botorch_popbo.benchmarks.problems.goals import GOALS
from botorch_popbo.benchmarks.settings import Parameters
from botorch_popbo.models.records import neighbours
from botorch_popbo.search.starts import centers_of
from botorch_popbo.search.suggest import Search
from botorch_popbo.search.trials import Trial, Trials
from botorch_popbo.settings import AcquisitionSettings, ModelSettings, SearchSettings, Settings
from botorch_popbo.space import Parameter, Space

BUDGETS = (10, 20, 40, 60)  # after the first, the design, all searches of a problem are the same
WHOLE = "whole"
PENALTY = 1e12
# Regrets below this share of the design's are as good as none; where no optimum is known the best
# of all runs stands for it, of which fewer digits are known.
FLOOR, FLOOR_OF_FOUND = 1e-4, 1e-2
LIMIT = 2.0  # decades that a run counts at most

# --- problems -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Task:
    """What is minimized.

    Attributes:
        space: The space.
        evaluate: Of a point and a seed of the noise the outcome, ``None`` if it failed, and slacks.
        score: The value without noise, where there is noise: then the recommended point counts, and
            else the best outcome.
        best: The least value, if it is known.
        num_slacks: The number of slacks.
    """

    space: Space
    evaluate: Callable[[Parameters, int], tuple[float | None, Sequence[float]]]
    score: Callable[[Parameters], float] | None = None
    best: float | None = None
    num_slacks: int = 0


def registered(name: str, data: Path | None, penalty: float | None = None, step: float = 0) -> Task:
    """A problem of the lab's; failures may return a penalty, and outcomes may be rounded."""
    problem = PROBLEMS[name].load(data)
    sign = 1.0 if problem.minimize else -1.0

    def evaluate(parameters: Parameters, seed: int) -> tuple[float | None, Sequence[float]]:
        outcome = problem.evaluate(parameters, seed)
        if outcome is None:
            return penalty, ()
        return sign * (round(outcome / step) * step if step else outcome), ()

    best = None if problem.optimal_value is None or step else sign * problem.optimal_value
    score = (lambda parameters: sign * problem.score(parameters)) if problem.noisy else None
    return Task(problem.space, evaluate, score, best)


def constrained(name: str, data: Path | None) -> Task:
    """One of the lab's objectives under constraints."""
    problem = GOALS[name]()

    def evaluate(parameters: Parameters, seed: int) -> tuple[float | None, Sequence[float]]:
        [value], slacks = problem.evaluate([float(x) for x in parameters.values()])
        return value, slacks

    space = Space({f"x{i}": Parameter(*ends) for i, ends in enumerate(problem.bounds)})
    return Task(space, evaluate, num_slacks=problem.shape[1])


def laboratory(name: str, data: Path | None) -> Task:
    """A table of yields, most columns of which are names of substances."""
    problem = TableSource.find((data or Path()) / "lab" / f"{name}.csv", "yield", (), True).load()
    best = -float(problem.table.means.max())
    return Task(problem.space, lambda point, seed: (-problem.score(point), ()), best=best)


@dataclass(frozen=True)
class Case:
    """A problem by its suite, its kin, the length of its searches, and what makes it."""

    suite: str
    family: str
    evaluations: int
    make: Callable[[Path | None], Task]


def _cases() -> Iterable[tuple[str, Case]]:
    """Problems by name; what stands before a dash is the family, but of COCO's and of tuning."""

    def listed(suite: str, evaluations: int, names: str) -> Iterable[tuple[str, Case]]:
        for name in names.split():
            family = name if name.startswith(("bbob", "tuning")) else name.split("-")[0]
            yield name, Case(suite, family, evaluations, partial(registered, name))

    yield from listed(
        *("smooth", 60, "branin hartmann6 rosenbrock6 levy6 shekel4 sixhumpcamel2 ackley8")
    )
    numbers = (6, 8, 10, 12, 15, 17, 20, 21)
    yield from listed("COCO", 60, " ".join(f"bbob-f{number}-d5-i4" for number in numbers))
    yield from listed(
        *("noise", 60, "branin-gaussian branin-outliers hartmann6-student hartmann6-outliers"),
    )
    noisy = "bbob-noisy-f104-d5-i4 bbob-noisy-f115-d3-i4 bbob-noisy-f128-d3-i4"
    yield from listed("noise", 60, f"rosenbrock2-student {noisy}")
    yield from listed("failures", 60, "branin-failures hartmann6-failures rosenbrock6-failures")
    yield from listed("failures", 40, "tuning-logistic-wine")
    for name in ("branin", "hartmann6", "rosenbrock2"):
        make = partial(registered, f"{name}-failures", penalty=PENALTY)
        yield f"{name}-penalties", Case("failures", name, 60, make)
    trees = "tuning-tree-diabetes tuning-tree-wine tuning-forest-wine tuning-boosting-cancer"
    yield from listed(
        "plateaus", 40, f"{trees} tuning-adaboost-diabetes tuning-elasticnet-diabetes"
    )
    yield from listed("plateaus", 60, "bbob-f7-d5-i4")
    rounded = partial(registered, "hartmann6", step=0.1)
    yield "hartmann6-rounded", Case("plateaus", "hartmann6", 60, rounded)
    tables = "fcnet-naval fcnet-slice-noisy nasbench201"
    yield from listed("tables", 40, f"{tables} bbob-mixint-f8-d5-i4 bbob-mixint-f21-d5-i4")
    yield (
        "buchwald_hartwig",
        Case("tables", "buchwald", 40, partial(laboratory, "buchwald_hartwig")),
    )
    yield from listed("conditional", 40, "tuning-sgd-wine tuning-svm-diabetes")
    yield from listed("conditional", 40, "tuning-neighbours-digits")
    for name in ("gramacy", "truss", "g6", "constrained-hartmann", "tension-string"):
        yield f"{name}-constraints", Case("constraints", name, 40, partial(constrained, name))
    yield from listed("columns", 60, "bbob-f8-d20-i4 bbob-f15-d20-i4 bbob-f20-d20-i4")


CASES = dict(_cases())
SUITES = tuple(dict.fromkeys(case.suite for case in CASES.values()))
# A search in 20 columns takes as long as three others.
FEW_COLUMNS = tuple(suite for suite in SUITES if suite != "columns")
WITH_TIES = ("failures", "plateaus", "tables", "conditional")

# --- mechanisms -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Without:
    """How a mechanism is taken out.

    Attributes:
        settings: The settings without it.
        replaced: What stands in for a function of the library, by where that is looked up.
        suites: Where it is measured; elsewhere it changes nothing, or it was not measured.
        needs_categories: Whether it changes nothing where no parameter is one.
        part_of: A mechanism that this one is a part of: where that changes no point of a search,
            neither does this, and the search is not run.
    """

    settings: Settings = Settings()  # noqa: RUF009  # frozen
    replaced: Mapping[str, Callable[..., object]] = field(default_factory=dict)
    suites: Sequence[str] = FEW_COLUMNS
    needs_categories: bool = False
    part_of: str = ""

    def concerns(self, case: Case, data: Path | None) -> bool:
        """Whether it is measured on a problem."""
        if case.suite not in self.suites or not self.needs_categories:
            return case.suite in self.suites
        return any(one.is_categorical for one in case.make(data).space.parameters.values())


def _of_model(**changes: object) -> Settings:
    return Settings(model=ModelSettings(**changes))  # type: ignore[arg-type]


def _of_acquisition(**changes: object) -> Settings:
    return Settings(acquisition=AcquisitionSettings(**changes))  # type: ignore[arg-type]


def _of_search(**changes: object) -> Settings:
    return Settings(search=SearchSettings(**changes))  # type: ignore[arg-type]


def _anywhere(
    acquisition: torch.nn.Module,
    bounds: Tensor,
    number: int,
    settings: SearchSettings,
    keep: Sequence[int] = (),
) -> Tensor:
    """Starts that have nothing but choices of the best points, ``number x 1 x d``."""
    X: Tensor = draw_sobol_samples(bounds, number, 1)
    centers = centers_of(acquisition, bounds)  # type: ignore[arg-type]
    X[:, 0, keep] = centers[torch.randint(len(centers), (number,))][:, keep]
    return X


_IMPROVEMENT = "botorch_popbo.acquisition.utility_improvement"
_MODEL = "botorch_popbo.models.ranking_gp"
_PREDICTOR = "botorch_popbo.models.predictor.Predictor"
MECHANISMS: dict[str, Without] = {
    WHOLE: Without(suites=SUITES),
    # Half of the starts scatter about the best points; without, all are anywhere.
    "starts near the best": Without(replaced={"botorch_popbo.search.starts._near": _anywhere}),
    # Records are set aside; without, none ever is.
    "outliers": Without(_of_model(suspicious_noise=math.inf)),
    # A lone best point that was set aside is followed; without, it stays set aside.
    "surprise": Without(
        replaced={f"{_MODEL}.lone_surprise": lambda sample, is_used: is_used[:0].long()},
        part_of="outliers",
    ),
    # Equal outcomes widen the radius within which a point is known.
    "resolution": Without(
        replaced={f"{_MODEL}.resolution": lambda points, level: 0.0}, suites=WITH_TIES
    ),
    # A tiny share of the deviation where nothing is to be gained.
    "doubt": Without(_of_acquisition(doubt=0.0, doubt_of_categories=0.0)),
    # With categories that share is larger.
    "doubt of categories": Without(
        _of_acquisition(doubt_of_categories=AcquisitionSettings().doubt), needs_categories=True
    ),
    # In 20 columns all of the deviation counts; without, half of it as in few.
    "many columns": Without(_of_acquisition(many_columns=(1000, 2000)), suites=("columns",)),
    # The kernel's second, shorter lengthscale; without, its share is at most 1e-4.
    "rough part": Without(_of_model(roughness=(-9.0, 0.1)), suites=SUITES),
    # Values fall near known points.
    "remoteness": Without(replaced={f"{_IMPROVEMENT}.log_remoteness": torch.zeros_like}),
    # Lengthscales of directions that are no columns.
    "directions": Without(_of_model(rotation_gain=math.inf)),
    # Half of the deviation counts in few columns; without, all of it.
    "less exploration": Without(_of_acquisition(exploration=1.0)),
    # How far outcomes are apart; without, the order alone.
    "distances": Without(_of_model(order_only=True)),
    # Utilities of equal outcomes are nearly equal; without, anywhere between their neighbours.
    "equal ties": Without(
        replaced={
            "botorch_popbo.models.records.neighbours": lambda places, group, ties: neighbours(
                places, group, torch.zeros_like(ties)
            )
        },
        suites=WITH_TIES,
    ),
    # What is uncertain about the incumbent counts against it; without, the best mean is it.
    "pessimistic incumbent": Without(
        replaced={f"{_PREDICTOR}.pessimistic": lambda predictor, X: predictor.mean(X)},
    ),
    # A quarter of the samples that starts come from.
    "512 raw samples": Without(_of_search(num_raw=128)),
    # Half as many starts.
    "4 starts": Without(_of_search(num_starts=2)),
    # A third of the steps of the optimizer.
    "60 steps": Without(_of_search(max_steps=20)),
}

# --- runs -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Run:
    """A search that has ended.

    Attributes:
        mechanism: What it lacked.
        problem: Its name.
        seed: Its seed.
        values: The least values after each budget; infinite as long as nothing counts.
        seconds: CPU seconds.
        points: A digest of all points: two runs of the same one are the same.
    """

    mechanism: str
    problem: str
    seed: int
    values: tuple[float, ...]
    seconds: float
    points: str

    def row(self) -> list[str]:
        """The cells of a row of the file."""
        values = [f"{value:.9g}" for value in self.values]
        values += [""] * (len(BUDGETS) - len(values))
        key = [self.mechanism, self.problem, str(self.seed)]
        return [*key, *values, f"{self.seconds:.2f}", self.points]

    @classmethod
    def read(cls, row: Sequence[str]) -> "Run":
        """From the cells of a row of the file."""
        mechanism, problem, seed, *values, seconds, points = row
        numbers = tuple(float(value) for value in values if value)
        return cls(mechanism, problem, int(seed), numbers, float(seconds), points)


def search(task: Task, settings: Settings, seed: int, evaluations: int) -> tuple[list[float], str]:
    """What ``minimize`` does, also under constraints: values after each budget, and a digest."""
    space, best, values = task.space, math.inf, list[float]()
    ended, digest = list[Trial](), sha256()
    found = Search(seed, settings, settings.search.num_initial)
    shape = len(space.parameters), 1, task.num_slacks
    for index in range(evaluations):
        parameters = space.decode(found.suggest(space, Trials.gather(ended, [], shape), index))
        outcome, slacks = task.evaluate(parameters, 1000 * seed + index)
        x = space.encode(parameters)
        digest.update(x.numpy().tobytes())
        ended.append(Trial(x, [-math.inf if outcome is None else -outcome], slacks))
        if outcome is not None and min(slacks, default=0.0) >= 0.0:
            best = min(best, outcome)
        if index + 1 in BUDGETS and task.score is None:
            values.append(best)
        elif index + 1 in BUDGETS and task.score is not None:
            [model] = found.models(space, Trials.gather(ended, [], shape)).objectives
            values.append(task.score(space.decode(model.recommended)))
    return values, digest.hexdigest()[:8]


def run(mechanism: str, problem: str, seed: int, data: Path | None) -> Run:
    """Search a problem without a mechanism."""
    case, without = CASES[problem], MECHANISMS[mechanism]
    start = time.process_time()
    with ExitStack() as stack:
        stack.enter_context(warnings.catch_warnings(action="ignore"))
        for place, function in without.replaced.items():
            stack.enter_context(patch(place, function))
        values, points = search(case.make(data), without.settings, seed, case.evaluations)
    return Run(mechanism, problem, seed, tuple(values), time.process_time() - start, points)


def read(file: Path) -> list[Run]:
    """The runs in a file, if there is one."""
    if not file.exists():
        return []
    with file.open(newline="") as lines:
        return [Run.read(row) for row in list(csv.reader(lines))[1:]]


def complete(
    file: Path, mechanisms: Sequence[str], seeds: Iterable[int], data: Path | None, minutes: float
) -> None:
    """Add the runs that a file lacks, one seed of all mechanisms after another."""
    end = time.monotonic() + 60 * minutes
    known = {(one.mechanism, one.problem, one.seed): one for one in read(file)}
    if not known:
        budgets = [f"after {budget}" for budget in BUDGETS]
        header = ["mechanism", "problem", "seed", *budgets, "seconds", "points"]
        file.write_text(",".join(header) + "\n")
    for seed in seeds:
        for mechanism in mechanisms:
            for problem, case in CASES.items():
                key, without = (mechanism, problem, seed), MECHANISMS[mechanism]
                if key in known or not without.concerns(case, data):
                    continue
                if time.monotonic() > end:
                    return
                whole = known.get((WHOLE, problem, seed))
                outer = known.get((without.part_of, problem, seed))
                if whole and outer and whole.points == outer.points:
                    found = replace(whole, mechanism=mechanism)
                else:
                    found = run(mechanism, problem, seed, data)
                known[key] = found
                with file.open("a", newline="") as lines:
                    csv.writer(lines, lineterminator="\n").writerow(found.row())
                print(*found.row(), flush=True)


# --- table ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Pair:
    """A search with and without a mechanism.

    Attributes:
        family: What the problem is kin to.
        lead: After each budget but the first 1 if the whole is better, -1 if worse, else 0.
        ratio: The logarithm to base 10 of the regret without it over that of the whole.
        differs: Whether any point differs.
    """

    family: str
    lead: Sequence[float]
    ratio: Sequence[float]
    differs: bool


def pairs(runs: Sequence[Run], data: Path | None) -> dict[tuple[str, str], list[Pair]]:
    """Pairs by mechanism and suite."""
    by_problem = defaultdict[str, list[Run]](list)
    for one in runs:
        by_problem[one.problem].append(one)
    found = defaultdict[tuple[str, str], list[Pair]](list)
    for problem, several in by_problem.items():
        case, best = CASES[problem], CASES[problem].make(data).best
        least = min(value for one in several for value in one.values) if best is None else best
        design = [one.values[0] - least for one in several if math.isfinite(one.values[0])]
        floor = (FLOOR_OF_FOUND if best is None else FLOOR) * (median(design) if design else 1.0)
        whole = {one.seed: one for one in several if one.mechanism == WHOLE}
        for one in several:
            if one.mechanism != WHOLE and one.seed in whole:
                pair = _pair(case, whole[one.seed], one, least, floor)
                found[one.mechanism, case.suite].append(pair)
    return found


def _pair(case: Case, whole: Run, other: Run, least: float, floor: float) -> Pair:
    ratios = []
    for values in zip(whole.values[1:], other.values[1:], strict=True):
        with_it, without_it = (max(value - least, floor) for value in values)
        # Of an infinite regret too the logarithm is infinite, and counts the limit.
        ratio = 0.0 if with_it == without_it else math.log10(without_it) - math.log10(with_it)
        ratios.append(min(max(ratio, -LIMIT), LIMIT))
    lead = [float((ratio > 0.0) - (ratio < 0.0)) for ratio in ratios]
    return Pair(case.family, lead, ratios, whole.points != other.points)


def _mean(several: Sequence[Pair], values: Callable[[Pair], Sequence[float]], place: int) -> str:
    """The mean over families, each the mean of its runs, and its standard error."""
    families = defaultdict[str, list[float]](list)
    for pair in several:
        if place < len(values(pair)):
            families[pair.family].append(values(pair)[place])
    means = [fmean(family) for family in families.values()]
    if len(means) < 2:
        return f"{means[0]:.2f}" if means else ""
    mean, error = fmean(means), stdev(means) / math.sqrt(len(means))
    text = f"{mean:.2f} ± {error:.2f}"
    return f"**{text}**" if abs(mean) >= 2.0 * error > 0.0 else text


def table(runs: Sequence[Run], data: Path | None) -> Iterable[str]:
    """Lines of a Markdown table; what is two errors from zero is bold."""
    heads = [f"{kind} at {budget}" for kind in ("lead", "ratio") for budget in BUDGETS[1:]]
    cells = ["mechanism", "suite", "runs, differing", *heads, "seconds"]
    yield f"| {' | '.join(cells)} |"
    yield f"|{' --- |' * len(cells)}"
    found, seconds = pairs(runs, data), _seconds(runs)
    for mechanism in MECHANISMS:
        by_suite = {suite: found[mechanism, suite] for suite in SUITES if found[mechanism, suite]}
        every = [pair for several in by_suite.values() for pair in several]
        for suite, several in {"all": every, **by_suite}.items() if every else ():
            places = range(len(BUDGETS) - 1)
            numbers = [_mean(several, lambda pair: pair.lead, place) for place in places]
            numbers += [_mean(several, lambda pair: pair.ratio, place) for place in places]
            counts = f"{len(several)}, {sum(pair.differs for pair in several)}"
            end = seconds.get(mechanism, "") if suite == "all" else ""
            yield f"| {' | '.join([mechanism, suite, counts, *numbers, end])} |"


def _seconds(runs: Sequence[Run]) -> dict[str, str]:
    """CPU seconds of the runs without a mechanism, and of the whole on the same."""
    whole = {(one.problem, one.seed): one.seconds for one in runs if one.mechanism == WHOLE}
    sums = defaultdict[str, list[float]](lambda: [0.0, 0.0])
    for one in runs:
        if (one.problem, one.seed) in whole:
            sums[one.mechanism][0] += one.seconds
            sums[one.mechanism][1] += whole[one.problem, one.seed]
    return {name: f"{own:.0f}, whole {of_whole:.0f}" for name, (own, of_whole) in sums.items()}


def main() -> None:
    """Run what is missing, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path, help="the runs")
    parser.add_argument("mechanisms", nargs="*", metavar="mechanism", help=", ".join(MECHANISMS))
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=math.inf, help="no run begins after them")
    parser.add_argument("--data", type=Path, default=os.environ.get("POPBO_DATA"))
    arguments = parser.parse_args()
    mechanisms = list(dict.fromkeys([WHOLE, *(arguments.mechanisms or MECHANISMS)]))
    if unknown := set(mechanisms) - MECHANISMS.keys():
        parser.error(f"no mechanism is called {', '.join(sorted(unknown))}")
    torch.set_num_threads(1)
    data, seeds = arguments.data, range(arguments.seeds)
    complete(arguments.file, mechanisms, seeds, data, arguments.minutes)
    print("\n".join(table(read(arguments.file), data)))


if __name__ == "__main__":
    main()
