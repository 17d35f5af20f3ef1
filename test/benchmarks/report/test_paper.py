import math
from pathlib import Path
from typing import Any

import pytest

from botorch_popbo.benchmarks.problems import PROBLEMS
from botorch_popbo.benchmarks.report.paper import compare_with_paper
from botorch_popbo.benchmarks.report.summary import Curve, Summary

from .conftest import curve


def summary(name: str, tables: Path, *curves: Curve) -> Summary:
    problem = PROBLEMS[name].load(tables)
    return Summary(problem, initial=12, trials=80, seeds=2, curves=curves)


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


def test_accuracies_are_good_when_they_are_large(tables: Path) -> None:
    measures: Any = {"CIFAR-10 valid": 91.6, "CIFAR-100 valid": 70.0}
    found = curve("popbo-eri", 0.0, measures=(measures,))
    cells = compare_with_paper([summary("nasbench201", tables, found)])
    assert [(c.measure, c.verdict) for c in cells.itertuples()] == [
        ("CIFAR-10 valid", "better"),
        ("CIFAR-100 valid", "worse"),
    ]
