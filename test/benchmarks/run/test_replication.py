import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from botorch_popbo._errors import UsageError
from botorch_popbo.benchmarks.experiments import Optimization
from botorch_popbo.benchmarks.methods import METHODS, Method, SequentialOptimizer
from botorch_popbo.benchmarks.run.execution import run_campaign
from botorch_popbo.benchmarks.run.limit import time_limit

from ..conftest import MakeCampaign


def fail(error: BaseException) -> Any:
    raise error


def hang_in_spite_of_errors() -> None:
    while True:
        try:
            time.sleep(0.01)
        except Exception:
            continue


@pytest.fixture
def both(campaign: MakeCampaign, monkeypatch: pytest.MonkeyPatch) -> MakeCampaign:
    """A campaign of a method that suggests what a function returns, and of random search."""

    def make(act: Callable[[], Any], starts: bool = True, **options: Any) -> Optimization:
        class Broken(SequentialOptimizer):
            def choose(self, trial: int, seed: int) -> tuple[Any, None]:
                return act(), None

        start = Broken if starts else lambda *_: act()
        monkeypatch.setitem(METHODS, "broken", Method("broken", "", start))
        return replace(campaign(**options), methods=("broken", "random"), limit=0.2)

    return make


AGAIN, OUT = "(rerun the command to try again)", "leave the method out)"
LATE = f"no answer within the 0.2 seconds of --limit (raise --limit or {OUT}"


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda: fail(RuntimeError("no\nluck")), f"RuntimeError: no luck {AGAIN}"),
        (lambda: fail(SystemExit("bye")), f"SystemExit: bye {AGAIN}"),
        (hang_in_spite_of_errors, LATE),
        (lambda: threading.Event().wait(60), LATE),
        (
            lambda: {"x0": 0.0, "x1": 99.0},
            f"OutsideError: suggested x1 = 99.0, which is not in (0.0, 15.0) {AGAIN}",
        ),
    ],
)
def test_a_replication_that_fails_loses_only_itself(
    both: MakeCampaign, capsys: pytest.CaptureFixture[str], act: Callable[[], Any], message: str
) -> None:
    campaign = both(act)
    (failure,) = run_campaign(campaign)
    assert str(failure) == f"failed: broken on branin, seed 0, trial 3: {message}"
    assert str(failure) in capsys.readouterr().err
    lost, kept = campaign.cells()
    assert campaign.is_complete(kept)
    assert not campaign.is_complete(lost)
    assert len(campaign.records(lost)) == 3


@pytest.mark.parametrize("kind", [ImportError, UsageError])
def test_a_method_that_cannot_start_is_told_once(
    both: MakeCampaign, capsys: pytest.CaptureFixture[str], kind: type[Exception]
) -> None:
    campaign = both(lambda: fail(kind("ranges only")), starts=False, seeds=3)
    failures = run_campaign(campaign)
    told = f"unavailable: broken: ranges only (correct that, or {OUT}"
    assert [*map(str, failures)] == [told] * 3
    assert capsys.readouterr().err.count("unavailable") == 1
    assert all(campaign.is_complete(s) for s in campaign.cells() if s.method == "random")


def test_a_limit_leaves_nothing_behind() -> None:
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
limit.GRACE_SECONDS = 0.2
with limit.time_limit(0.1, may_end_process=True):
    ctypes.PyDLL(None).pause()
"""
    command = [sys.executable, "-c", code]
    process = subprocess.run(command, timeout=60, check=False, capture_output=True, text=True)
    assert process.returncode == 1
    assert "most recent call first" in process.stderr
