import csv
from pathlib import Path

import pytest
from botorch_popbo.benchmarks.rank_agreement import evaluation
from botorch_popbo.benchmarks.rank_agreement.study import Setting

from botorch_popbo.benchmarks.cli import main

CAMPAIGN = ["--campaign", "paper-forrester"]


def test_smoke_runs_and_a_report_says_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    models = ["--methods", "gp", "popbo-default"]
    options = [*CAMPAIGN, "--smoke", *models, "--output", str(tmp_path)]
    assert main(["compare", *options, "--jobs", "1"]) == 0
    printed = capsys.readouterr().out
    with (tmp_path / "results.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 2 * 2 * 2 * 2
    assert {row["deviation"] for row in rows} == {"0.0", "0.45"}
    assert {row["noise"] for row in rows} == {"gaussian", "outliers"}
    assert "missing" not in printed
    picture = (tmp_path / "report.png").read_bytes()
    assert picture.startswith(b"\x89PNG")
    page = (tmp_path / "report.html").read_text()
    assert "data:image/png;base64," in page
    assert "http" not in page
    (tmp_path / "report.html").unlink()
    monkeypatch.setattr(evaluation, "evaluate", None)
    assert main(["report", *options]) == 0
    assert capsys.readouterr().out == printed
    assert (tmp_path / "report.html").read_text() == page


def test_a_failure_is_status_1_and_a_dash(
    tmp_path: Path, calls: list[Setting], capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(setting: Setting) -> None:
        raise ArithmeticError(f"no {setting.model}")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evaluation, "evaluate", fail)
        options = [*CAMPAIGN, "--smoke", "--methods", "gp", "--output", str(tmp_path)]
        assert main(["compare", *options, "--jobs", "1"]) == 1
    streams = capsys.readouterr()
    assert "failed: gp, gaussian 0, seed 0: ArithmeticError: no gp" in streams.err
    assert "missing: 4 of 4 results of gp, outliers" in streams.out
    # The same command tries again.
    assert main(["compare", *options, "--jobs", "1"]) == 0
    assert len(calls) == 8


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--methods", "popbo"], "there is no method 'popbo'; known: gp, gp-noise-free, "),
        (["--problems", "branin"], "the experiment rank-agreement has no --problems"),
        (["--trials", "3"], "the experiment rank-agreement has no --trials"),
        (["--initial", "3"], "the experiment rank-agreement has no --initial"),
        (["--limit", "3"], "the experiment rank-agreement has no --limit"),
        (["--backend", "ray"], "the experiment rank-agreement has no --backend ray"),
    ],
)
def test_misuse_is_told(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", *CAMPAIGN, *arguments]) == 2
    assert f"popbo: error: {message}" in capsys.readouterr().err


def test_nothing_to_report_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", *CAMPAIGN, "--output", str(tmp_path)]) == 2
    assert "rank-agreement.jsonl; popbo compare makes it" in capsys.readouterr().err
