import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from io import BytesIO
from pathlib import Path
from threading import Event, Thread
from types import SimpleNamespace
from typing import Any

import pytest
from helpers.browser import MISSING, Browser, browser, free_port, wait

from botorch_popbo import PreferenceSearch
from botorch_popbo.benchmarks.cli import main
from botorch_popbo.judging._drawer import Drawer

optuna = pytest.importorskip("optuna")
dashboard = pytest.importorskip("optuna_dashboard")

from botorch_popbo.judging._gateway import Gateway  # noqa: E402
from botorch_popbo.judging._page import Page, open_page  # noqa: E402
from botorch_popbo.judging.prefer import interview  # noqa: E402
from botorch_popbo.optuna import PreferentialPoPBOSampler  # noqa: E402

SPACE = """
show = "draw.py:render"
[hue]
range = [0.0, 1.0]
[size]
ordered = [20, 40, 80]
[style]
choices = ["plain", "<script>document.title='hacked'</script>"]
"""
DRAW = """
from PIL import Image

def render(hue, size, style):
    return Image.new("HSV", (2 * size, size), (int(255 * hue), 200, 200)).convert("RGB")

def name(hue, size, style):
    print("this is no answer")
    return f"**{style}**"

def wrong(**parameters):
    raise ValueError("no such colour")

def hang(hue, **parameters):
    while hue > 0.5:
        pass
    return "done"

def leave(**parameters):
    raise SystemExit

def crash(**parameters):
    import os
    os._exit(1)

def nothing(**parameters):
    return 3

def slow(hue, size):
    import pathlib, time
    with pathlib.Path(__file__).with_name("drawn").open("a") as file:
        print(hue, file=file, flush=True)
    time.sleep(0.2)
    return "a text"

def mixed(hue, size):
    return render(hue, size, "") if hue < 0.5 else "a *text*"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "draw.py").write_text(DRAW)
    (tmp_path / "flag.toml").write_text(SPACE)
    return tmp_path


def values(hue: float = 0.2) -> dict[str, Any]:
    return {"hue": hue, "size": 20, "style": "plain"}


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("wrong", "ValueError: no such colour"),
        ("leave", "SystemExit"),
        ("crash", "it ended its process"),
        ("nothing", "TypeError: return an image, a figure, a text"),
        ("missing", "KeyError"),
        pytest.param("hang", "more than 10 seconds", marks=pytest.mark.slow),
    ],
)
def test_what_cannot_be_drawn_is_named(folder: Path, name: str, error: str) -> None:
    drawer = Drawer(folder / "draw.py", name, folder, 10.0)
    for _ in range(2):  # and the next one is tried
        drawn = drawer.draw(values(0.9), Event())
        assert error in drawn.error
        assert drawn.file is None


def test_pictures_texts_sounds_and_files_are_shown(folder: Path) -> None:
    (folder / "draw.py").write_text(
        DRAW + "import pathlib\n"
        "def sound(**_): return 8000, [0.0, 0.5, -2.0]\n"
        "def file(**_): return pathlib.Path(__file__)\n"
    )
    drawn = {
        name: Drawer(folder / "draw.py", name, folder, 60.0).draw(values(), Event())
        for name in ("render", "name", "sound", "file")
    }
    assert drawn["name"].text == "**plain**"
    files = [one.file for one in drawn.values() if one.file is not None]
    assert [file.suffix for file in files] == [".png", ".wav", ".py"]
    assert [file.read_bytes()[:4] for file in files] == [b"\x89PNG", b"RIFF", b"\nfro"]


class JudgedPage(Page):
    """A page whose judge clicks as soon as all is shown."""

    def __init__(self, space: dict[str, Any], folder: Path, name: str, num_items: int) -> None:
        drawer = Drawer(folder / "draw.py", name, folder, 60.0) if name else None
        super().__init__(PreferenceSearch(space, num_items=num_items), folder, drawer)
        self.stop.wait = self.click  # type: ignore[method-assign,assignment]

    def click(self, _: float) -> bool:
        """The judge prefers what comes first in the alphabet."""
        shown = [self.study.trials[number] for number in self.sampler.shown(self.study)]
        *others, worst = sorted(shown, key=lambda trial: str(trial.params))
        if others:
            self.study.report_preference(others, worst)
        else:
            self.stop.set()
        return self.stop.is_set()


def test_an_answer_that_comes_before_the_page_is_full_is_seen(folder: Path) -> None:
    page = JudgedPage({"hue": (0.0, 1.0)}, folder, "", 2)
    page.show()
    page.click(0.0)
    page.stop.wait = lambda _: next(looks)  # type: ignore[method-assign,assignment]
    looks = iter([False, True])
    assert page.is_answered()


def test_what_may_be_next_is_drawn_while_a_judge_looks(folder: Path) -> None:
    page = JudgedPage({"hue": (0.0, 1.0), "size": 20}, folder, "slow", 2)
    page.show()
    drawn, looks = folder / "drawn", iter(range(100))

    def look(seconds: float) -> bool:
        """The judge clicks when the drawing of a third picture has begun."""
        Event().wait(seconds)
        return (drawn.read_text().count("\n") == 3 or next(looks) == 99) and page.click(0.0)

    page.stop.wait = look  # type: ignore[method-assign,assignment]
    assert page.is_answered()
    before = drawn.read_text()
    page.show()
    assert drawn.read_text() == before  # and no other
    assert [str(trial.params["hue"]) for trial in page.study.trials] == before.split()
    assert len(page.sampler.shown(page.study)) == 2


def test_texts_and_pictures_may_be_shown_together(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = JudgedPage({"hue": (0.0, 1.0), "size": 20}, folder, "mixed", 4)
    page.show()
    app = dashboard.wsgi(page.study._study._storage, page.store)
    said = json.loads(request(app, "GET", "/api/studies/1", QUERY_STRING="after=0")[1])
    assert said["feedback_component_type"]["output_type"] == "note"  # of every trial
    notes = sorted(trial["note"]["body"] for trial in said["trials"])
    assert [note[:4] for note in notes] == ["[![d"] * 2 + ["a *t"] * 2
    assert request(app, "GET", notes[0].split("(")[1].split(")")[0])[1][:4] == b"\x89PNG"
    page.study.report_preference(*sorted(page.study.trials, key=lambda t: t.params["hue"])[:2])
    shutil.rmtree(folder / "artifacts")
    page.keep_pictures()  # without the picture of the champion
    assert "what was learned" in capsys.readouterr().out
    assert (folder / "learned.png").stat().st_size
    page.stop.set()  # Ctrl-C waits for no drawing
    hung = Drawer(folder / "draw.py", "hang", folder, 60.0)
    assert hung.draw(values(0.9), page.stop).error


def test_a_small_space_is_shown_once_and_no_more(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = JudgedPage({"cup": ["a", "b", "c"]}, folder, "", 2)
    interview(page)
    assert sorted(trial.params["cup"] for trial in page.study.trials) == ["a", "b", "c"]
    said = capsys.readouterr().out
    assert said.count("all 3 things were compared; Ctrl-C ends") == 1
    assert re.search(r"^1\. trial \d \(\d+% sure that none of 3 is better\): cup a$", said, re.M)


@pytest.fixture
def gateway(tmp_path: Path) -> Any:
    study = dashboard.preferential.create_study(
        n_generate=2, sampler=optuna.samplers.RandomSampler()
    )
    store = optuna.artifacts.FileSystemArtifactStore(tmp_path)
    for _ in range(2):
        study.ask({"x": optuna.distributions.FloatDistribution(0.0, 1.0)})
    app = dashboard.wsgi(study._study._storage, store)
    return Gateway(app, study._study, "ann", {"localhost"})


def request(
    app: Any, method: str, path: str, said: Any = None, **headers: Any
) -> tuple[str, bytes, dict[str, str]]:
    body = b"" if said is None else json.dumps(said).encode()
    environ = {
        "REQUEST_METHOD": method,
        "PATH_INFO": path,
        "HTTP_HOST": "127.0.0.1:8080",
        "CONTENT_TYPE": "application/json",
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.input": BytesIO(body),
        "wsgi.errors": sys.stderr,
        "SERVER_NAME": "127.0.0.1",
        "SERVER_PORT": "8080",
        "wsgi.url_scheme": "http",
        **headers,
    }
    got: list[Any] = []
    content = b"".join(app(environ, lambda *args: got.extend(args)))
    return got[0], content, dict(got[1])


PREFERENCE = "/api/studies/0/preference"
ANSWER = {"mode": "ChooseWorst", "candidates": [0, 1], "clicked": 0}


def signatures(study: Any) -> list[str]:
    attrs = study._storage.get_study_system_attrs(study._study_id)
    return [value for key, value in attrs.items() if key.startswith("popbo:judge:")]


def test_an_answer_is_kept_with_who_gave_it(gateway: Any) -> None:
    status, body, _ = request(gateway, "POST", PREFERENCE, ANSWER)
    assert (status, body) == ("200 OK", b"{}")  # the page wants JSON
    study = gateway._study
    assert signatures(study) == ["ann"]
    attrs = study._storage.get_study_system_attrs(study._study_id)
    [key] = [key for key in attrs if key.startswith("preference:history")]
    identity = key.removeprefix("preference:history")
    assert request(gateway, "DELETE", f"{PREFERENCE}/{identity}")[0] == "200 OK"
    assert attrs.keys() == study._storage.get_study_system_attrs(study._study_id).keys()
    assert request(gateway, "POST", "/api/studies/0/1/skip")[0] == "200 OK"
    unsigned = Gateway(gateway._app, study, "", set())
    assert request(unsigned, "POST", PREFERENCE, ANSWER)[0] == "200 OK"
    assert signatures(study) == ["ann"]


@pytest.mark.parametrize(
    ("method", "path", "said", "headers"),
    [
        ("POST", PREFERENCE, ANSWER, {"HTTP_HOST": "evil.example:8080"}),
        ("GET", "/api/studies", None, {"HTTP_HOST": "evil.example:8080"}),
        ("POST", PREFERENCE, ANSWER, {"HTTP_ORIGIN": "http://evil.example"}),
        ("POST", "/api/studies/0/1/skip", None, {"HTTP_ORIGIN": "null"}),
        ("POST", PREFERENCE, ANSWER | {"clicked": 7}, {}),
        ("POST", PREFERENCE, ANSWER | {"candidates": [0, -1]}, {}),
        ("POST", PREFERENCE, ANSWER | {"candidates": "01"}, {}),
        ("POST", PREFERENCE, ANSWER | {"candidates": [0.0, 1]}, {}),
        ("POST", PREFERENCE, ANSWER | {"candidates": [1]}, {}),  # without the one that was clicked
        ("POST", PREFERENCE, [ANSWER], {}),
        ("POST", PREFERENCE, ANSWER, {"CONTENT_LENGTH": "-1"}),
        ("POST", PREFERENCE, ANSWER, {"CONTENT_LENGTH": "9" * 30}),
        ("POST", PREFERENCE, ANSWER, {"CONTENT_LENGTH": "x"}),
        ("POST", PREFERENCE, None, {"wsgi.input": BytesIO(b"[" * 9999), "CONTENT_LENGTH": "9999"}),
        # A dashboard drops what is no UTF-8.
        ("POST", f"{PREFERENCE}/\xff", ANSWER, {}),
        ("POST", f"{PREFERENCE}\xff", ANSWER, {}),
        ("POST", f"{PREFERENCE}/", ANSWER, {}),
        ("POST", "/api/studies/0/99/skip", None, {}),
        ("POST", PREFERENCE, ANSWER | {"more": "x" * 100_000}, {}),
        ("DELETE", "/api/studies/0", None, {}),
        ("POST", "/api/studies", {"study_name": "b", "directions": ["minimize"]}, {}),
        ("POST", "/api/artifacts/0/0", {"file": "data:text/html,a"}, {}),
        ("PUT", "/api/studies/0/note", {"body": "b", "version": 1}, {}),
        ("POST", "/api/trials/0/tell", {"state": "fail"}, {}),
    ],
)
def test_nothing_but_answers_is_taken(
    gateway: Any, method: str, path: str, said: Any, headers: dict[str, Any]
) -> None:
    storage, study = gateway._study._storage, gateway._study._study_id
    before = dict(storage.get_study_system_attrs(study))
    status, body, _ = request(gateway, method, path, said, **headers)
    assert status == "403 Forbidden"
    assert json.loads(body)["reason"]
    assert storage.get_study_system_attrs(study) == before
    assert len(storage.get_all_studies()) == 1
    assert {trial.state.name for trial in gateway._study.trials} == {"RUNNING"}


def test_files_stay_in_their_folder_and_run_nothing(gateway: Any, tmp_path: Path) -> None:
    (tmp_path.parent / "secret").write_text("hidden")
    for path in ("/artifacts/0/../secret", "/artifacts/0/0/..%2f..%2fsecret", "/artifacts/0/0/abc"):
        status, body, _ = request(gateway, "GET", path)
        assert status.startswith("404")
        assert b"hidden" not in body
    page = tmp_path / "page.html"
    page.write_text("<script>alert(1)</script>")
    study = gateway._study
    kept = optuna.artifacts.upload_artifact(
        artifact_store=optuna.artifacts.FileSystemArtifactStore(tmp_path),
        file_path=str(page),
        study_or_trial=study.trials[0],
        storage=study._storage,
    )
    url = f"artifacts/0/{study.trials[0]._trial_id}/{kept}"
    for path in (f"/{url}", f"/\xff{url}"):  # the same for the dashboard
        status, _, headers = request(gateway, "GET", path, {}, CONTENT_LENGTH="9" * 30)
        assert status == "200 OK"
        assert headers["Content-Security-Policy"] == "sandbox"
        assert "Access-Control-Allow-Origin" not in headers
    status, _, headers = request(gateway, "GET", "/dashboard")
    assert "script-src 'self'" in headers["Content-Security-Policy"]  # its own
    assert request(gateway, "GET", "/static/bundle.js")[0] == "200 OK"


def has_no_ipv6() -> bool:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        return True
    return False


IPV6 = pytest.param("::1", "[::1]", marks=pytest.mark.skipif(has_no_ipv6(), reason="no IPv6"))


@pytest.mark.parametrize(("host", "address"), [("0.0.0.0", "127.0.0.1"), IPV6])
def test_the_address_of_the_page_is_printed(
    folder: Path,
    host: str,
    address: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("webbrowser.open", lambda _: True)
    options: Any = SimpleNamespace(state=folder / "s", judges=["ann"], host=host, port=None)
    with open_page(options, PreferenceSearch({"x": (0.0, 1.0)}), None):
        said = capsys.readouterr()
        name = socket.gethostname().lower() if host == "0.0.0.0" else address
        port = re.search(rf"^ann at http://{re.escape(name)}:(\d+)/dashboard/studies/1;", said.out)
        assert port is not None
        assert ("anybody" in said.err) == (host == "0.0.0.0")
        for asked, status in ((address, 200), (f"{name}:1", 200), ("evil.example", 403)):
            connection = HTTPConnection(address.strip("[]"), int(port[1]))
            connection.request("GET", "/api/meta", headers={"Host": asked})
            assert connection.getresponse().status == status


def test_an_answer_that_never_comes_holds_up_no_other(gateway: Any) -> None:
    begun, end = Event(), Event()
    slow = SimpleNamespace(read=lambda _: begun.set() or (end.wait() and b""))  # type: ignore[func-returns-value]
    options = {"wsgi.input": slow, "CONTENT_LENGTH": "9"}
    thread = Thread(target=request, args=(gateway, "POST", PREFERENCE), kwargs=options)
    thread.start()
    begun.wait()
    assert request(gateway, "POST", PREFERENCE, ANSWER)[0] == "200 OK"
    end.set()
    thread.join()


def test_a_judge_is_told_that_another_program_uses_the_study(tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    storage = optuna.storages.RDBStorage(
        f"sqlite:///{path}", engine_kwargs={"connect_args": {"timeout": 0.1}}
    )
    study = dashboard.preferential.create_study(
        n_generate=2, storage=storage, sampler=optuna.samplers.RandomSampler()
    )
    for _ in range(2):
        study.ask({"x": optuna.distributions.FloatDistribution(0.0, 1.0)})
    app = Gateway(dashboard.wsgi(storage), study._study, "ann", set())
    url = f"/api/studies/{study._study._study_id}/preference"
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        status, body, _ = request(app, "POST", url, ANSWER)
    assert status.startswith("503")
    assert json.loads(body) == {"reason": "another program uses the study; please try again"}
    assert request(app, "POST", url, ANSWER)[0] == "200 OK"


def test_a_fast_click_on_the_last_picture_says_nothing() -> None:
    sampler = PreferentialPoPBOSampler(seed=0)
    study = dashboard.preferential.create_study(n_generate=2, sampler=sampler)
    app = Gateway(None, study._study, "", set())  # type: ignore[arg-type]
    for number in range(8):
        while study.should_generate():
            study.ask({"x": optuna.distributions.FloatDistribution(0.0, 1.0)})
        shown = sampler.shown(study)
        best, worst = sorted(shown, key=lambda n: abs(study.trials[n].params["x"] - 0.4))
        for candidates, clicked in ((shown, worst), ([best], best))[: 1 + number // 7]:
            said = {"candidates": candidates, "clicked": clicked}
            assert request(app, "POST", PREFERENCE, said)[0] == "200 OK"
    champion = sampler.best_trial(study)
    assert champion.number == best  # it lost nothing
    assert sampler.shown(study) == []
    for _ in range(2):
        study.ask({"x": optuna.distributions.FloatDistribution(0.0, 1.0)})
    shown = sampler.shown(study)
    assert len(shown) == 2  # the page goes on, with the champion
    assert study.trials[shown[0]].params == champion.params


def test_other_names_of_this_machine_are_refused(gateway: Any) -> None:
    def status(host: str) -> str:
        return request(gateway, "GET", "/api/meta", HTTP_HOST=host)[0]

    for host in ("127.0.0.1", "[::1]:8080", "192.168.0.7:80", "localhost:8080"):
        assert status(host) == "200 OK"
    for host in ("", "evil.example", "127.0.0.1.evil.example", "[::1", "localhost.evil.example:80"):
        assert status(host) == "403 Forbidden"


def start(folder: Path, port: int, *options: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "botorch_popbo.benchmarks", "prefer", "flag.toml", "--page"]
    root = str(Path(__file__).parents[2])
    environment = os.environ | {"BROWSER": "true", "PYTHONPATH": root, "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(
        [*command, "--port", str(port), *options],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline().startswith("answer at http://127.0.0.1:")
    return process


def shown(page: Browser) -> list[str]:
    return re.findall(r"Trial \d+", page.text)


#: What the server knows.
SKIPPED = """
const request = new XMLHttpRequest();
request.open("GET", "/api/studies/1?after=0", false);
request.send();
return JSON.parse(request.responseText).skipped_trial_numbers.length;
"""


@contextmanager
def ended(process: "subprocess.Popen[str]") -> Iterator[None]:
    try:
        yield
    finally:
        process.kill()
        process.wait()


@pytest.mark.slow
@pytest.mark.skipif(MISSING is not None, reason=str(MISSING))
def test_a_judge_goes_through_the_page(folder: Path, tmp_path: Path) -> None:
    port = free_port()
    url = f"http://127.0.0.1:{port}/dashboard/studies/1"
    with browser(tmp_path / "profile") as page:

        def pictures(number: int) -> bool:
            return len(page.find("//img")) == len(shown(page)) == number

        with ended(start(folder, port)):
            page.open(url)
            wait(lambda: pictures(2))
            for place in (0, 1, 1):
                before = shown(page)
                page.click("//button[contains(., 'Worst')]", place)
                wait(lambda before=before: pictures(2) and shown(page) != before)
            page.click("//button[contains(., 'Undo')]")
            wait(lambda: pictures(3))
            page.click("//button[@aria-label='skip trial']", 2)
            wait(lambda: pictures(2) and page.run(SKIPPED))  # hidden first, and then sent
            assert "Failed" not in page.text
            before = shown(page)
        again = start(folder, port)  # after it was killed
        with ended(again):
            page.open(url)
            wait(lambda: pictures(2))
            assert shown(page) == before
            page.click("//button[contains(., 'Worst')]")
            wait(lambda: pictures(2) and shown(page) != before)
            page.open(f"{url}/note")
            champion = wait(lambda: re.search(r"Trial (\d+) is the champion", page.text))
            again.send_signal(signal.SIGINT)
            said, _ = again.communicate(timeout=60)
        assert page.run("return document.title") == "Optuna Dashboard"
    assert again.returncode == 0
    assert f"1. trial {champion[1]} (too early to say how sure): hue" in said
    kept = folder / "flag-answers"
    assert {"champion.png", "learned.png", "study.db"} <= {path.name for path in kept.iterdir()}


@pytest.mark.slow
def test_faults_are_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def complaint(*options: str) -> str:
        command = ["prefer", str(folder / "flag.toml"), "--page", "--port", str(free_port())]
        assert main([*command, *options]) == 2
        return capsys.readouterr().err

    answers = folder / "flag-answers"
    assert "cannot listen at 256.0.0.1" in complaint("--host", "256.0.0.1")
    assert "port must be 0-65535" in complaint("--port", "70000")
    with closing(socket.create_server(("127.0.0.1", 0))) as other:
        assert "cannot listen" in complaint("--port", str(other.getsockname()[1]))
    assert not answers.exists()
    answers.mkdir()
    (answers / "study.db").write_text("no database")
    said = complaint()
    assert f"cannot use {answers / 'study.db'}: file is not a database" in said
    assert said.count("\n") == 1
    (answers / "study.db").unlink()
    (folder / "flag.toml").write_text('[style]\nchoices = ["a", "b", "c"]\n')
    assert "num_items is at most 3, the number of different points" in complaint("--items", "5")
    (folder / "flag.toml").write_text(SPACE.replace("render", "wrong"))
    said = complaint()
    assert said.count("is not shown: ValueError: no such colour") == 5
    assert "5 things one after another could not be drawn" in said
    assert "was begun with another seed" in complaint("--seed", "3")
