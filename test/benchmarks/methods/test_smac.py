import venv
from pathlib import Path

import pytest
from helpers.optimizer_contract import TABLE, OptimizerContract

from botorch_popbo.benchmarks.errors import UsageError
from botorch_popbo.benchmarks.methods import Method, smac
from botorch_popbo.benchmarks.settings import Setting

(METHOD,) = smac.METHODS


class TestSmac(OptimizerContract):
    @pytest.fixture
    def method(self) -> Method:
        pytest.importorskip("smac")
        return METHOD


def test_a_missing_library_is_named_with_the_command_that_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    venv.create(tmp_path)
    monkeypatch.setenv("POPBO_PYTHON_SMAC3", str(tmp_path / "bin" / "python"))
    with pytest.raises(UsageError, match=r"smac3 does not start .*ConfigSpace.*popbo\[peers\]"):
        METHOD.start(TABLE, Setting("table", "smac3", 3, 0))
