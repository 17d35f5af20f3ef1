import csv
import math
from dataclasses import replace
from pathlib import Path

import pytest
from botorch_popbo.benchmarks.records import TrialRecord, append_record, records_path

from botorch_popbo.benchmarks.problems import PROBLEMS
from botorch_popbo.benchmarks.report._against_paper import (
    Comparison,
    compare_with_paper,
    paper_table,
    write_paper,
)
from botorch_popbo.benchmarks.report._paper import PAPER
from botorch_popbo.benchmarks.report.summary import Curve, End, Summary, make_curve

from .conftest import MakeCampaign, only


def summary(name: str, tables: Path, curves: tuple[Curve, ...], trials: int = 80) -> Summary:
    problem = PROBLEMS[name].load(tables)
    return Summary(problem, initial=12, trials=trials, seeds=2, curves=curves, without=())


@pytest.fixture
def curve(campaign: MakeCampaign) -> Curve:
    """Any curve; its ends are replaced."""
    planned = campaign(trials=1)
    for trial in range(4):
        record = TrialRecord(trial, {"x0": 0.0, "x1": 0.0}, 1.0, 1.0, None, 0.1, 0.1, "random", {})
        path = records_path(planned.output, only(planned))
        path.parent.mkdir(parents=True, exist_ok=True)
        append_record(path, only(planned), record)
    found = make_curve(planned, PROBLEMS["branin"].load(None), 3, "random")
    assert found is not None
    return found


def ended(curve: Curve, method: str, *results: float, **measures: float) -> Curve:
    named = {name.replace("_", " ").replace("CIFAR", "CIFAR-"): x for name, x in measures.items()}
    ends = tuple(End(seed, result, result, 0.1, named) for seed, result in enumerate(results))
    return replace(curve, method=method, ends=ends)


def test_regrets_stand_beside_the_papers(curve: Curve, tables: Path) -> None:
    curves = (
        ended(curve, "popbo-eri", 4e-5, 6e-5),
        ended(curve, "popbo-rlcb", 1e-5, 1e-5),
        ended(curve, "random", 1.0),
        ended(curve, "botorch-gp", 1.0),
    )
    eri, rlcb, random = compare_with_paper([summary("fcnet-slice", tables, curves)])
    assert (eri.paper_mean, eri.paper_deviation) == (4.83e-5, 3.29e-5)
    assert (eri.mean, eri.seeds, eri.verdict) == (pytest.approx(5e-5), 2, "within")
    assert eri.deviation == pytest.approx(2**0.5 * 1e-5)
    assert (rlcb.verdict, random.verdict) == ("better", "worse")
    assert math.isnan(random.deviation)


def test_accuracies_are_good_when_they_are_large(curve: Curve, tables: Path) -> None:
    curves = (ended(curve, "popbo-eri", 0.0, CIFAR10_valid=91.6, CIFAR100_valid=70.0),)
    found = compare_with_paper([summary("nasbench201", tables, curves)])
    assert [(c.measure, c.verdict) for c in found] == [
        ("CIFAR-10 valid", "better"),
        ("CIFAR-100 valid", "worse"),
    ]


def test_other_settings_are_not_compared(curve: Curve, tables: Path) -> None:
    curves = (ended(curve, "popbo-eri", 1.0),)
    assert compare_with_paper([summary("fcnet-slice", tables, curves, trials=20)]) == []
    assert compare_with_paper([summary("branin", tables, curves)]) == []
    assert paper_table([]) == ""


def test_the_comparison_is_written(tmp_path: Path) -> None:
    cell = Comparison("p", "regret", "m", 1.0, 0.5, 1.25, 0.25, 3, "within")
    write_paper([cell], tmp_path / "paper.csv")
    with (tmp_path / "paper.csv").open(encoding="utf-8") as file:
        (row,) = csv.DictReader(file)
    assert row["method"] == "m"
    assert (float(row["paper_mean"]), float(row["mean"])) == (1.0, 1.25)
    assert "paper 1.000 ± 0.5" in paper_table([cell])
    assert "3 seeds  within" in paper_table([cell])


def test_known_methods_and_problems_are_named() -> None:
    from botorch_popbo.benchmarks.methods import METHODS

    for problem, measures in PAPER.items():
        assert problem in PROBLEMS
        for reported in measures.values():
            assert set(reported) <= set(METHODS)
            assert all(deviation > 0 for _, deviation in reported.values())
