"""What suggestions take, measured in a process of its own.

The fit is making and fitting a model, the acquisition all that follows, with the default preset
also the conditioning on the order.
"""

import json
import resource
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from time import perf_counter

from botorch.utils.sampling import manual_seed

from botorch_popbo.benchmarks.experiments.suggestion_time._loops import (
    LOOPS,
    Data,
    Loop,
    uniform_data,
)
from botorch_popbo.benchmarks.run._limit import LimitExceeded
from botorch_popbo.benchmarks.run._quiet import quiet
from botorch_popbo.benchmarks.run._threads import one_thread

_WARM_UP_SIZE = 25


@dataclass(frozen=True)
class Measurement:
    """Seconds of one suggestion, and the peak memory of the process until then.

    The trial is also the seed. What is not known is None.
    """

    trial: int
    fit: float | None
    acquisition: float | None
    total: float
    peak_mib: float


def measure(
    method: str, num_points: int, first: int, repeats: int, limit: float
) -> Iterator[Measurement]:
    """Time repetitions from ``first`` on, after one from few points and none after a slow one."""
    loop, data = LOOPS[method], uniform_data(num_points)
    with one_thread(), quiet():
        _suggest(loop, uniform_data(min(num_points, _WARM_UP_SIZE)), seed=0)
        for trial in range(first, first + repeats):
            fit, acquisition = _suggest(loop, data, seed=trial)
            # On Linux a process starts from the peak of its parent, here that of the same
            # libraries.
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            total, is_split = fit + acquisition, loop.fit is not None
            stages = (fit, acquisition) if is_split else (None, None)
            yield Measurement(trial, stages[0], stages[1], total, peak)
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


def _suggest(loop: Loop, data: Data, seed: int) -> tuple[float, float]:
    """Seconds of the fit and of what follows."""
    with manual_seed(seed):
        prepared = loop.prepare(data)
        start = perf_counter()
        fitted = loop.fit(prepared) if loop.fit else prepared
        middle = perf_counter()
        loop.suggest(fitted)
        return middle - start, perf_counter() - middle


if __name__ == "__main__":
    name, *numbers, patience = sys.argv[1:]
    size, first, repeats = map(int, numbers)
    for one in measure(name, size, first, repeats, float(patience)):
        print(json.dumps(asdict(one)))
