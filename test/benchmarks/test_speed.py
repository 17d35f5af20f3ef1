import pytest

from botorch_popbo.benchmarks import speed


def test_every_task_is_timed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(speed, "_REPEATS", 1)
    ranking, likelihood = speed.ranking, speed.likelihood
    monkeypatch.setattr(speed, "ranking", lambda _: ranking(100))
    monkeypatch.setattr(speed, "likelihood", lambda _, exposure: likelihood(100, exposure))
    speed.main()
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 5
    assert all(line.endswith(" s") for line in lines[:4])
    assert lines[4].startswith("peak memory")
