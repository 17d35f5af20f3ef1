from importlib.metadata import version
from pathlib import Path

import pytest

from botorch_popbo.benchmarks.cli import doctor as doctor
from botorch_popbo.benchmarks.cli import main


def test_what_is_missing_is_shown_with_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    absent = ["botorch>=0", "no-such-package>=3", 'nor-this; extra == "peers"']
    monkeypatch.setattr(doctor, "requires", lambda _: absent)
    monkeypatch.setenv("POPBO_DATA", str(tmp_path))
    (tmp_path / "nasbench201.npz").touch()
    assert main(["doctor"]) == 1
    text = capsys.readouterr().out
    assert f"  botorch {version('botorch')} (wanted: >=0)" in text
    assert "no-such-package missing: pip install 'no-such-package>=3'" in text
    assert "peers: missing nor-this: pip install 'botorch-popbo[peers]'" in text
    assert "  test:" not in text
    assert f"{tmp_path / 'nasbench201.npz'}: found" in text
    assert "fcnet_valid.npz: missing" in text
