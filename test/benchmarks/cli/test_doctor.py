from importlib.metadata import version
from pathlib import Path

import pytest

from botorch_popbo.benchmarks.cli import _doctor as doctor
from botorch_popbo.benchmarks.cli import main
from botorch_popbo.benchmarks.cli._doctor import Requirement, examine, requirements


def test_requirements_are_those_of_the_package() -> None:
    found = requirements()
    core = {requirement.name: requirement.wanted for requirement in found if not requirement.extra}
    ours = {"torch", "gpytorch", "botorch", "linear_operator", "numpy"}
    assert set(core) == ours
    assert ">=0.18.1" in core["botorch"]
    joblib = {requirement.extra for requirement in found if requirement.name == "joblib"}
    assert {"benchmark", "test"} <= joblib


def test_what_is_there_is_shown_with_its_version(tmp_path: Path) -> None:
    (tmp_path / "nasbench201.npz").touch()
    lines, well = examine(tmp_path)
    assert well
    assert any(line.startswith(f"  botorch {version('botorch')} (wanted: ") for line in lines)
    assert f"  {tmp_path / 'nasbench201.npz'}: found" in lines
    assert any("fcnet_valid.npz: missing" in line for line in lines)
    assert "  test: complete" in lines


def test_what_is_missing_is_shown_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    nor_this = Requirement("nor-this", "", "test")
    absent = [Requirement("no-such-package", ">=3", ""), nor_this, nor_this]
    monkeypatch.setattr(doctor, "requirements", lambda: absent)
    monkeypatch.setenv("POPBO_PYTHON_HEBO", "/no/python")
    lines, well = examine(None)
    assert not well
    text = "\n".join(lines)
    assert "no-such-package missing: pip install 'no-such-package>=3'" in text
    assert "test: missing nor-this: pip install 'botorch-popbo[test]'" in text
    assert "--data DIR or set POPBO_DATA" in text
    assert "/no/python: there is no such file" in text


def test_the_command_prints_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor"]) == 0
    assert "devices:" in capsys.readouterr().out
