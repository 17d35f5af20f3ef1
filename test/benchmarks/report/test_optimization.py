import csv
from pathlib import Path

import numpy as np
import pytest
from botorch_popbo.benchmarks.results import write_results

from botorch_popbo.benchmarks.problems import PROBLEMS
from botorch_popbo.benchmarks.report.summary import Curve, End, Summary

SEVERAL = Curve(
    method="botorch-gp",
    num_seeds=3,
    mean=np.array([4.0, 2.0, 1 / 3]),
    error=np.array([1.0, 3.0, 1e-7 / 3]),
    best_evaluated=0.25,
    best_evaluated_error=0.125,
    seconds=np.array([0.0, 1.0, 2.5]),
    num_fallbacks=0,
    versions=(),
    ends=(End(0, 1 / 3, 0.25, 1.25), End(2, 1e-7 / 3, 0.0, 1.0)),
)
ONE = Curve(
    method="random",
    num_seeds=1,
    mean=np.array([4.0, 2.0, 12345678.0]),
    error=np.full(3, np.nan),
    best_evaluated=np.nan,
    best_evaluated_error=np.nan,
    seconds=np.array([0.0, 1e-5, 2e-5]),
    num_fallbacks=0,
    versions=(),
    ends=(End(0, 12345678.0, np.nan, 1e-5),),
)


@pytest.fixture
def summaries() -> list[Summary]:
    branin, digits = (PROBLEMS[name].load(None) for name in ("branin-student", "sklearn-digits"))
    return [
        Summary(branin, 12, 2, 3, (SEVERAL,), ("sobol",)),
        Summary(digits, 12, 2, 3, (ONE,), ()),
    ]


def test_a_row_for_each_replication(summaries: list[Summary], tmp_path: Path) -> None:
    write_results(summaries, tmp_path / "results.csv")
    with (tmp_path / "results.csv").open(newline="") as file:
        header, *rows = csv.reader(file)
    assert header == [
        *("problem", "initial", "trials", "method", "seed"),
        *("result", "best_evaluated", "seconds_per_suggestion"),
    ]
    assert rows == [
        ["branin-student", "12", "2", "botorch-gp", "0", "0.333333", "0.25", "1.25"],
        ["branin-student", "12", "2", "botorch-gp", "2", "3.33333e-08", "0", "1"],
        ["sklearn-digits", "12", "2", "random", "0", "1.23457e+07", "", "1e-05"],
    ]


def test_the_file_is_replaced_whole(summaries: list[Summary], tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    write_results(summaries, path)
    write_results(summaries[:1], path)
    assert path.read_text().count("\n") == 3
    assert [file.name for file in tmp_path.iterdir()] == ["results.csv"]
