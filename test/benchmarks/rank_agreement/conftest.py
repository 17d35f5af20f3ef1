from pathlib import Path

import pytest
from botorch_popbo.benchmarks.rank_agreement import evaluation
from botorch_popbo.benchmarks.rank_agreement.results import Result
from botorch_popbo.benchmarks.rank_agreement.study import Setting, Study


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return Study(
        models=("gp", "popbo-default"),
        design="uniform",
        noises=("gaussian",),
        deviations=(0.0, 0.3),
        seeds=2,
        jobs=1,
        output=tmp_path,
    )


def result(setting: Setting) -> Result:
    """A result that can be told from those of other settings."""
    tau = 0.5 + 0.1 * setting.seed - setting.deviation
    return Result(setting, tau, tuple(range(100)))


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[Setting]:
    """Replace the fits; the settings that were asked for."""
    found: list[Setting] = []

    def evaluate(setting: Setting) -> Result:
        found.append(setting)
        return result(setting)

    monkeypatch.setattr(evaluation, "evaluate", evaluate)
    return found
