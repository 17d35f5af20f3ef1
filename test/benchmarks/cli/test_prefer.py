import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from botorch_popbo import PreferenceSearch
from botorch_popbo.benchmarks.cli import main

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
    space: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
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
    space: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
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
    space: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    state = tmp_path / "answers.json"
    answer(monkeypatch, ["u", "1", "2", "u", "1", "u", "u", "2"])  # before the first there is none
    assert prefer("--space", space, "--state", state) == 0
    numbers = re.findall(r"question (\d)", capsys.readouterr().out)
    assert "".join(numbers) == "12323212"
    assert [a["winner"] for a in json.loads(state.read_text())["answers"]] == [1]


def test_faults_are_named(space: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    state, other = tmp_path / "answers.json", tmp_path / "other.toml"

    def complaint(*options: object) -> str:
        assert prefer("--state", state, *options) == 2
        return capsys.readouterr().err

    assert "begin with --space FILE" in complaint()
    assert "cannot read the space" in complaint("--space", other)
    for text, message in (
        ("x = 1", "x: 1 is neither a tuple nor a list"),
        ("[x]\nrang = [0, 1]", "x: [0, 1] is neither"),
        ("[x]\nrange = [1, 0]", "x: A lower end is finite and below the upper one"),
        ("[x]\nrange = [1]", "x: (1,) is no range"),
        ('[x]\nchoices = "oat"', "x: "),
        ("[x]\nordered = [nan, 1]", "x: Choices that are numbers are finite"),
        ("", "The space is a dictionary"),
    ):
        other.write_text(text)
        assert message in complaint("--space", other)
    assert "num_items is at least 2" in complaint("--space", space, "--items", "1")
    state.write_text("nothing")
    assert "no saved PreferenceSearch" in complaint("--space", space)


def test_a_mark_of_the_byte_order_is_no_fault(
    space: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    space.write_text(SPACE, encoding="utf-8-sig")
    answer(monkeypatch, ["q"])
    assert prefer("--space", space, "--state", tmp_path / "answers.json") == 0


def test_a_state_that_cannot_be_written_is_told_before_a_question(
    space: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert prefer("--space", space, "--state", tmp_path / "none" / "answers.json") == 2
    streams = capsys.readouterr()
    assert f"there is no folder {tmp_path / 'none'}" in streams.err
    assert not streams.out


def test_settings_hold_for_all_answers(
    space: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    state = tmp_path / "answers.json"
    answer(monkeypatch, ["3"])
    assert prefer("--space", space, "--state", state, "--items", 3, "--seed", 5) == 0
    assert json.loads(state.read_text())["seed"] == 5
    assert prefer("--state", state, "--items", 3, "--seed", 5) == 0
    assert prefer("--state", state) == 0
    capsys.readouterr()
    for option, message in (
        (("--items", 2), "was begun with --items 3, not 2"),
        (("--seed", 0), "was begun with --seed 5, not 0"),
    ):
        assert prefer("--state", state, *option) == 2
        assert message in capsys.readouterr().err


def test_points_of_a_narrow_range_do_not_look_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    space = tmp_path / "space.toml"
    space.write_text("[nm]\nrange = [10000.0, 10001.0]\n")
    answer(monkeypatch, [])
    assert prefer("--space", space, "--state", tmp_path / "answers.json") == 0
    shown = re.findall(r"nm (\S+)", capsys.readouterr().out)
    assert len({*shown}) == 2
    assert all(10000.0 <= float(one) <= 10001.0 for one in shown)


def test_listed_numbers_are_shown_in_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    space = tmp_path / "space.toml"
    space.write_text("[nm]\nordered = [1000.125, 1000.25]\n")
    answer(monkeypatch, [])
    assert prefer("--space", space, "--state", tmp_path / "answers.json") == 0
    assert {*re.findall(r"nm (\S+)", capsys.readouterr().out)} == {"1000.125", "1000.25"}


@pytest.mark.parametrize(("encoding", "shown"), [("ascii", r"soja \xe4"), ("utf-8", "soja ä")])
def test_letters_that_a_terminal_lacks_end_nothing(
    encoding: str, shown: str, tmp_path: Path
) -> None:
    space = tmp_path / "space.toml"
    space.write_text('[milk]\nchoices = ["soja ä", "oat"]\n', encoding="utf-8")
    options = ["--space", str(space), "--state", str(tmp_path / "answers.json")]
    found = subprocess.run(
        [sys.executable, "-m", "botorch_popbo.benchmarks", "prefer", *options],
        input=b"\xe4\n1\nq\n",  # the first of them is no UTF-8
        env={**os.environ, "PYTHONIOENCODING": f"{encoding}:strict"},
        capture_output=True,
        check=True,
    )
    printed = found.stdout.decode(encoding)
    assert shown in printed
    assert "question 2" in printed
