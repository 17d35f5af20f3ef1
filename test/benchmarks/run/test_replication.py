import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from botorch_popbo.benchmarks.errors import UsageError
from botorch_popbo.benchmarks.experiments import Optimization
from botorch_popbo.benchmarks.methods import METHODS
from botorch_popbo.benchmarks.methods.base import Method, Suggestion
from botorch_popbo.benchmarks.problems import Problem
from botorch_popbo.benchmarks.run._failure import texts
from botorch_popbo.benchmarks.run.execution import run_campaign
from botorch_popbo.benchmarks.settings import Parameters, Setting

from ..conftest import MakeCampaign


@dataclass
class Broken:
    """Suggests whatever a function returns."""

    act: Callable[[], Any]

    def suggest(self, trial: int) -> Suggestion:
        return Suggestion(self.act(), "broken")

    def observe(self, parameters: Parameters, observed: float) -> None:
        pass


def fail(error: BaseException) -> Any:
    raise error


@pytest.fixture
def both(campaign: MakeCampaign, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Optimization]:
    def make(start: Callable[[Problem, Setting], Any], **options: Any) -> Optimization:
        monkeypatch.setitem(METHODS, "broken", Method("broken", "", "broken", start))
        return replace(campaign(**options), methods=("broken", "random"))

    return make


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (
            lambda: fail(RuntimeError("no\nluck")),
            "RuntimeError: no luck (the same command tries it again)",
        ),
        (lambda: fail(SystemExit("bye")), "SystemExit: bye (the same command tries it again)"),
        (
            lambda: time.sleep(60),
            "no answer within the 0.2 seconds of --limit (raise --limit or leave the method out)",
        ),
        (
            lambda: {"x0": 0.0, "x1": 99.0},
            "OutsideError: suggested x1 = 99.0, which is outside (0.0, 15.0) "
            "(the same command tries it again)",
        ),
    ],
)
def test_a_replication_that_fails_loses_only_itself(
    both: Callable[..., Optimization],
    capsys: pytest.CaptureFixture[str],
    act: Callable[[], Any],
    message: str,
) -> None:
    campaign = replace(both(lambda *_: Broken(act)), limit=0.2)
    (failure,) = run_campaign(campaign)
    assert str(failure) == f"failed: broken on branin, seed 0, trial 3: {message}"
    assert str(failure) in capsys.readouterr().err
    lost, kept = campaign.cells()
    assert campaign.is_complete(kept)
    assert not campaign.is_complete(lost)
    assert len(campaign.records(lost)) == 3


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (
            ImportError("pip install peer"),
            "unavailable: broken on branin: pip install peer (install it, or leave the method out)",
        ),
        (UsageError("ranges only"), "unavailable: broken on branin: ranges only"),
    ],
)
def test_a_method_that_cannot_start_is_told_once(
    both: Callable[..., Optimization],
    capsys: pytest.CaptureFixture[str],
    error: Exception,
    text: str,
) -> None:
    campaign = both(lambda *_: fail(error), seeds=3)
    failures = run_campaign(campaign)
    assert len(failures) == 3
    assert texts(failures) == [text]
    assert capsys.readouterr().err.count("unavailable") == 1
    assert all(campaign.is_complete(s) for s in campaign.cells() if s.method == "random")
