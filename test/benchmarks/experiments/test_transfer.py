import json
from pathlib import Path
from typing import Any

import pytest
import torch

from botorch_popbo.benchmarks.cli import main
from botorch_popbo.benchmarks.experiments._transfer import (
    KINDS,
    SEARCHERS,
    Search,
    Task,
    Transfer,
)
from botorch_popbo.space import Space

SPACE = Space.read({"size": [1, 2, 3, 4, 5], "kind": ["a", "b"]})
POINTS = torch.tensor([[size, kind] for size in range(5) for kind in (0, 1)]).double()
NONE = Task(POINTS[:0], POINTS[:0, :1])


def task(*rows: int) -> Task:
    X = POINTS[list(rows)]
    return Task(X, X[:, :1] / 4 - X[:, 1:])


@pytest.mark.parametrize("name", SEARCHERS)
def test_a_point_that_is_not_evaluated_is_chosen(name: str) -> None:
    searcher = SEARCHERS[name]
    sources = [task(0, 3, 4, 6)] if searcher.takes_sources else []
    chosen = searcher.choose(task(0, 1, 2), sources, SPACE, 0)
    assert (POINTS[3:] == chosen).all(-1).any()


def test_sources_alone_are_followed_in_turn() -> None:
    choose, sources = SEARCHERS["best-of-sources"].choose, [task(0, 3, 6), task(1, 2, 8)]
    target, order = NONE, []
    for _ in range(6):
        x = choose(target, sources, SPACE, 0)
        order.append(int((x == POINTS).all(-1).nonzero()))
        target = Task(torch.cat([target.X, x.unsqueeze(0)]), target.Y)
    assert order == [6, 8, 0, 2, 3, 1]


def test_shuffled_sources_have_the_same_points_and_other_outcomes(tables: Path) -> None:
    settings: Any = {"problems": ("fcnet-slice",), "sources": KINDS, "size": 12, "initial": 4}
    settings |= {"methods": (), "seeds": 1, "trials": 4, "output": Path(), "jobs": 1}
    campaign = Transfer(**settings, data=tables)
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
    base = ["--campaign", "transfer", "--smoke", "fcnet-slice", "--jobs", "1"]
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
    assert "sources of 12 points each" in printed
    assert all(len(regrets) == 4 and min(regrets) >= 0.0 for regrets in complete)
    assert all(regrets == sorted(regrets, reverse=True) for regrets in complete)
    run(tables, tmp_path / "second", "--trials", "3")
    assert run(tables, tmp_path / "second") == complete
