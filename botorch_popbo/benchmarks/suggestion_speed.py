"""Time and memory of one suggestion: ``python -m botorch_popbo.benchmarks.suggestion_speed``.

The points are uniform on the domain of Hartmann-6. Every method and size has a process of its own
with one thread, one after the other, so that each has its own peak memory, libraries included.
Times are those of the repetition of the median total, after one suggestion from few points. ``fit``
is making and fitting a model, ``acq`` all that follows, with the default preset also the
conditioning on the order. Optuna's sampler is new each time, as the models are.

``matrix`` is the share of the default preset's fit that is raw matrix arithmetic, which no tidier
code around it could save: the Cholesky factorisations, inverses, triangular solutions and
products of matrices and vectors that PyTorch carries out during one fit are recorded with their
arguments and carried out again, alone. Each distinct operation (by name, shapes and strides) counts
with the shortest of three times, as often as the fit calls it.
"""

import argparse
import importlib
import importlib.util
import json
import resource
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import torch
from botorch.models import SingleTaskGP
from botorch.optim import optimize_acqf
from botorch.test_functions.synthetic import Hartmann
from botorch.utils.sampling import manual_seed
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from botorch_popbo.acquisition import (
    ExpectedRankingImprovement,
    LogExpectedUtilityImprovement,
    RectifiedAcquisitionFunction,
    RectifiedLowerConfidenceBound,
)
from botorch_popbo.ax.acquisition import _OPTIMIZER_OPTIONS
from botorch_popbo.benchmarks.methods import botorch_gp
from botorch_popbo.benchmarks.methods.popbo import maximize_in_box
from botorch_popbo.benchmarks.quiet import quiet
from botorch_popbo.benchmarks.threads import one_thread
from botorch_popbo.models import PoissonRankModel

SIZES = (25, 50, 100, 200, 500, 1000, 5000)
LARGE_SIZES = (10**4, 10**5, 10**6)

_DEFAULT, _REFERENCE, _OPTUNA = "popbo", "botorch-gp", "optuna-gp"
_PATIENCE = 60.0  # seconds of a suggestion, after which its method is spared larger sizes
_WARM_UP_SIZE = 25
_REPLAYS = 3

_FUNCTION = Hartmann(dim=6, dtype=torch.float64)
_BOUNDS = torch.tensor([[0.0] * 6, [1.0] * 6], dtype=torch.float64)

_MATRIX_OPERATIONS = frozenset(
    {
        "addmm",
        "addmv",
        "bmm",
        "cholesky_inverse",
        "cholesky_solve",
        "linalg_cholesky_ex",
        "linalg_solve_triangular",
        "mm",
        "mv",
    }
)

Data = tuple[Tensor, Tensor]


@dataclass(frozen=True)
class Loop:
    """How a method makes a suggestion.

    Attributes:
        prepare: Turns points and outcomes into what the method starts from; not timed.
        suggest: Makes a suggestion of what ``fit`` returned.
        fit: Fits a model; ``None`` where ``suggest`` does both.
    """

    prepare: Callable[[Data], Any]
    suggest: Callable[[Any], object]
    fit: Callable[[Any], Any] | None = None


@dataclass(frozen=True)
class Measurement:
    """What one suggestion takes.

    Attributes:
        method: A name in ``LOOPS``.
        num_points: Number of evaluated points.
        fit: Seconds of the fit, or ``None`` where it is not known.
        acquisition: Seconds of all that follows, or ``None``.
        total: Seconds.
        peak_mib: Largest memory of the process, in MiB.
        matrix: Share of the fit spent on matrices; ``None`` except for the default preset.
    """

    method: str
    num_points: int
    fit: float | None
    acquisition: float | None
    total: float
    peak_mib: float
    matrix: float | None


class MatrixCalls(TorchDispatchMode):
    """Record the operations on matrices while the context is open."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: dict[object, Callable[[], float]] = {}
        self.numbers: dict[object, int] = {}

    def __torch_dispatch__(
        self,
        func: Any,
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        if func.overloadpacket.__name__ in _MATRIX_OPERATIONS:
            key = (func, *map(_signature, args))
            if key not in self.calls:
                self.calls[key] = _replay(func, [_copy(value) for value in args], kwargs or {})
            self.numbers[key] = self.numbers.get(key, 0) + 1
        return func(*args, **(kwargs or {}))

    def seconds(self) -> float:
        """Seconds of the recorded operations alone."""
        shortest = {key: min(call() for _ in range(_REPLAYS)) for key, call in self.calls.items()}
        return sum(shortest[key] * number for key, number in self.numbers.items())


def _signature(value: Any) -> object:
    return (value.shape, value.stride()) if isinstance(value, Tensor) else value


def _copy(value: Any) -> Any:
    return value.detach().clone() if isinstance(value, Tensor) else value


def _replay(func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Callable[[], float]:
    def call() -> float:
        fresh = [_copy(value) for value in args]
        start = perf_counter()
        func(*fresh, **kwargs)
        return perf_counter() - start

    return call


def _paper(acquisition: Callable[[PoissonRankModel], RectifiedAcquisitionFunction]) -> Loop:
    def suggest(model: PoissonRankModel) -> Tensor:
        options = _OPTIMIZER_OPTIONS["optimize_acqf"]
        best, _ = optimize_acqf(acquisition(model), _BOUNDS, q=1, **options)
        return best[0]

    return Loop(
        prepare=lambda data: data,
        fit=lambda data: PoissonRankModel(data[0], data[1], preset="paper").fit(),
        suggest=suggest,
    )


def _optuna_study(data: Data) -> Any:
    """A study that knows the points, with a sampler that has not fitted anything yet."""
    optuna = importlib.import_module("optuna")
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.GPSampler(seed=0))
    X, Y = data
    trials = [
        optuna.create_trial(params=_named(x), distributions=_optuna_space(len(x)), value=y)
        for x, y in zip(X.tolist(), Y.squeeze(-1).tolist(), strict=True)
    ]
    study.add_trials(trials)
    return study


def _optuna_space(dim: int) -> dict[str, Any]:
    distributions = importlib.import_module("optuna.distributions")
    return _named([distributions.FloatDistribution(0.0, 1.0)] * dim)


def _named(values: Sequence[Any]) -> dict[str, Any]:
    return {f"x{i}": value for i, value in enumerate(values)}


LOOPS = {
    _DEFAULT: Loop(
        prepare=lambda data: data,
        fit=lambda data: PoissonRankModel(data[0], data[1], input_transform=None).fit(),
        suggest=lambda model: maximize_in_box(LogExpectedUtilityImprovement(model), _BOUNDS),
    ),
    "paper-rlcb": _paper(RectifiedLowerConfidenceBound),
    "paper-eri": _paper(ExpectedRankingImprovement),
    _REFERENCE: Loop(
        prepare=lambda data: data,
        fit=lambda data: (botorch_gp.fit(SingleTaskGP(*data)), data[0]),
        suggest=lambda fitted: botorch_gp.suggest(fitted[0], fitted[1], _BOUNDS),
    ),
    _OPTUNA: Loop(prepare=_optuna_study, suggest=lambda study: study.ask(_optuna_space(6))),
}


def uniform_data(num_points: int) -> Data:
    """Uniform points of the domain of Hartmann-6 with their outcomes, larger being better."""
    generator = torch.Generator().manual_seed(0)
    X = torch.rand(num_points, 6, generator=generator, dtype=torch.float64)
    return X, -_FUNCTION(X, noise=False).unsqueeze(-1)


def measure(method: str, num_points: int, repeats: int) -> Measurement:
    """Time suggestions in this process.

    Args:
        method: A name in ``LOOPS``.
        num_points: Number of evaluated points.
        repeats: Number of suggestions; fewer are made after one that takes longer than a minute.

    Returns:
        The repetition of the median total, and this process's peak memory until then.
    """
    loop, data = LOOPS[method], uniform_data(num_points)
    times: list[tuple[float, float]] = []
    with one_thread(), quiet():
        _suggest(loop, uniform_data(min(num_points, _WARM_UP_SIZE)), seed=0)
        while len(times) < repeats and (not times or sum(times[-1]) <= _PATIENCE):
            times.append(_suggest(loop, data, seed=len(times)))
        fit, acquisition = sorted(times, key=sum)[len(times) // 2]
        # On Linux a process starts from the peak of its parent, here that of the same libraries.
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        matrix = _matrix_seconds(loop, data) / fit if method == _DEFAULT else None
    return Measurement(
        method=method,
        num_points=num_points,
        fit=fit if loop.fit else None,
        acquisition=acquisition if loop.fit else None,
        total=fit + acquisition,
        peak_mib=peak,
        matrix=matrix,
    )


def _suggest(loop: Loop, data: Data, seed: int) -> tuple[float, float]:
    """Seconds of the fit and of what follows."""
    prepared = loop.prepare(data)
    with manual_seed(seed):
        start = perf_counter()
        fitted = loop.fit(prepared) if loop.fit else prepared
        middle = perf_counter()
        loop.suggest(fitted)
        return middle - start, perf_counter() - middle


def _matrix_seconds(loop: Loop, data: Data) -> float:
    assert loop.fit is not None
    calls = MatrixCalls()
    with calls:
        loop.fit(loop.prepare(data))
    return calls.seconds()


def measure_apart(method: str, num_points: int, repeats: int) -> Measurement | str:
    """Time suggestions in a process of their own.

    Args:
        method: A name in ``LOOPS``.
        num_points: Number of evaluated points.
        repeats: Number of suggestions.

    Returns:
        The measurement, or why there is none.
    """
    task = [sys.executable, "-m", __spec__.name, "--repeats", str(repeats)]
    task += ["--measure", method, str(num_points)]
    try:
        # Even with a slow start, suggestions that take less than a minute each end before that.
        limit = (repeats + 2) * _PATIENCE
        done = subprocess.run(task, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return f"longer than {_PATIENCE:.0f} s"
    if done.returncode < 0:  # 9 where memory ran out
        return f"ended by signal {-done.returncode}"
    if done.returncode > 0:
        return done.stderr.strip().splitlines()[-1]
    return Measurement(**json.loads(done.stdout.splitlines()[-1]))


def compare(sizes: Sequence[int], repeats: int) -> tuple[list[Measurement], list[str]]:
    """Measure all methods, of the largest sizes only the default preset.

    Args:
        sizes: Numbers of evaluated points, rising.
        repeats: Number of suggestions of each method at each size.

    Returns:
        The measurements by size, and notes on what is missing.
    """
    methods, rows, notes = list(LOOPS), list[Measurement](), list[str]()
    if importlib.util.find_spec("optuna") is None:
        methods.remove(_OPTUNA)
        notes.append(f"{_OPTUNA}: optuna is not installed")
    for size in sizes:
        for method in list(methods):
            if size in LARGE_SIZES and method != _DEFAULT:
                continue
            found = measure_apart(method, size, repeats)
            print(f"N = {size}, {method}: {_summary(found)}", file=sys.stderr, flush=True)
            if isinstance(found, Measurement):
                rows.append(found)
            if isinstance(found, str) or found.total > _PATIENCE:
                methods.remove(method)
                reason = found if isinstance(found, str) else f"longer than {_PATIENCE:.0f} s"
                notes.append(f"{method}: {reason} at N = {size}, larger sizes left out")
    return rows, notes


def _summary(found: Measurement | str) -> str:
    return found if isinstance(found, str) else f"{found.total:.3f} s"


def table(rows: Sequence[Measurement]) -> str:
    """Lay out measurements.

    Args:
        rows: Measurements.

    Returns:
        One line for each after a line of titles.
    """
    reference = {row.num_points: row.total for row in rows if row.method == _REFERENCE}
    titles = ["N", "method", "fit/s", "acq/s", "total/s", "/ GP", "MiB", "matrix"]
    lines = [titles] + [
        [
            str(row.num_points),
            row.method,
            _number(row.fit, ".3f"),
            _number(row.acquisition, ".3f"),
            f"{row.total:.3f}",
            _number(_ratio(row.total, reference.get(row.num_points)), ".3f"),
            f"{row.peak_mib:.0f}",
            _number(row.matrix, ".0%"),
        ]
        for row in rows
    ]
    return "\n".join(
        f"{size:>8} {method:<11}" + "".join(f"{cell:>10}" for cell in cells)
        for size, method, *cells in lines
    )


def _ratio(value: float, reference: float | None) -> float | None:
    return None if reference is None else value / reference


def _number(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table, or measure one method in this process.

    Args:
        arguments: Of the command line; by default those of the process.
    """
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="numbers of points")
    parser.add_argument("--large", action="store_true", help="the default preset up to a million")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", type=Path, help="file for the measurements")
    parser.add_argument("--measure", nargs=2, metavar=("METHOD", "N"), help="just one, as JSON")
    options = parser.parse_args(arguments)
    if options.measure:
        method, size = options.measure
        print(json.dumps(asdict(measure(method, int(size), options.repeats))))
        return
    sizes = sorted({*options.sizes, *(LARGE_SIZES if options.large else ())})
    rows, notes = compare(sizes, options.repeats)
    print("\n".join([table(rows), *notes]))
    if options.json:
        options.json.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")


if __name__ == "__main__":
    main()
