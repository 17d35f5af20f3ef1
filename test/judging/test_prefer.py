import json
import re
import signal
import sys
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from botorch_popbo import PreferenceSearch
from botorch_popbo.benchmarks.cli import main

Capture = pytest.CaptureFixture[str]
SPACE = """roast = "dark"
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


def answer(
    monkeypatch: pytest.MonkeyPatch,
    answers: Iterable[str],
    end: type[BaseException] = EOFError,
) -> None:
    given = iter(answers)

    def read(prompt: str) -> str:
        for typed in given:
            return typed
        raise end

    monkeypatch.setattr("builtins.input", read)


def said(state: Path) -> list[tuple[list[list[int]], list[list[int]]]]:
    return [(a["better"], a["equal"]) for a in json.loads(state.read_text())["answers"]]


FIRST, SECOND, TIE = ([[0, 1]], []), ([[1, 0]], []), ([], [[0, 1]])


def prefer(*options: object) -> int:
    return main(["prefer", *map(str, options)])


def test_answers_are_kept_and_the_same_command_goes_on(
    space: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    state = tmp_path / "answers.json"
    answer(monkeypatch, ["best", "1", "what?", "2", "best", "=", "q"])
    assert prefer(space, "--state", state) == 0
    first = capsys.readouterr().out
    assert said(state) == [FIRST, SECOND, TIE]
    assert first.count("question ") == 4
    assert "'what?' is not an answer: type the number of the best, from 1 to 2, or ?" in first
    asked, best = first.split("question 3")[0], first.split("question 3")[1]
    assert "nothing has been compared yet" in first.split("question 2")[0]
    assert "sure" not in asked
    assert re.search(r"milk \w+\nsugar .* \(too early to say how sure\)\nsugar ", best)
    assert f"\nanswers are saved in {state}; rerun the command to resume\n1. sugar" in first
    assert re.search(r"^1\. sugar .* \(too early to say how sure\)$", first, re.MULTILINE)
    assert "everything has been compared" not in first
    answer(monkeypatch, ["1"], KeyboardInterrupt)
    assert prefer(space, "--state", state) == 0
    second = capsys.readouterr().out
    assert f"\nanswers are saved in {state}; rerun the command to resume\n" in second
    assert "\n1. sugar " in second
    assert "answers so far: 3" in second
    both = [text.split("question 4")[1].splitlines()[1:3] for text in (first, second)]
    assert both[0] == both[1]
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
    assert prefer(space, "--state", state) == 2
    assert "was changed by another program" in capsys.readouterr().err
    assert said(state) == [FIRST, SECOND, FIRST]


def test_a_slip_is_taken_back(
    space: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    state = tmp_path / "answers.json"
    # Before the first there is none.
    answer(monkeypatch, ["undo", "1", "2", "u", "1", "u", "u", "2", "quit"])
    assert prefer(space, "--state", state) == 0
    numbers = re.findall(r"question (\d)", capsys.readouterr().out)
    assert "".join(numbers) == "12323212"
    assert said(state) == [SECOND]


def test_how_sure_it_is_comes_late_or_after_the_whole_space(
    space: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    answer(monkeypatch, ["1", "best"] * 25)
    assert prefer(space) == 0
    asked = capsys.readouterr().out.split("\nquestion ")[1:]
    assert all("too early to say how sure" in text for text in asked[1:24])
    for text in asked[24:]:
        assert re.search(r"\nsugar .* \(\d+% sure\)\n", text)
    small = tmp_path / "small.toml"
    small.write_text('[milk]\nchoices = ["none", "oat", "cow"]\n')
    answer(monkeypatch, ["1"] * 5)
    assert prefer(small) == 0
    shown = capsys.readouterr().out
    assert shown.count("everything has been compared") == 1
    assert re.search(r"^1\. milk \w+ \(\d+% sure\)$", shown, re.MULTILINE)


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Python's own handling of SIGINT, which is ignored where tests run in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_a_program_is_asked_in_place_of_a_person(
    space: Path, tmp_path: Path, capsys: Capture
) -> None:
    script = tmp_path / "judge.py"
    script.write_text(
        "import json, os, signal, sys, time\n"
        "for number, line in enumerate(sys.stdin):\n"
        "    first, second = [item['parameters']['sugar'] for item in json.loads(line)['items']]\n"
        "    if number == 11:\n"
        "        assert os.getpgrp() != os.getpgid(os.getppid())\n"
        "        os.kill(os.getppid(), signal.SIGINT)\n"  # Ctrl-C is for a process group
        "        sys.exit(time.sleep(60))\n"
        "    print('=' if number == 1 else 1 + (second < first), flush=True)\n"
    )
    assert prefer(space, "--judge", f"{sys.executable} {script}") == 0
    shown = capsys.readouterr().out
    assert "\nanswers so far: 10\n\nanswers are saved in " in shown
    assert "\n1. sugar " in shown
    answers = json.loads((tmp_path / "space-answers.json").read_text())["answers"]
    assert {answer["judge"] for answer in answers} == {f"{sys.executable} {script}"}
    assert [bool(answer["equal"]) for answer in answers] == [number == 1 for number in range(11)]
    for code, fault in (
        ("input(); print('perhaps')", "printed 'perhaps', which is not an answer"),
        ("raise SystemExit(3)", "ended with exit status 3"),
    ):
        script.write_text(code)
        assert prefer(space, "--judge", f"{sys.executable} {script}") == 2
        assert fault in capsys.readouterr().err
    assert prefer(space, "--judge", str(tmp_path / "none")) == 2
    assert "cannot begin" in capsys.readouterr().err


def test_faults_are_named(
    space: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    state, other = tmp_path / "answers.json", tmp_path / "other.toml"

    def complaint(*options: object) -> str:
        assert prefer("--state", state, *options) == 2
        return capsys.readouterr().err

    assert f"cannot read the space {other}, a TOML file: No such file" in complaint(other)
    assert "error: items must be a whole number of at least 2" in complaint(space, "--items", "1")
    assert "leave out --page or --judge" in complaint(space, "--page", "--judge", "true")
    assert "add --page" in complaint(space, "--judges", "ann", "bob")
    for show, fault in (("draw.py", 'as in "draw.py:render"'), ("s.py:f", "s.py does not exist")):
        other.write_text(f'show = "{show}"\n{SPACE}')
        assert fault in complaint(other)
    other.write_text(SPACE.replace("range", "rnge"))
    assert "sugar: 'rnge' is none of the keys range, " in complaint(other)
    other.write_text(SPACE.replace("10.0", "9.0"))
    answer(monkeypatch, [])
    assert prefer("--state", state, space) == 0
    both = 'space of sugar: {"range": [0.0, 10.0]}, not {"range": [0.0, 9.0]}'
    assert f"holds answers with {both}. Correct {other} " in complaint(other)
    nowhere = tmp_path / "none" / "answers.json"
    assert prefer(space, "--state", nowhere) == 1  # before a question
    assert f"in an existing folder, not: {nowhere}" in capsys.readouterr().err
    state.write_text("nothing")
    assert "not a saved PreferenceSearch" in complaint(space)


def test_texts_that_a_function_makes_are_shown_and_the_champion_is_on_either_side(
    space: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    space.write_text(f'show = "mine.py:render"\n{SPACE}')
    (space.parent / "mine.py").write_text(
        "def render(sugar, **others):\n    return f'sweet {sugar}\\nmilky'\n"
        "def draw(**parameters):\n    from PIL import Image\n    return Image.new('RGB', (9, 9))\n"
        "def fail(**parameters):\n    raise ValueError('no beans')\n"
    )
    answer(monkeypatch, ["1"] * 7)
    assert prefer(space) == 0
    shown = capsys.readouterr().out
    pairs = re.findall(r"  1: sweet (\S+)\n     milky\n  2: sweet (\S+)\n", shown)
    assert len(pairs) == 8
    again = {min((0, 1), key=lambda i: pair[i] not in last) for last, pair in pairwise(pairs)}
    assert again == {0, 1}
    faults = {
        "draw": "add --page",
        "g": "mine.py has no function 'g'",
        "fail": "is not shown: ValueError: no beans\npopbo: error: a terminal shows nothing but",
    }
    for name, fault in faults.items():
        space.write_text(f'show = "mine.py:{name}"\n{SPACE}')
        assert prefer(space) == 2
        streams = capsys.readouterr()
        assert fault in streams.err
        assert "question" not in streams.out


def test_more_can_be_said_than_which_is_the_best(
    space: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    answer(monkeypatch, ["3 1", "next", "=", "help", "w1 2", 50 * "1" + "w", "4", "2 2"])
    assert prefer(space, "--items", "3") == 0
    state = tmp_path / "space-answers.json"  # where nothing else is said, beside the file
    assert said(state) == [
        ([[2, 0], [0, 1]], []),
        ([], []),
        ([], [[0, 1], [0, 2]]),
    ]
    shown = capsys.readouterr().out
    assert "2 1    the second is the best, then the first" in shown
    assert shown.count("is not an answer") == 4


def test_what_is_hostile_to_a_terminal_is_not_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    hostile = tmp_path / "hostile.toml"
    hostile.write_text(
        '["a\\u001b[2J"]\nchoices = ["\\u001b]0;title\\u0007", "' + "b" * 500 + '"]\n'
    )
    answer(monkeypatch, ["1"])
    assert prefer(hostile) == 0
    shown = capsys.readouterr().out
    assert "\x1b" not in shown
    assert "b" * 59 + "…" in shown
    assert "b" * 60 not in shown
