from importlib.metadata import version
from pathlib import Path

import pytest

from botorch_popbo.benchmarks.cli import _doctor as doctor
from botorch_popbo.benchmarks.cli import main


def test_what_is_there_is_shown_with_its_version(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "nasbench201.npz").touch()
    assert main(["doctor", "--data", str(tmp_path)]) == 0
    text = capsys.readouterr().out
    for part in (
        f"  botorch {version('botorch')} (wanted: ",
        f"  {tmp_path / 'nasbench201.npz'}: found",
        "fcnet_valid.npz: missing",
        "devices:",
    ):
        assert part in text


def test_what_is_missing_is_shown_with_the_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    absent = ["no-such-package>=3", 'nor-this; extra == "test"']
    monkeypatch.setattr(doctor, "requires", lambda _: absent)
    monkeypatch.delenv("POPBO_DATA", raising=False)
    assert main(["doctor"]) == 1
    text = capsys.readouterr().out
    assert "no-such-package missing: pip install 'no-such-package>=3'" in text
    assert "test: missing nor-this: pip install 'botorch-popbo[test]'" in text
    assert "--data DIR or set POPBO_DATA" in text
