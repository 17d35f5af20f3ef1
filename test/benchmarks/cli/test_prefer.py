import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from botorch_popbo import PreferenceSearch
from botorch_popbo.benchmarks.cli import main

Capture = pytest.CaptureFixture[str]
SPACE = """
[sugar]
range = [0.0, 10.0]
[cups]
range = [1, 4]
[size]
ordered = [200, 300, 500]
[milk]
choices = ["none", "oat", "cow"]
"""


@pytest.fixture
def space(tmp_path: Path) -> Path:
    path = tmp_path / "space.toml"
    path.write_text(SPACE)
    return path


def answer(monkeypatch: pytest.MonkeyPatch, answers: Iterable[str]) -> None:
    given = iter(answers)

    def read(prompt: str) -> str:
        try:
            return next(given)
        except StopIteration:
            raise EOFError from None

    monkeypatch.setattr("builtins.input", read)


def prefer(*options: object) -> int:
    return main(["prefer", *map(str, options)])


def test_answers_are_kept_and_the_same_command_goes_on(
    space: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    state = tmp_path / "answers.json"
    answer(monkeypatch, ["1", "what?", "2", "=", "q"])
    assert prefer("--space", space, "--state", state) == 0
    first = capsys.readouterr().out
    assert [a["winner"] for a in json.loads(state.read_text())["answers"]] == [0, 1, None]
    assert first.count("question ") == 4
    assert "best: sugar " in first
    answer(monkeypatch, ["1"])  # and then the end of the input
    assert prefer("--state", state) == 0
    second = capsys.readouterr().out
    assert "3 answers so far" in second
    asked = [text.split("question 4")[1].splitlines()[1:3] for text in (first, second)]
    assert asked[0] == asked[1]
    assert len(json.loads(state.read_text())["answers"]) == 4


def test_answers_given_elsewhere_meanwhile_are_kept(
    space: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    state = tmp_path / "answers.json"

    def in_two_windows() -> Iterator[str]:
        yield "1"
        other = PreferenceSearch.load(state)
        for winner in (1, 0):
            other.tell(other.ask(), winner)
        other.save(state)
        yield "="

    answer(monkeypatch, in_two_windows())
    assert prefer("--space", space, "--state", state) == 2
    assert "was changed by another program" in capsys.readouterr().err
    assert [a["winner"] for a in json.loads(state.read_text())["answers"]] == [0, 1, 0]


def test_a_slip_is_taken_back(
    space: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    state = tmp_path / "answers.json"
    answer(monkeypatch, ["u", "1", "2", "u", "1", "u", "u", "2"])  # before the first there is none
    assert prefer("--space", space, "--state", state) == 0
    numbers = re.findall(r"question (\d)", capsys.readouterr().out)
    assert "".join(numbers) == "12323212"
    assert [a["winner"] for a in json.loads(state.read_text())["answers"]] == [1]


def test_faults_are_named(space: Path, tmp_path: Path, capsys: Capture) -> None:
    state, other = tmp_path / "answers.json", tmp_path / "other.toml"

    def complaint(*options: object) -> str:
        assert prefer("--state", state, *options) == 2
        return capsys.readouterr().err

    assert "begin with --space FILE" in complaint()
    assert "cannot read the space" in complaint("--space", other)
    assert "of at least 2, but got 1" in complaint("--space", space, "--items", "1")
    state.write_text("nothing")
    assert "no saved PreferenceSearch" in complaint("--space", space)
