import re
from dataclasses import replace
from pathlib import Path

import pytest

from botorch_popbo.benchmarks.cli import main
from botorch_popbo.benchmarks.errors import RecordError, UsageError
from botorch_popbo.benchmarks.experiments import Optimization
from botorch_popbo.benchmarks.experiments.optimization.coco_data import write_coco_data
from botorch_popbo.benchmarks.problems import PROBLEMS
from botorch_popbo.benchmarks.run._records import append_record
from botorch_popbo.benchmarks.run._replication import replicate

pytest.importorskip("cocoex")


def made(folder: Path, *problems: str, seeds: int = 2) -> Optimization:
    """A campaign that was run: three initial points and four evaluations."""
    fields = {"initial": dict.fromkeys(problems, 3), "trials": 4, "seeds": seeds, "jobs": 1}
    campaign = Optimization(methods=("random", "optuna-tpe"), output=folder, **fields)
    for cell in campaign.cells():
        replicate(campaign, cell)
    return campaign


def best_of(folder: Path, function: int) -> dict[int, tuple[int, float]]:
    """Evaluations and the final regret by instance, from COCO's index of a function."""
    text = (folder / f"bbobexp_f{function}.info").read_text()
    found = re.findall(r"(\d+):(\d+)\|([\d.e+-]+)", text)
    return {int(i): (int(n), float(regret)) for i, n, regret in found}


def test_the_files_say_what_the_records_say(tmp_path: Path) -> None:
    # A folder with a blank, which COCO's options cannot hold.
    output = tmp_path / "my results"
    campaign = made(output, "bbob-f3-d2", "bbob-f24-d2", "bbob-noisy-f109-d2", "branin")
    for _ in range(2):
        folders = write_coco_data(campaign)
    assert folders == [
        output / "coco" / suite / method
        for suite in ("bbob", "bbob-noisy")
        for method in ("random", "optuna-tpe")
    ]
    for cell in campaign.cells():
        if cell.problem == "branin":
            continue
        problem = PROBLEMS[cell.problem].load(None).for_seed(cell.seed)
        suite, function = re.findall(r"(.*)-f(\d+)-d2", cell.problem)[0]
        found = best_of(output / "coco" / suite / cell.method, int(function))
        scores = [record.score for record in campaign.records(cell) if record.score is not None]
        assert problem.optimal_value is not None
        evaluations, regret = found[cell.seed + 1]
        assert evaluations == 7
        assert regret == pytest.approx(min(scores) - problem.optimal_value, rel=0.06)
    info = (folders[0] / "bbobexp_f3.info").read_text()
    assert "suite = 'bbob', funcId = 3, DIM = 2" in info
    assert "algId = 'random'" in info


def test_an_infeasible_point_costs_only_constraints(tmp_path: Path) -> None:
    campaign = made(tmp_path, "bbob-constrained-f2-d2", seeds=1)
    folder, _ = write_coco_data(campaign)
    records = campaign.records(next(iter(campaign.cells())))
    feasible = sum(record.observed is not None for record in records)
    assert 0 < feasible < len(records)
    assert best_of(folder, 2)[1][0] == feasible


def test_only_complete_replications_are_written(tmp_path: Path) -> None:
    campaign = made(tmp_path, "bbob-f3-d2")
    assert write_coco_data(replace(campaign, trials=5)) == []
    assert not (tmp_path / "coco").exists()


def test_a_value_that_coco_does_not_find_is_an_error(tmp_path: Path) -> None:
    campaign = made(tmp_path, "bbob-f3-d2", seeds=1)
    cell = next(iter(campaign.cells()))
    first, *others = campaign.records(cell)
    campaign.path(cell).unlink()
    for record in (replace(first, score=1.0), *others):
        append_record(campaign.path(cell), cell, record)
    with pytest.raises(RecordError, match=r"bbob-f3-d2, trial 0: 1\.0 is recorded"):
        write_coco_data(campaign)


def test_other_problems_have_no_such_files(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no problem is COCO's"):
        write_coco_data(made(tmp_path, "branin"))


def test_the_command_names_the_folders(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made(tmp_path, "bbob-f3-d2")
    options = "coco-data --problems bbob-f3-d2 --methods random --initial 3 --trials 4 --seeds 2"
    assert main([*options.split(), "--output", str(tmp_path)]) == 0
    assert capsys.readouterr().out == f"{tmp_path / 'coco' / 'bbob' / 'random'}\n"
