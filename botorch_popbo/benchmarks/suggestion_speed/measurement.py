"""What one suggestion takes, measured in this process or in one of its own.

Times are those of the repetition of the median total, after one suggestion from few points. The
fit is making and fitting a model, the acquisition all that follows, with the default preset also
the conditioning on the order.
"""

import json
import resource
import subprocess
import sys
from dataclasses import dataclass
from time import perf_counter

from botorch.utils.sampling import manual_seed

from botorch_popbo.benchmarks import suggestion_speed
from botorch_popbo.benchmarks.quiet import quiet
from botorch_popbo.benchmarks.suggestion_speed.data import Data, uniform_data
from botorch_popbo.benchmarks.suggestion_speed.loops import DEFAULT, LOOPS, Loop
from botorch_popbo.benchmarks.suggestion_speed.matrix_calls import MatrixCalls
from botorch_popbo.benchmarks.threads import one_thread

#: Seconds of a suggestion, after which its method is spared larger sizes.
PATIENCE = 60.0

_WARM_UP_SIZE = 25


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
        while len(times) < repeats and (not times or sum(times[-1]) <= PATIENCE):
            times.append(_suggest(loop, data, seed=len(times)))
        fit, acquisition = sorted(times, key=sum)[len(times) // 2]
        # On Linux a process starts from the peak of its parent, here that of the same libraries.
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        matrix = _matrix_seconds(loop, data) / fit if method == DEFAULT else None
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
    task = [sys.executable, "-m", suggestion_speed.__name__, "--repeats", str(repeats)]
    task += ["--measure", method, str(num_points)]
    try:
        # Even with a slow start, suggestions that take less than a minute each end before that.
        limit = (repeats + 2) * PATIENCE
        done = subprocess.run(task, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return f"longer than {PATIENCE:.0f} s"
    if done.returncode < 0:  # 9 where memory ran out
        return f"ended by signal {-done.returncode}"
    if done.returncode > 0:
        return done.stderr.strip().splitlines()[-1]
    return Measurement(**json.loads(done.stdout.splitlines()[-1]))
