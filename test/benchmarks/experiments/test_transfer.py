import json
from pathlib import Path
from typing import Any

import pytest
import torch

from botorch_popbo.benchmarks.cli import main
from botorch_popbo.benchmarks.experiments.transfer import KINDS, Search, Transfer


def test_shuffled_sources_have_the_same_points_and_other_outcomes(tables: Path) -> None:
    settings: Any = {"problems": ("fcnet-slice",), "sources": KINDS}
    settings |= {"methods": (), "seeds": 1, "trials": 4, "output": Path(), "jobs": 1}
    campaign = Transfer(**settings, data=tables)
    good, shuffled = (
        campaign._sources(Search("fcnet-slice", kind, 4, "popbo", 0))
        for kind in ("good", "shuffled")
    )
    assert len(good) == len(shuffled) == 3
    for one, other in zip(good, shuffled, strict=True):
        assert torch.equal(one.X, other.X)
        assert not torch.equal(one.Y, other.Y)
        assert torch.equal(one.Y.sort(0).values, other.Y.sort(0).values)


def test_searches_with_and_without_sources_are_in_the_table(
    tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base = ["--campaign", "transfer", "--smoke", "fcnet-slice", "--jobs", "1"]
    assert main(["compare", *base, "--data", str(tables), "--output", str(tmp_path)]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert all(f" {kind} 4 popbo 1/1 " in printed for kind in KINDS)
    for path in tmp_path.glob("records/*.jsonl"):
        *regrets, _ = json.loads(path.read_text())["numbers"].values()
        assert len(regrets) == 4
        assert min(regrets) >= 0.0
        assert regrets == sorted(regrets, reverse=True)
