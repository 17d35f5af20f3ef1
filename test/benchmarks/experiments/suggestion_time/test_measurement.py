import subprocess

import pytest

from botorch_popbo.benchmarks.experiments.suggestion_time._loops import LOOPS
from botorch_popbo.benchmarks.experiments.suggestion_time._measurement import measure, measure_apart
from botorch_popbo.benchmarks.run._limit import LimitExceeded


@pytest.mark.parametrize("method", LOOPS)
def test_every_method_is_measured_in_stages(method: str) -> None:
    first, second = measure(method, num_points=12, first=3, repeats=2, limit=60.0)
    assert (first.trial, second.trial) == (3, 4)
    assert first.peak_mib > 50
    if LOOPS[method].fit:
        assert first.fit is not None
        assert first.acquisition is not None
        assert first.total == first.fit + first.acquisition


def test_a_process_that_fails_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    for code, message in ((1, "ValueError: too small"), (-9, "ValueError: too small")):
        failed = subprocess.CompletedProcess([], code, "", "Traceback\nValueError: too small\n")
        monkeypatch.setattr(subprocess, "run", lambda *_, failed=failed, **__: failed)
        with pytest.raises(RuntimeError, match=message):
            measure_apart("popbo", 10, 0, 1, 60.0)


def test_a_process_that_takes_too_long_is_ended() -> None:
    with pytest.raises(LimitExceeded, match=r"no answer within the 0\.001 seconds"):
        measure_apart("popbo", 10, 0, 1, 0.001)
