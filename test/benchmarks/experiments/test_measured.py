"""Experiments of which a replication is one record of numbers: what a command makes of them."""

import json
import math
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from botorch_popbo.benchmarks.cli import main
from botorch_popbo.benchmarks.experiments import experiment
from botorch_popbo.benchmarks.experiments.notebook import METHODS, Lab
from botorch_popbo.benchmarks.experiments.parts import Ledger, Spent
from botorch_popbo.benchmarks.experiments.transfer import KINDS, Search, Transfer
from botorch_popbo.benchmarks.problems.parts import CURVES, PartsProblem, load
from botorch_popbo.space import Space

Capture = pytest.CaptureFixture[str]


def compared(folder: Path, words: str) -> list[dict[str, Any]]:
    """The numbers of each replication of a campaign."""
    assert main(["compare", *words.split(), "--jobs", "1", "--output", str(folder)]) == 0
    texts = [path.read_text() for path in sorted(folder.glob("records/*.jsonl"))]
    return [json.loads(text)["numbers"] for text in texts]


@pytest.mark.parametrize(
    ("words", "row"),
    [
        ("--campaign paper-forrester --smoke --methods gp", "gaussian 0.00 gp 2/2"),
        ("--campaign rank-calibration --smoke --methods gp", "2 20 0.25 gp 1/1"),
        (
            "hartmann3 --campaign preferences --smoke --seeds 1 --methods popbo chance",
            "hartmann3 0.1 2 7 popbo 1/1 ",
        ),
    ],
)
def test_a_report_says_what_the_run_said(
    words: str, row: str, tmp_path: Path, capsys: Capture
) -> None:
    records = compared(tmp_path, words)
    printed = capsys.readouterr().out
    assert row in " ".join(printed.split())
    assert main(["report", *words.split(), "--output", str(tmp_path)]) == 0
    assert capsys.readouterr().out == printed
    if "preferences" in words:
        for numbers in records:
            assert [*numbers] == [*"1234567", "seconds"]
            assert min(numbers.values()) >= -1e-4  # an optimum is tabulated to five digits


@pytest.mark.parametrize("problem", ["bnh", "g6"])
def test_methods_learn_objectives_and_slacks_and_are_ranked(
    problem: str, tmp_path: Path, capsys: Capture
) -> None:
    words = f"{problem} --campaign fronts --methods popbo-optuna random --trials 12 --seeds 1"
    records = compared(tmp_path / "first", words)
    printed = " ".join(capsys.readouterr().out.split())
    assert f"{problem} popbo-optuna 12 1/1 " in printed
    assert "average rank in 1 replications" in printed
    again = compared(tmp_path / "second", words)
    for numbers, repeated in zip(records, again, strict=True):
        assert numbers.pop("seconds") > 0.0 < repeated.pop("seconds")
        assert [*numbers] == [str(trial) for trial in range(1, 13)]
        losses = [loss for loss in numbers.values() if loss is not None]
        assert losses == sorted(losses, reverse=True)
    assert again == records


@pytest.mark.slow
# Ax takes half a minute, and has tests of its own.
@pytest.mark.parametrize(
    "method", [m for m in experiment("fronts").keys["methods"].default if m != "ax-default"]
)
def test_every_method_suggests_after_its_design(method: str, tmp_path: Path) -> None:
    words = "constrained-branin-currin --campaign fronts --trials 12 --seeds 1 --methods"
    assert len(compared(tmp_path, f"{words} {method}")) == 1


def test_searches_with_and_without_sources_are_in_the_table(
    tables: Path, tmp_path: Path, capsys: Capture
) -> None:
    for numbers in compared(tmp_path, f"fcnet-slice --campaign transfer --smoke --data {tables}"):
        *regrets, _ = numbers.values()
        assert len(regrets) == 4
        assert min(regrets) >= 0.0
        assert regrets == sorted(regrets, reverse=True)
    printed = " ".join(capsys.readouterr().out.split())
    assert all(f" {kind} 4 popbo 1/1 " in printed for kind in KINDS)


def test_shuffled_sources_have_the_same_points_and_other_outcomes(tables: Path) -> None:
    settings: Any = {"problems": (), "sources": KINDS, "methods": (), "trials": 4}
    campaign = Transfer(**settings, seeds=1, jobs=1, output=tables, data=tables)
    good, shuffled = (
        campaign.tasks(Search("fcnet-slice", kind, 4, "popbo", 0)) for kind in ("good", "shuffled")
    )
    assert len(good) == len(shuffled) == 3
    for one, other in zip(good, shuffled, strict=True):
        assert one.X.tolist() == other.X.tolist()
        assert one.Y.tolist() != other.Y.tolist()
        assert sorted(one.Y.tolist()) == sorted(other.Y.tolist())


@pytest.mark.parametrize("problem", ["tuning-tree-wine", "crossing-far", "branin-gaussian"])
def test_methods_spend_the_same_number_of_parts(
    problem: str, tmp_path: Path, capsys: Capture
) -> None:
    words = f"{problem} --campaign folds --smoke --methods popbo popbo-optuna tpe-median tpe-whole"
    records = compared(tmp_path, words)
    assert "lead of popbo over others" in capsys.readouterr().out
    assert len(records) == 4
    for numbers in records:
        held_out = ["held-out"] if "tuning" in problem else []
        assert [*numbers] == [*"1234", "missed", *held_out]
        found = [numbers[cost] for cost in "1234" if numbers[cost] is not None]
        assert found
        if problem != "branin-gaussian":
            assert found == sorted(found, reverse=True)


def test_parts_are_counted_and_the_best_whole_one_is_scored() -> None:
    problem = PartsProblem(Space.read({"x": (0.0, 1.0)}), "mean", 3, lambda x, _: iter(x["parts"]))
    ledger = Ledger(problem, 0, 8)
    assert [*ledger.evaluate({"parts": [3.0, 2.0, 1.0]}, [])] == [3.0, 2.0, 1.0]
    first = ledger.evaluate({"parts": [1.0, 1.0, 1.0]}, [])
    assert [next(first), next(first)] == [1.0, 1.0]
    assert ledger.num_missed() == 1
    assert [*ledger.evaluate({"parts": [1.0, 1.0, 1.0]}, [1.0, 1.0])] == [1.0]
    with pytest.raises(ValueError, match="failed"):
        [*ledger.evaluate({"parts": [math.nan]}, [])]
    assert ledger.trace == [math.inf, math.inf, 2.0, 2.0, 2.0, 1.0, 1.0]
    assert ledger.num_missed() == 0
    with pytest.raises(Spent):
        [*ledger.evaluate({"parts": [1.0, 1.0, 1.0]}, [])]


@pytest.mark.parametrize("name", [name for name in CURVES if name.endswith(("wine", "diabetes"))])
def test_a_curve_is_one_of_losses_and_always_the_same(name: str) -> None:
    problem = load(name)
    point = problem.space.decode(problem.space.draw(3, 0)[2])
    losses = [*islice(problem.parts(point, 0), 4)]
    assert all(0.0 < loss <= 10.0 for loss in losses)
    assert losses == [*islice(problem.parts(point, 1), 4)]


@pytest.mark.parametrize("name", [name for name in METHODS if name not in ("baybe", "bofire")])
def test_each_candidate_is_tried_once_and_the_best_before_random_ones(name: str) -> None:
    points = [(float(a), float(b), kind) for a in range(3) for b in range(4) for kind in "xy"]
    means = np.array([-abs(a - 1) - abs(b - 2) - (kind == "x") for a, b, kind in points])
    lab = Lab(points, [[mean] for mean in means], means)
    method, tried = METHODS[name](lab, 0), []
    while asked := method.ask(6):
        tried += asked
        for index in asked:
            fails = points[index][0] == 2.0
            method.tell(index, None if fails else means[index])
    assert sorted(tried) == [*range(24)]
    assert method.best == means.argmax()
    assert name in ("forest", "random") or tried.index(means.argmax()) < 18


@pytest.mark.parametrize(
    ("way", "failing"), [("nothing", []), ("worst", [0, 1]), ("near", [8, 9]), ("random", [])]
)
def test_where_candidates_always_fail(way: str, failing: list[int]) -> None:
    means = np.array([-40.0, -30.0, -9.0, -8.0, -7.0, -3.0, -1.0, -4.0, -10.0, 0.0])
    lab = Lab([(float(place),) for place in range(10)], means[:, None].tolist(), means)
    assert np.flatnonzero(lab.lost(way, 0.2)).tolist() == failing
