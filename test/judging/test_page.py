"""The page: what judges see and say, and what the server refuses."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from helpers.browser import MISSING, browser, free_port, wait

from botorch_popbo import PreferenceSearch
from botorch_popbo._errors import UsageError
from botorch_popbo.judging._drawer import Drawer
from botorch_popbo.judging._log import Log
from botorch_popbo.judging._session import Session

uvicorn = pytest.importorskip("uvicorn")

from botorch_popbo.judging._server import make_app, shield  # noqa: E402

SPACE = """
show = "draw.py:render"
[hue]
range = [0.0, 1.0]
[size]
ordered = [20, 40, 80]
"""
DRAW = """
import os, pathlib, time
from PIL import Image

def render(hue, size):
    return Image.new("HSV", (2 * size, size), (int(255 * hue), 200, 200)).convert("RGB")
def name(hue, size): return f"<b>{hue}</b>"
def sound(**_): return 8000, [0.0, 0.5, -2.0]
def page(**_):
    path = pathlib.Path(__file__).with_suffix(".html")
    path.write_text("<script>alert(1)</script>")
    return path
def wrong(**_): raise ValueError("no such colour")
def hang(**_): time.sleep(60)
def leave(**_): raise SystemExit
def crash(**_): os._exit(1)
def nothing(**_): return 3
def picky(hue, size): return render(hue, size) if hue < 0.7 else nothing()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "draw.py").write_text(DRAW)
    (tmp_path / "flag.toml").write_text(SPACE)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("wrong", "ValueError: no such colour"),
        ("leave", "SystemExit"),
        ("crash", "it ended its process"),
        ("hang", "more than 3 seconds"),
        ("nothing", "TypeError: return an image, a figure, a text"),
    ],
)
def test_what_cannot_be_drawn_is_named(folder: Path, name: str, error: str) -> None:
    drawer = Drawer(folder / "draw.py", name, folder, 3.0)
    for hue in (0.1, 0.9):  # and the next one is tried
        assert error in drawer.draw({"hue": hue, "size": 20}).text
    drawer.close()


def test_pictures_texts_sounds_and_pages_are_shown(folder: Path) -> None:
    drawn = [
        Drawer(folder / "draw.py", name, folder, 60.0).draw({"hue": 0.2, "size": 20})
        for name in ("render", "name", "sound", "page")
    ]
    assert [one.kind for one in drawn] == ["image", "text", "audio", "page"]
    starts = [one.file.read_bytes()[:4] for one in drawn if one.file is not None]
    assert starts == [b"\x89PNG", b"RIFF", b"<scr"]
    assert drawn[1].text == "<b>0.2</b>"


def test_what_is_drawn_does_not_wait_for_what_is_being_drawn(folder: Path) -> None:
    (folder / "draw.py").write_text(
        "import time\ndef slow(wait): time.sleep(wait); return 'a text'"
    )
    drawer = Drawer(folder / "draw.py", "slow", folder, 60.0)
    drawer.draw({"wait": 0})
    drawing = Thread(target=drawer.draw, args=({"wait": 2},))
    drawing.start()
    drawer.draw({"wait": 0})
    assert drawing.is_alive()
    drawing.join()


class Judges:
    """A session of which every answer is given at once."""

    def __init__(self, path: Path, space: Any, *names: str, **options: Any) -> None:
        drawer = options.pop("drawer", None)
        search = (
            PreferenceSearch.load(path) if path.exists() else PreferenceSearch(space, **options)
        )
        self.log = Log(search, path)
        self.session = Session(self.log, drawer, names or ("",))

    def say(self, said: str, judge: str = "") -> Any:
        before = self.session.state(judge)
        return self.session.answer(judge, before["question"], said)

    def answers(self) -> list[tuple[Any, Any, str]]:
        content = json.loads(self.log.path.read_text())
        return [(one["better"], one["equal"], one["judge"]) for one in content["answers"]]


BOX = {"hue": (0.0, 1.0), "size": (0.0, 1.0)}


def test_answers_ties_skips_and_undo_are_in_the_file_at_once(tmp_path: Path) -> None:
    judges = Judges(tmp_path / "a.json", BOX)
    first = judges.session.state("")
    assert judges.session.state("") == first
    second = judges.say("2")
    assert judges.session.answer("", first["question"], "1") == second  # a double click
    for said in ("=", "n"):
        judges.say(said)
    expected = [([[1, 0]], [], ""), ([], [[0, 1]], ""), ([], [], "")]
    assert judges.answers() == expected
    before = judges.session.state("")
    after = judges.session.undo("", before["question"])
    assert judges.session.undo("", before["question"]) == after  # once
    assert judges.answers() == expected[:2]
    assert judges.say("n") == before
    for said in ("", "3", "0", "x", "1 1", "q"):
        assert judges.say(said) == judges.session.state("")
    assert judges.answers() == expected


def test_the_page_asks_the_same_after_another_start(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    question, asked = Judges(path, BOX).session.state("")["question"], []
    for said in "12=12121":  # each time in a new process, as far as a session is concerned
        told: Any = Judges(path, BOX).session.answer("", question, said)
        question = told["question"]
        asked.append(told["items"])
    whole = Judges(tmp_path / "b.json", BOX)
    assert asked == [whole.say(said)["items"] for said in "12=12121"]
    assert path.read_text() == whole.log.path.read_text()


def test_a_small_space_ends_for_each_judge(tmp_path: Path) -> None:
    judges = Judges(tmp_path / "a.json", {"cup": ["a", "b", "c"]}, "ann", "bob")
    for judge in ("ann", "bob"):
        pairs = []
        while items := judges.session.state(judge)["items"]:
            cups = [item["text"] for item in items]
            pairs.append(frozenset(cups))
            judges.say(str(1 + cups.index(max(cups))), judge)
        assert len({*pairs}) == len(pairs) <= 3
        assert all(len(pair) == 2 for pair in pairs)
    told = judges.session.best("")
    assert told["best"][0]["text"] == "cup c"
    assert told["agreement"] == [["ann", 2, 2], ["bob", 2, 2]]
    assert told["chance"] > 0.5
    assert [judge for _, _, judge in judges.answers()] == ["ann"] * 2 + ["bob"] * 2


def test_two_judges_at_once_see_different_questions(tmp_path: Path) -> None:
    judges = Judges(tmp_path / "a.json", BOX, "ann", "bob")
    ann, bob = (judges.session.state(judge) for judge in ("ann", "bob"))
    assert ann["items"] != bob["items"]
    judges.say("1", "bob")
    assert judges.session.state("ann") == ann | {"left": ann["left"] - 1}
    judges.say("2", "ann")
    judges.session.undo("bob", judges.session.state("bob")["question"])
    assert judges.answers() == [([[1, 0]], [], "ann")]


def test_what_cannot_be_drawn_is_passed_over(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    space = {"hue": (0.0, 1.0), "size": 20}
    drawers = [Drawer(folder / "draw.py", name, folder, 60.0) for name in ("picky", "wrong")]
    judges = Judges(folder / "a.json", space, drawer=drawers[0])
    for _ in range(6):
        assert {item["kind"] for item in judges.say("1")["items"]} == {"image"}
    assert "TypeError" in capsys.readouterr().err
    judges = Judges(folder / "b.json", space, drawer=drawers[1])
    for _ in range(2):
        with pytest.raises(UsageError, match="5 things one after another"):
            judges.session.state("")
    for drawer in drawers:
        drawer.close()


def test_nothing_is_lost_where_an_answer_cannot_be_kept(tmp_path: Path) -> None:
    judges = Judges(tmp_path / "a.json", BOX)
    before = judges.say("1")
    content = judges.log.path.read_bytes()
    judges.log.path.unlink()
    with pytest.raises(UsageError, match="changed by another program"):
        judges.say("2")
    judges.log.path.write_bytes(content)
    assert judges.session.state("") == before
    judges.say("2")
    assert len(judges.answers()) == 2


KEY = "k" * 24


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    folder = tmp_path_factory.mktemp("server")
    (folder / "draw.py").write_text(DRAW)
    drawer = Drawer(folder / "draw.py", "page", folder, 60.0)
    session = Judges(folder / "a.json", BOX, "ann", drawer=drawer).session
    app = shield(make_app(session, {KEY: "ann"}, folder), {"localhost"})
    port = free_port()
    running = uvicorn.Server(uvicorn.Config(app, port=port, log_level="critical"))
    Thread(target=running.run, daemon=True).start()
    wait(lambda: running.started)
    yield port
    running.should_exit = True
    drawer.close()


def request(port: int, method: str, path: str, **headers: str) -> tuple[int, bytes, Any]:
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request(method, path, None, headers)
    answer = connection.getresponse()
    return answer.status, answer.read(), answer.headers


def test_a_browser_gets_the_page_and_runs_nothing_else(server: int) -> None:
    for name, start in (
        ("", b"<!doctype html>"),
        ("page.js", b'"use strict"'),
        ("words.json", b"{"),
    ):
        status, body, headers = request(server, "GET", f"/{KEY}/{name}")
        assert (status, body[: len(start)]) == (200, start)
        assert headers["Content-Security-Policy"].startswith("default-src 'self'")
    state = json.loads(request(server, "GET", f"/{KEY}/state")[1])
    assert state["judge"] == "ann"
    status, body, headers = request(server, "GET", f"/{KEY}/drawn/{state['items'][0]['file']}")
    assert (status, body) == (200, b"<script>alert(1)</script>")
    assert headers["Content-Security-Policy"].startswith("sandbox; default-src 'none'")


@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        ("GET", f"/{KEY}/state", {"Host": "evil.example"}, 403),
        ("GET", f"/{KEY}/state", {"Host": "127.0.0.1.evil.example"}, 403),
        ("GET", f"/{KEY}/state", {"Host": "[::1"}, 403),
        ("GET", f"/{KEY}/state", {"Host": "192.168.0.7:80"}, 200),
        ("GET", f"/{KEY}/state", {"Host": "localhost:1"}, 200),
        ("POST", f"/{KEY}/answer", {"Origin": "http://evil.example"}, 403),
        ("POST", f"/{KEY}/answer", {"Origin": "null"}, 403),
        ("GET", "/", {}, 404),
        ("GET", "/guess/state", {}, 404),
        ("POST", "/guess/answer?question=1&said=1", {}, 404),
        ("GET", f"/{KEY}/drawn/..%2fa.json", {}, 404),
        ("GET", f"/{KEY}/drawn/../../a.json", {}, 404),
        ("GET", f"/{KEY}/../../etc/passwd", {}, 404),
        ("GET", f"/{KEY}/..%2f_server.py", {}, 404),
        ("GET", f"/{KEY}/answer?question=1&said=1", {}, 404),
        ("PUT", f"/{KEY}/state", {}, 405),
        ("POST", f"/{KEY}/answer", {}, 200),
        ("POST", f"/{KEY}/answer?question=%ff&said=%00", {}, 200),
        ("POST", f"/{KEY}/undo?question=old", {}, 200),
    ],
)
def test_nothing_but_an_answer_of_a_judge_is_kept(
    server: int, method: str, path: str, headers: dict[str, str], status: int
) -> None:
    before = request(server, "GET", f"/{KEY}/state")[1]
    found, _, sent = request(server, method, path, **headers)
    assert found == status
    assert "Content-Security-Policy" in sent
    assert request(server, "GET", f"/{KEY}/state")[1] == before


def start(folder: Path, *options: str) -> "tuple[subprocess.Popen[str], list[str]]":
    command = [sys.executable, "-m", "botorch_popbo", "prefer", "flag.toml", "--page"]
    root = str(Path(__file__).parents[2])
    environment = os.environ | {"BROWSER": "true", "PYTHONPATH": root}
    process = subprocess.Popen(
        [*command, *options],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    lines = [process.stdout.readline() for _ in range(2)]
    return process, lines


@pytest.mark.slow
def test_a_killed_page_goes_on_at_the_same_address(folder: Path) -> None:
    port = free_port()
    asked = []
    for end in (signal.SIGKILL, signal.SIGINT):
        process, (number, address) = start(folder, "--port", str(port), "--judges", "ann")
        found = re.match(rf"ann at http://127.0.0.1:{port}(/\w+/) ; Ctrl-C ends", address)
        assert found is not None, address
        state = json.loads(request(port, "GET", f"{found[1]}state")[1])
        asked.append((number, state["number"], found[1]))
        said = f"answer?question={state['question']}&said=1"
        assert request(port, "POST", found[1] + said)[0] == 200
        process.send_signal(end)
        process.wait(timeout=60)
    assert process.stdout is not None
    rest = process.stdout.read()
    assert process.returncode == 0
    assert re.search(r"^1\. hue .* \(too early to say how sure\)$", rest, re.MULTILINE)
    assert [number for _, number, _ in asked] == [0, 1]
    assert asked[0][2] == asked[1][2]
    assert asked[1][0] == "answers so far: 1, in flag-answers.json\n"


@pytest.mark.slow
@pytest.mark.skipif(MISSING is not None, reason=str(MISSING))
def test_a_judge_goes_through_the_page(folder: Path, tmp_path: Path) -> None:
    process, (_, address) = start(folder, "--port", str(free_port()))
    try:
        with browser(tmp_path / "profile") as page:
            page.open(address.split()[2])
            for number in range(1, 4):
                wait(lambda number=number: f"Question {number}." in page.text)
                page.click("//figure/button", number % 2)
            wait(lambda: "Question 4." in page.text)
            page.click("//button[@id='undo']")
            wait(lambda: "Question 3." in page.text)
            page.click("//button[@id='tie']")
            wait(lambda: "Question 4." in page.text)
            page.click("//button[@id='show-best']")
            wait(lambda: "It is too early to say how sure this is." in page.text)
    finally:
        process.kill()
        process.wait()
    answers = json.loads((folder / "flag-answers.json").read_text())["answers"]
    assert [bool(answer["equal"]) for answer in answers] == [False, False, True]
