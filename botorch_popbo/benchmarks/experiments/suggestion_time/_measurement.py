"""What suggestions take, measured in a process of its own.

The fit is making and fitting a model, the acquisition all that follows, with the default preset
also the conditioning on the order.
"""

import json
import resource
import subprocess
import sys
from dataclasses import asdict, dataclass, replace
from time import perf_counter

from botorch.utils.sampling import manual_seed
from torch.profiler import ProfilerActivity, profile

from botorch_popbo.benchmarks.experiments.suggestion_time._loops import (
    DEFAULT,
    LOOPS,
    Data,
    Loop,
    uniform_data,
)
from botorch_popbo.benchmarks.run._limit import LimitExceeded
from botorch_popbo.benchmarks.run._quiet import quiet
from botorch_popbo.benchmarks.run._threads import one_thread

_WARM_UP_SIZE = 25
_PROFILES = 3  # of which the shortest counts
# What no tidier code around it could save.
_MATRIX_OPERATIONS = {
    *("aten::addmm", "aten::addmv", "aten::bmm", "aten::mm", "aten::mv"),
    *("aten::cholesky_inverse", "aten::cholesky_solve", "aten::_cholesky_solve_helper"),
    *("aten::linalg_cholesky_ex", "aten::linalg_solve_triangular"),
}


@dataclass(frozen=True)
class Measurement:
    """Seconds of one suggestion, and the peak memory of the process until then.

    The trial is also the seed. What is not known is None. ``matrix`` is the share of the fit that
    is raw matrix arithmetic, of the default preset alone.
    """

    trial: int
    fit: float | None
    acquisition: float | None
    total: float
    peak_mib: float
    matrix: float | None = None


def measure(
    method: str, num_points: int, first: int, repeats: int, limit: float
) -> list[Measurement]:
    """Time repetitions from ``first`` on, after one from few points and none after a slow one."""
    loop, data = LOOPS[method], uniform_data(num_points)
    found: list[Measurement] = []
    with one_thread(), quiet():
        _suggest(loop, uniform_data(min(num_points, _WARM_UP_SIZE)), seed=0)
        while len(found) < repeats and not (found and found[-1].total > limit):
            trial = first + len(found)
            fit, acquisition = _suggest(loop, data, seed=trial)
            # On Linux a process starts from the peak of its parent, here that of the same
            # libraries.
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            stages = (fit, acquisition) if loop.fit else (None, None)
            found.append(Measurement(trial, stages[0], stages[1], fit + acquisition, peak))
        if method != DEFAULT:
            return found
        matrix = min(_matrix_seconds(loop, data) for _ in range(_PROFILES))
    return [replace(one, matrix=matrix / one.fit) for one in found if one.fit]


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
    if done.returncode < 0:  # 9 where memory ran out
        raise RuntimeError(f"ended by signal {-done.returncode}")
    if done.returncode > 0:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    return [Measurement(**json.loads(line)) for line in done.stdout.splitlines()]


def _suggest(loop: Loop, data: Data, seed: int) -> tuple[float, float]:
    """Seconds of the fit and of what follows."""
    with manual_seed(seed):
        prepared = loop.prepare(data)
        start = perf_counter()
        fitted = loop.fit(prepared) if loop.fit else prepared
        middle = perf_counter()
        loop.suggest(fitted)
        return middle - start, perf_counter() - middle


def _matrix_seconds(loop: Loop, data: Data) -> float:
    assert loop.fit is not None
    with profile(activities=[ProfilerActivity.CPU]) as profiler:
        loop.fit(loop.prepare(data))
    events = [e for e in profiler.key_averages() if e.key in _MATRIX_OPERATIONS]
    return float(sum(event.self_cpu_time_total for event in events)) / 1e6


if __name__ == "__main__":
    name, *numbers, patience = sys.argv[1:]
    size, first, repeats = map(int, numbers)
    for one in measure(name, size, first, repeats, float(patience)):
        print(json.dumps(asdict(one)))
