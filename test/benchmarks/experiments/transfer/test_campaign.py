import json
from pathlib import Path

import pytest
import torch

from botorch_popbo.benchmarks.cli import main
from botorch_popbo.benchmarks.experiments.transfer._campaign import KINDS, Search, Transfer


def test_shuffled_sources_have_the_same_points_and_other_outcomes(tables: Path) -> None:
    campaign = Transfer.planned(
        data=tables,
        problems=("fcnet-slice",),
        sources=KINDS,
        size=12,
        initial=4,
        methods=(),
        seeds=1,
        trials=4,
        output=Path(),
        jobs=1,
        limit=1.0,
        backend="local",
    )
    good, shuffled = (
        campaign._sources(Search("fcnet-slice", kind, 12, 4, "popbo-sources", 0))
        for kind in ("good", "shuffled")
    )
    assert len(good) == len(shuffled) == 3
    for one, other in zip(good, shuffled, strict=True):
        assert torch.equal(one.X, other.X)
        assert not torch.equal(one.Y, other.Y)
        assert torch.equal(one.Y.sort(0).values, other.Y.sort(0).values)


def run(tables: Path, output: Path, *options: str) -> list[list[float]]:
    base = ["--campaign", "transfer", "--smoke", "--problems", "fcnet-slice", "--jobs", "1"]
    paths = ["--data", str(tables), "--output", str(output)]
    assert main(["compare", *base, *paths, *options]) == 0
    files = sorted(output.glob("records/*.jsonl"))
    return [[json.loads(line)["regret"] for line in f.read_text().splitlines()] for f in files]


def test_a_search_with_sources_is_resumable_and_in_the_table(
    tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    complete = run(tables, tmp_path / "first")
    printed = capsys.readouterr().out
    assert printed.count(" popbo-sources ") == 2  # with good and with shuffled ones
    assert printed.count(" popbo ") == 1
    assert "sources of 12 points each" in printed
    assert all(len(regrets) == 4 and min(regrets) >= 0.0 for regrets in complete)
    assert all(regrets == sorted(regrets, reverse=True) for regrets in complete)
    run(tables, tmp_path / "second", "--trials", "3")
    assert run(tables, tmp_path / "second") == complete
