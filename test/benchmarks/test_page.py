from dataclasses import replace
from pathlib import Path

import pytest
from botorch_popbo.benchmarks.curves import End
from botorch_popbo.benchmarks.page import write_page
from botorch_popbo.benchmarks.summary import Summary

from botorch_popbo.benchmarks.problems import PROBLEMS

from .test_report import BETTER, CURVE


@pytest.fixture
def summaries() -> list[Summary]:
    problems = [PROBLEMS[name].load(None) for name in ("branin", "sklearn-digits")]
    return [Summary(problem, 12, 2, 3, (CURVE, BETTER), ()) for problem in problems]


def test_the_page_stands_alone(summaries: list[Summary], tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    write_page(summaries, path)
    page = path.read_text(encoding="utf-8")
    assert "<script src=" not in page
    assert '<link rel="stylesheet" href=' not in page
    assert page.count("Plotly.newPlot(") >= 2
    assert "0.25 ± 0.12" in page
    assert "best evaluated" in page
    assert "sklearn-digits" in page
    for panel in ("Time of each suggestion", "Result against time"):
        assert page.count(panel) == len(summaries)


def test_the_page_ranks_methods_that_ran_everywhere(
    summaries: list[Summary], tmp_path: Path
) -> None:
    path = tmp_path / "report.html"
    write_page(summaries, path)
    assert "Average rank" not in path.read_text(encoding="utf-8")
    ended = [
        replace(
            summary,
            curves=tuple(replace(curve, ends=(End(0, 1.0, 1.0, 1.0),)) for curve in summary.curves),
        )
        for summary in summaries
    ]
    write_page(ended, path)
    page = path.read_text(encoding="utf-8")
    assert "Average rank" in page
    assert "2 problems of equal weight" in page
