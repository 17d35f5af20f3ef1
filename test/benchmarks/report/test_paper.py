import csv
import math
from pathlib import Path
from typing import Any

import pytest

from botorch_popbo.benchmarks.problems import PROBLEMS
from botorch_popbo.benchmarks.report._optimization import write_report
from botorch_popbo.benchmarks.report._paper import compare_with_paper, paper_table
from botorch_popbo.benchmarks.report.summary import Curve, Summary

from .conftest import curve


def summary(name: str, tables: Path, *curves: Curve, trials: int = 80) -> Summary:
    problem = PROBLEMS[name].load(tables)
    return Summary(problem, initial=12, trials=trials, seeds=2, curves=curves)


def test_regrets_stand_beside_the_papers(tables: Path) -> None:
    good = curve("popbo-eri", 4e-5, 6e-5), curve("popbo-rlcb", 1e-5, 1e-5)
    curves = (*good, curve("random", 1.0), curve("botorch-gp", 1.0))
    cells = compare_with_paper([summary("fcnet-slice", tables, *curves)])
    eri, rlcb, random = cells.itertuples()
    assert (eri.mean_paper, eri.deviation_paper) == (4.83e-5, 3.29e-5)
    assert (eri.mean, eri.seeds, eri.verdict) == (pytest.approx(5e-5), 2, "within")
    assert eri.deviation == pytest.approx(2**0.5 * 1e-5)
    assert (rlcb.verdict, random.verdict) == ("better", "worse")
    assert math.isnan(random.deviation)
    *_, last = paper_table(cells).splitlines()
    assert last.split()[-7:] == ["random", *["0.0001480", "±", "7.4e-05", "1", "1", "worse"]]


def test_accuracies_are_good_when_they_are_large(tables: Path) -> None:
    measures: Any = {"CIFAR-10 valid": 91.6, "CIFAR-100 valid": 70.0}
    found = curve("popbo-eri", 0.0, measures=(measures,))
    cells = compare_with_paper([summary("nasbench201", tables, found)])
    assert [(c.measure, c.verdict) for c in cells.itertuples()] == [
        ("CIFAR-10 valid", "better"),
        ("CIFAR-100 valid", "worse"),
    ]


def test_other_settings_are_not_compared(tables: Path) -> None:
    found = curve("popbo-eri", 1.0)
    for name, trials in (("fcnet-slice", 20), ("branin", 80)):
        cells = compare_with_paper([summary(name, tables, found, trials=trials)])
        assert cells.empty


def test_the_comparison_is_printed_and_written(
    tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    traces = curve("popbo-eri", 4e-5, 6e-5).traces[:, [0] * 80 + [1]]
    times = traces.cumsum(axis=1)
    found = curve("popbo-eri", 4e-5, 6e-5, traces=traces, times=times)
    write_report([summary("fcnet-slice", tables, found)], tmp_path)
    assert "beside the paper" in capsys.readouterr().out
    assert "beside the paper" in (tmp_path / "report.html").read_text(encoding="utf-8")
    with (tmp_path / "paper.csv").open(encoding="utf-8") as file:
        (row,) = csv.DictReader(file)
    assert row["method"] == "popbo-eri"
    assert (float(row["mean_paper"]), float(row["mean"])) == (4.83e-5, 5e-5)
