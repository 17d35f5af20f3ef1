import signal
import subprocess
import sys
import threading
import time

import pytest

from botorch_popbo.benchmarks.run.limit import LimitExceeded, time_limit


def _loop() -> None:
    while True:
        try:
            time.sleep(0.01)
        except Exception:
            continue


@pytest.mark.parametrize(
    "hang", [_loop, lambda: time.sleep(60), lambda: threading.Event().wait(60)]
)
def test_python_code_and_waiting_are_interrupted(hang: object) -> None:
    assert callable(hang)
    start = time.perf_counter()
    with pytest.raises(LimitExceeded, match=r"within the 0\.1 seconds"), time_limit(0.1):
        hang()
    assert time.perf_counter() - start < 5


def test_nothing_is_left_behind() -> None:
    before = signal.getsignal(signal.SIGALRM)
    for may_end_process in (False, True):
        with time_limit(60, may_end_process):
            assert signal.getitimer(signal.ITIMER_REAL)[0] > 50
        assert signal.getitimer(signal.ITIMER_REAL)[0] == 0
        assert signal.getsignal(signal.SIGALRM) is before


def test_native_code_that_never_returns_is_ended_with_its_process() -> None:
    # PyDLL holds the interpreter's lock, and without the signal the pause has no end.
    code = """
import ctypes, signal
from botorch_popbo.benchmarks.run import limit
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
limit._GRACE_SECONDS = 0.2
with limit.time_limit(0.1, may_end_process=True):
    ctypes.PyDLL(None).pause()
"""
    command = [sys.executable, "-c", code]
    process = subprocess.run(command, timeout=60, check=False, capture_output=True, text=True)
    assert process.returncode == 1
    assert "most recent call first" in process.stderr
