from pathlib import Path

import numpy as np
import pytest

from botorch_popbo.benchmarks.report import table
from botorch_popbo.benchmarks.report.optimization import results, write_report

from .conftest import SUMMARIES, curve, summary


def test_everything_is_written_and_the_page_stands_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_report(SUMMARIES, tmp_path)
    assert capsys.readouterr().out.startswith(table(SUMMARIES))
    found = sorted(path.name for path in tmp_path.iterdir())
    assert found == ["groups.csv", "report.html", "report.png", "results.csv"]
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "http" not in page
    for text in ("0.25 ± 0.12", "sklearn-digits", "torch 2", "average rank", "data:image/png"):
        assert text in page


def test_a_row_for_each_replication(tmp_path: Path) -> None:
    changed = {
        "evaluated": np.array([[1.0, 0.25], [1.0, 0.0]]),
        "times": np.array([[0.0, 1.25], [0.0, 1.0]]),
    }
    several = curve("botorch-gp", *(1 / 3, 1e-7 / 3), seeds=(0, 2), **changed)
    one = curve("random", 12345678.0, evaluated=np.full((1, 2), np.nan), seconds=1e-5)
    summaries = [
        summary(several, problem="branin-student", without=("popbo",)),
        summary(one, problem="sklearn-digits"),
    ]
    for number in (1, 2):
        write_report(summaries[:number], tmp_path)
    assert (tmp_path / "results.csv").read_text().splitlines() == [
        "problem,initial,trials,method,seed,result,best_evaluated,seconds_per_suggestion",
        "branin-student,12,1,botorch-gp,0,0.333333,0.25,1.25",
        "branin-student,12,1,botorch-gp,2,3.33333e-08,0,1",
        "sklearn-digits,12,1,random,0,1.23457e+07,,1e-05",
    ]
    assert len(results(summaries)) == 3
