"""The report of a file of ``minimize``."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from botorch_popbo import Optimizer, minimize
from botorch_popbo.benchmarks.cli import main

Capture = pytest.CaptureFixture[str]
PAST = [
    {"x": 0.9, "k": "b", "value": 0.3, "standard_error": 0.1},
    {"x": 0.1, "k": "a", "value": float("nan")},
]


def loss(x: float, k: str) -> float:
    if x > 0.95:
        raise ValueError("too large")
    return (x - 0.3) ** 2 + (k == "b")


def ran(path: Path, number: int = 14, **options: Any) -> float:
    """The chance at the end of a run."""
    space = {"x": (0.0, 1.0), "k": ["a", "b"]}
    options = {"n_initial": 5, "progress": False} | options
    return minimize(loss, space, number, path=path, **options).outlook().chance


@pytest.mark.parametrize(
    "options", [{}, {"order_only": True, "start": PAST, "seed": 1}, {"direction": "maximize"}]
)
def test_it_states_the_chances_of_a_run(options: Any, tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / "run.json"
    chance = ran(file, **options)
    before = file.read_bytes()
    assert main(["report", str(file)]) == 0
    assert file.read_bytes() == before
    folder, printed = tmp_path / "run-report", capsys.readouterr().out
    found = pd.read_csv(folder / "results.csv")
    assert found["evaluations"].iloc[-1] == 14
    assert found["evaluations"].is_monotonic_increasing
    assert found["evaluations"].iloc[0] < 9
    assert found["chance"].iloc[-1] == pytest.approx(chance, abs=1e-6)
    assert f"there is a {chance:.0%} chance of anything better" in printed
    assert " ".join(printed.split()).count("expected place") == 5
    page = (folder / "report.html").read_text()
    assert "<img src=" in page
    assert "pre-wrap" in page  # its lines are as long as sentences


def test_the_help_names_the_file(capsys: Capture) -> None:
    with pytest.raises(SystemExit):
        main(["report", "--help"])
    told = " ".join(capsys.readouterr().out.split())
    assert "or only the FILE.json of minimize(path=...)" in told


def test_misuse_is_told(tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / "run.json"
    ran(file, 4)
    assert main(["report", str(file)]) == 2
    assert "holds only the initial design" in capsys.readouterr().err
    written = file.read_text()
    for right, wrong in (("minimize 2", "minimize 1"), ('"mean"', '"median"')):
        file.write_text(written.replace(right, wrong))
        assert main(["report", str(file)]) == 2
        assert "is not a saved run of minimize" in capsys.readouterr().err
    Optimizer({"x": (0, 1)}).save(tmp_path / "saved.json")
    for content in (
        '{"format": "minimize 2"}',
        "[]",
        "[" * 9**6,
        "x",
        (tmp_path / "saved.json").read_text(),
    ):
        file.write_text(content)
        assert main(["report", str(file)]) == 2
        assert f"{file} is not a saved run of minimize" in capsys.readouterr().err
    assert main(["report", str(tmp_path / "none.json")]) == 1
    assert f"No such file or directory: {tmp_path / 'none.json'}" in capsys.readouterr().err
