import json
from pathlib import Path

import pytest

from botorch_popbo.benchmarks.cli import main
from botorch_popbo.benchmarks.experiments._preferences import CHOOSERS


def test_every_method_is_reproducible_and_in_the_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    regrets = []
    for name in ("first", "second"):
        output = tmp_path / name
        options = ["--campaign", "preferences", "--smoke", "--seeds", "1", "--jobs", "1"]
        assert main(["compare", *options, "--output", str(output)]) == 0
        printed = capsys.readouterr().out
        assert all(f"\n{method} " in printed for method in CHOOSERS)
        assert "7 answers, noise 0.2" in printed
        paths = sorted(output.glob("records/*.jsonl"))
        regrets.append([json.loads(path.read_text())["regret"] for path in paths])
    assert regrets[0] == pytest.approx(regrets[1], rel=1e-6)
    assert len(regrets[0]) == len(CHOOSERS)
    assert min(regrets[0]) >= -1e-4  # the optimum is tabulated to five digits
    assert (output / "results.csv").read_text().count("\n") == 1 + len(CHOOSERS)
