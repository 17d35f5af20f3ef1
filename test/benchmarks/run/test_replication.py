import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from botorch_popbo._errors import UsageError
from botorch_popbo.benchmarks.experiments import Optimization
from botorch_popbo.benchmarks.methods import METHODS
from botorch_popbo.benchmarks.methods.base import Method, Suggestion
from botorch_popbo.benchmarks.problems import Problem
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
def both(campaign: MakeCampaign, monkeypatch: pytest.MonkeyPatch) -> MakeCampaign:
    def make(start: Callable[[Problem, Setting], Any], **options: Any) -> Optimization:
        monkeypatch.setitem(METHODS, "broken", Method("broken", "", start))
        return replace(campaign(**options), methods=("broken", "random"))

    return make


AGAIN, OUT = "(the same command tries it again)", "leave the method out)"


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda: fail(RuntimeError("no\nluck")), f"RuntimeError: no luck {AGAIN}"),
        (lambda: fail(SystemExit("bye")), f"SystemExit: bye {AGAIN}"),
        (
            lambda: time.sleep(60),
            f"no answer within the 0.2 seconds of --limit (raise --limit or {OUT}",
        ),
        (
            lambda: {"x0": 0.0, "x1": 99.0},
            f"OutsideError: suggested x1 = 99.0, which is not of (0.0, 15.0) {AGAIN}",
        ),
    ],
)
def test_a_replication_that_fails_loses_only_itself(
    both: MakeCampaign, capsys: pytest.CaptureFixture[str], act: Callable[[], Any], message: str
) -> None:
    campaign = replace(both(lambda *_: Broken(act)), limit=0.2)
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
    campaign = both(lambda *_: fail(kind("ranges only")), seeds=3)
    failures = run_campaign(campaign)
    told = f"unavailable: broken: ranges only (mend that, or {OUT}"
    assert [*map(str, failures)] == [told] * 3
    assert capsys.readouterr().err.count("unavailable") == 1
    assert all(campaign.is_complete(s) for s in campaign.cells() if s.method == "random")
