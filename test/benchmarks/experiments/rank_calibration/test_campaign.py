from pathlib import Path

import pandas as pd
import pytest
import torch

from botorch_popbo.benchmarks.cli import main
from botorch_popbo.benchmarks.experiments.rank_calibration._campaign import (
    CalibrationRecord,
    Fit,
    RankCalibration,
)
from botorch_popbo.benchmarks.experiments.rank_calibration._models import MODELS


def test_smoke_scores_both_laws_of_every_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--campaign", "rank-calibration", "--smoke", "--methods", *MODELS]
    options += ["--output", str(tmp_path)]
    assert main(["compare", *options, "--jobs", "1"]) == 0
    printed = capsys.readouterr().out
    rows = pd.read_csv(tmp_path / "results.csv")
    assert set(rows["model"]) == set(MODELS)
    assert set(rows["ranked"]) == {"outcome", "value"}
    assert len(rows) == 2 * len(MODELS)
    assert "lengthscale 0.3 √d" in printed
    assert printed.count("1/1") == 2 * len(MODELS)
    monkeypatch.setattr(RankCalibration, "evaluate", None)
    assert main(["report", *options]) == 0
    assert capsys.readouterr().out == printed


@pytest.mark.parametrize("model", MODELS)
def test_every_model_gives_laws_that_are_wider_for_outcomes(model: str, tmp_path: Path) -> None:
    campaign = RankCalibration(
        methods=(model,),
        seeds=1,
        jobs=1,
        output=tmp_path,
        dims=(1,),
        sizes=(12,),
        variances=(0.0,),
        lengthscale=0.3,
    )
    cell = Fit(1, 12, 0.0, 0.3, model, seed=0)
    before = torch.get_rng_state()
    found = list(campaign.evaluate(cell, [], lambda: torch.random.fork_rng(enabled=False)))
    assert torch.equal(torch.get_rng_state(), before)
    assert [record.ranked for record in found] == ["outcome", "value"]
    assert all(record.log_score > -4.0 for record in found)  # far above the floor
    rest = campaign.evaluate(cell, found[:1], lambda: torch.random.fork_rng(enabled=False))
    assert list(rest) == found[1:]
    assert isinstance(found[0], CalibrationRecord)
