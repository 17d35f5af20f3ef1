"""Time and memory of one suggestion as observations accumulate.

The points are uniform on the domain of Hartmann-6. Every method and size has a process of its own
with one thread, one after the other, so that each has its own peak memory, libraries included.
"""

import json
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from time import perf_counter
from typing import Any, ClassVar

import optuna
import pandas as pd
import torch
from botorch.acquisition import AcquisitionFunction
from botorch.models import SingleTaskGP
from botorch.test_functions.synthetic import Hartmann
from botorch.utils.sampling import manual_seed
from torch import Tensor

from botorch_popbo.acquisition import (
    ExpectedRankingImprovement,
    LogExpectedUtilityImprovement,
    RectifiedAcquisitionFunction,
    RectifiedLowerConfidenceBound,
)
from botorch_popbo.benchmarks.errors import UsageError
from botorch_popbo.benchmarks.methods import _gaussian_processes as botorch_gp
from botorch_popbo.benchmarks.methods._search import maximize
from botorch_popbo.benchmarks.report._files import frame, write_files
from botorch_popbo.benchmarks.run._keys import Key, names
from botorch_popbo.benchmarks.run._limit import LimitExceeded
from botorch_popbo.benchmarks.run._quiet import quiet
from botorch_popbo.benchmarks.run._threads import one_thread
from botorch_popbo.benchmarks.run.campaign import Campaign, Limited
from botorch_popbo.benchmarks.settings import Cell
from botorch_popbo.models import PoissonRankModel, RankingGP
from botorch_popbo.space import Parameter, Space

_SIZES = (25, 50, 100, 200, 500, 1000, 5000)
_WARM_UP_SIZE = 25
_NAMES = [f"x{i}" for i in range(6)]
_SPACE = Space(dict.fromkeys(_NAMES, Parameter(0.0, 1.0)))
_OPTUNA_SPACE: dict[str, Any] = dict.fromkeys(
    _NAMES, optuna.distributions.FloatDistribution(0.0, 1.0)
)
#: The Gaussian process that the others are compared with.
_REFERENCE = "botorch-gp"

#: Points, ``N x 6``, and their outcomes, ``N x 1``, larger being better.
Data = tuple[Tensor, Tensor]


@dataclass(frozen=True)
class Loop:
    """How a method makes a suggestion of what it has prepared, untimed, of points and outcomes."""

    description: str
    suggest: Callable[[Any], object]
    prepare: Callable[[Data], Any] = lambda data: data


def _optuna_study(data: Data) -> optuna.Study:
    """A study that knows the points, with a sampler that, as the models, has fitted nothing yet."""
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.GPSampler(seed=0))
    for x, [y] in zip(*(part.tolist() for part in data), strict=True):
        told = {"params": dict(zip(_NAMES, x, strict=True)), "value": y}
        study.add_trial(optuna.create_trial(distributions=_OPTUNA_SPACE, **told))
    return study


def _maximize(acquisition: AcquisitionFunction) -> Tensor:
    # Of a box nothing depends on the points that are known, unless one is met again.
    return maximize(acquisition, _SPACE, _SPACE.bounds[:0], seed=0)


def _popbo(data: Data) -> Tensor:
    model = RankingGP(*data, input_transform=None).fit()
    return _maximize(LogExpectedUtilityImprovement(model))


def _paper(title: str, acquisition: Callable[[Any], RectifiedAcquisitionFunction]) -> Loop:
    def suggest(data: Data) -> Tensor:
        return _maximize(acquisition(PoissonRankModel.paper(*data).fit()))

    return Loop(f"ranks: paper preset, {title}", suggest)


def _gaussian_process(data: Data) -> Tensor:
    model = botorch_gp.fit(SingleTaskGP(*data))
    acquisition, _ = botorch_gp.expected_improvement(model, data[0])
    return botorch_gp.maximize_in_box(acquisition, _SPACE.bounds)


#: The methods by name.
LOOPS = {
    "popbo": Loop("ranks: default preset, in a plain BoTorch loop", _popbo),
    "paper-rlcb": _paper("rectified lower confidence bound", RectifiedLowerConfidenceBound.paper),
    "paper-eri": _paper("expected ranking improvement", ExpectedRankingImprovement),
    _REFERENCE: Loop("BoTorch's SingleTaskGP, log expected improvement", _gaussian_process),
    "optuna-gp": Loop(
        "Optuna's Gaussian process", lambda study: study.ask(_OPTUNA_SPACE), _optuna_study
    ),
}


@dataclass(frozen=True)
class Measurement:
    """Seconds of one suggestion, and the peak memory of the process until then.

    The trial is also the seed.
    """

    trial: int
    total: float
    peak_mib: float


def measure(
    method: str, num_points: int, first: int, repeats: int, limit: float
) -> Iterator[Measurement]:
    """Time repetitions from ``first`` on, after one from few points and none after a slow one."""
    loop = LOOPS[method]
    with one_thread(), quiet():
        _seconds(loop, min(num_points, _WARM_UP_SIZE), seed=0)
        for trial in range(first, first + repeats):
            total = _seconds(loop, num_points, seed=trial)
            # On Linux a process starts from the peak of its parent, here that of the same
            # libraries.
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            yield Measurement(trial, total, peak)
            if total > limit:
                return


def measure_apart(
    method: str, num_points: int, first: int, repeats: int, limit: float
) -> list[Measurement]:
    """The same in a process of its own; raises LimitExceeded if that does not end."""
    task = [sys.executable, "-m", __name__, method, *map(str, (num_points, first, repeats, limit))]
    # Even with a slow start, suggestions that take less than the limit each end before that.
    patience = (repeats + 2) * limit
    try:
        done = subprocess.run(task, capture_output=True, text=True, timeout=patience, check=False)
    except subprocess.TimeoutExpired:
        raise LimitExceeded(f"no answer within the {limit:g} seconds of --limit") from None
    if done.returncode != 0:  # -9 where memory ran out
        reason = [f"it ended with status {done.returncode}", *done.stderr.strip().splitlines()]
        raise RuntimeError(reason[-1])
    return [Measurement(**json.loads(line)) for line in done.stdout.splitlines()]


def _seconds(loop: Loop, num_points: int, seed: int) -> float:
    """Of a suggestion after uniform points of the domain of Hartmann-6."""
    generator = torch.Generator().manual_seed(0)
    X = torch.rand(num_points, 6, generator=generator, dtype=torch.float64)
    Y = -Hartmann(dim=6, dtype=torch.float64)(X, noise=False).unsqueeze(-1)
    with manual_seed(seed):
        prepared = loop.prepare((X, Y))
        start = perf_counter()
        loop.suggest(prepared)
        return perf_counter() - start


@dataclass(frozen=True)
class Size(Cell):
    """A method that makes suggestions from some number of evaluated points."""

    method: str
    num_points: int


@dataclass(frozen=True, kw_only=True)
class SuggestionTime(Campaign[Size, Measurement]):
    """Time and memory of one suggestion, ``seeds`` times for each method and size.

    A method that takes longer than the limit, or fails, is spared larger sizes.
    """

    sizes: tuple[int, ...]

    registry: ClassVar = LOOPS
    keys: ClassVar = {
        "methods": names(LOOPS),
        "seeds": Key(int, 3, lambda _: 1, least=1),
        "limit": Key(float, 60.0, least=1e-3),
        "sizes": Key(int, _SIZES, lambda sizes: (min(sizes),), least=1),
    }
    record: ClassVar = Measurement

    def cells(self) -> Iterator[Size]:
        for size in sorted(set(self.sizes)):
            for method in self.methods:
                yield Size(method, size)

    def num_records(self, cell: Size) -> int:
        return self.seeds

    def evaluate(
        self, cell: Size, records: list[Measurement], limited: Limited
    ) -> Iterator[Measurement]:
        for size in sorted(size for size in set(self.sizes) if size < cell.num_points):
            smaller = self.records(Size(cell.method, size))
            if not smaller or smaller[-1].total > self.limit:
                raise UsageError(f"left out, for it failed or took too long on {size} points")
        missing = self.seeds - len(records)
        if not records or records[-1].total <= self.limit:
            records = measure_apart(cell.method, cell.num_points, len(records), missing, self.limit)
            yield from records
        slowest = records[-1].total
        raise LimitExceeded(f"a suggestion took {slowest:.0f} s, longer than --limit")

    def report(self) -> None:
        """Print and write time and memory of each method and size."""
        results = frame(self)
        write_files(self.output, "suggestion time", table(results), results)


def table(results: pd.DataFrame) -> str:
    """Lay out the repetition of the median total of each method and size.

    The ratio is to the Gaussian process.
    """
    numbers = ["total", "peak_mib"]
    ordered = results.astype(dict.fromkeys(numbers, float)).sort_values("total", kind="stable")
    groups = ordered.groupby(["num_points", "method"], sort=False)
    median = groups.apply(lambda group: group.iloc[len(group) // 2][numbers]).sort_index()
    sizes = median.index.get_level_values("num_points")
    reference = median["total"].reindex([(size, _REFERENCE) for size in sizes]).to_numpy()
    laid_out = median.assign(ratio=median["total"] / reference)
    text = laid_out.to_string(float_format="%.3f", na_rep="-")
    note = "seconds of the repetition of the median total; ratio: to the Gaussian process"
    return f"{text}\n{note}"


if __name__ == "__main__":
    name, *numbers, patience = sys.argv[1:]
    size, first, repeats = map(int, numbers)
    for one in measure(name, size, first, repeats, float(patience)):
        print(json.dumps(asdict(one)))
