"""What a report prints, draws and writes."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from botorch_popbo.benchmarks.problems import PROBLEMS
from botorch_popbo.benchmarks.report import Summary, figures, table
from botorch_popbo.benchmarks.report.optimization import write_report
from botorch_popbo.benchmarks.report.paper import compare_with_paper
from botorch_popbo.benchmarks.report.summary import Curve
from botorch_popbo.benchmarks.report.text import verdicts

from .conftest import curve, summary


def test_everything_is_written_and_the_page_stands_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    curves = curve("random", 0.0, 0.25, 0.5, versions=("torch 2",)), curve("popbo", 0.0, 0.1, 0.2)
    summaries = [summary(*curves, problem=name) for name in ("branin", "sklearn-digits")]
    write_report(summaries, tmp_path)
    assert capsys.readouterr().out.startswith(table(summaries))
    found = sorted(path.name for path in tmp_path.iterdir())
    assert found == ["groups.csv", "report.html", "report.png", "results.csv"]
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "http" not in page
    for text in ("0.25 ± 0.14", "sklearn-digits", "torch 2", "average rank", "data:image/png"):
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


def test_a_problem_without_a_result_is_drawn() -> None:
    nothing = summary(curve("popbo", np.nan), minimize=False)
    figure = figures.draw([nothing, summary(curve("popbo", 1.0)), summary()])
    FigureCanvasAgg(figure).draw()
    assert [panel.get_yscale() for panel in figure.axes[::3]] == ["linear", "log", "linear"]


@pytest.mark.parametrize(
    ("first", "second", "verdict"),
    [
        # Means of 3.5 and 2.7 standard errors; the quantiles are 4.3 of three seeds, 2.6 of six.
        ([0.0] * 3, [2.0, 4.0, 1.0], "too few seeds to tell"),
        ([0.0] * 5, [2.0, -4.0, 1.0, 0.0, 1.0], "too few seeds to tell"),
        ([0.0] * 6, [2.0, -4.0, 1.0, 0.0, 1.0, 1.0], "tied"),
        ([0.0] * 3, [2.0, 2.5, 3.0], "a ahead of b"),
        ([0.0] * 6, [2.0, 4.0, 1.0, 2.0, 5.0, -0.5], "a ahead of b"),
        ([0.0] * 2, [9.0, 9.1], "too few seeds to tell"),
    ],
)
def test_a_method_is_ahead_by_students_quantile_of_its_seeds(
    first: list[float], second: list[float], verdict: str
) -> None:
    both = summary(curve("a", *first), curve("b", *second), seeds=len(first))
    assert [*verdicts([both])] == [f"verdict on branin: {verdict}"]


def test_what_needs_no_tuning_stands_beside_the_methods() -> None:
    lines = table([summary(curve("popbo", 0.06), problem="tuning-svm-digits")]).splitlines()
    assert [line.split()[:4] for line in lines if "default" in line] == [
        ["default", "settings", "-", "0.1"]
    ]


def of_papers(name: str, tables: Path, *curves: Curve) -> Any:
    """The rows of a problem with the paper's numbers of evaluations."""
    problem = PROBLEMS[name].load(tables)
    found = Summary(problem, initial=12, trials=80, seeds=2, curves=curves)
    return compare_with_paper([found]).itertuples()


def test_regrets_stand_beside_the_papers(tables: Path) -> None:
    good = curve("popbo-eri", 4e-5, 6e-5), curve("popbo-rlcb", 1e-5, 1e-5)
    others = curve("random", 1.0), curve("botorch-gp", 1.0)
    eri, rlcb, random = of_papers("fcnet-slice", tables, *good, *others)
    assert (eri.mean_paper, eri.deviation_paper) == (4.83e-5, 3.29e-5)
    assert (eri.mean, eri.seeds, eri.verdict) == (pytest.approx(5e-5), 2, "within")
    assert eri.deviation == pytest.approx(2**0.5 * 1e-5)
    assert (rlcb.verdict, random.verdict) == ("better", "worse")
    assert math.isnan(random.deviation)


def test_accuracies_are_good_when_they_are_large(tables: Path) -> None:
    measures: Any = {"CIFAR-10 valid": 91.6, "CIFAR-100 valid": 70.0}
    rows = of_papers("nasbench201", tables, curve("popbo-eri", 0.0, measures=(measures,)))
    assert [(row.measure, row.verdict) for row in rows] == [
        ("CIFAR-10 valid", "better"),
        ("CIFAR-100 valid", "worse"),
    ]
