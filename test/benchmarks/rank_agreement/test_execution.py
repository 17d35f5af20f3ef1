from dataclasses import replace

import pytest
from botorch_popbo.benchmarks.rank_agreement import evaluation
from botorch_popbo.benchmarks.rank_agreement.execution import run
from botorch_popbo.benchmarks.rank_agreement.results import Result, read_results
from botorch_popbo.benchmarks.rank_agreement.study import Setting, Study

from .conftest import result


def test_every_fit_is_on_disk_once(study: Study, calls: list[Setting]) -> None:
    assert run(study) == []
    assert sorted(map(str, calls)) == sorted(map(str, study.settings()))
    assert study.records.read_bytes().count(b"\n") == len(calls) == 8
    assert read_results(study.records) == {s: result(s) for s in study.settings()}


def test_a_run_that_was_killed_repeats_nothing(study: Study, calls: list[Setting]) -> None:
    run(replace(study, seeds=1))
    lines = study.records.read_bytes().splitlines(keepends=True)
    # Killed while it wrote the last line.
    study.records.write_bytes(b"".join(lines)[:-5])
    lost = calls[-1]
    del calls[:]
    run(study)
    assert calls.count(lost) == 1
    assert sorted(map(str, calls)) == sorted(
        str(s) for s in study.settings() if s == lost or s.seed == 1
    )
    del calls[:]
    run(study)
    assert calls == []
    assert read_results(study.records) == {s: result(s) for s in study.settings()}


def test_a_model_that_raises_loses_its_own_result_only(
    study: Study, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def evaluate(setting: Setting) -> Result:
        if setting == failing:
            raise RuntimeError("not\npositive definite")
        return result(setting)

    failing = Setting("uniform", "gaussian", 0.3, "gp", 1)
    monkeypatch.setattr(evaluation, "evaluate", evaluate)
    assert run(study) == [failing]
    message = "failed: gp, gaussian 0.3, seed 1: RuntimeError: not positive definite"
    assert message in capsys.readouterr().err
    assert set(read_results(study.records)) == set(study.settings()) - {failing}
