import os
import subprocess
import sys
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").glob("*.py"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs(path: Path) -> None:
    environment = {"SMOKE_TEST": "1", "OMP_NUM_THREADS": "1", "MPLBACKEND": "Agg"}
    run = subprocess.run(
        [sys.executable, "-W", "error::UserWarning:botorch_popbo", str(path)],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert "best of" in run.stdout
