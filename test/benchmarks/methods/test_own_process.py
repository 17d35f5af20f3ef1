import signal
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from helpers.peers import MIXED, TABLE, check_reproducible, run, start

from botorch_popbo._errors import UsageError
from botorch_popbo.benchmarks.methods import Method, own_process

SCRIPT = """
def made(dimensions):
    print("a library that talks")
    def suggest(rows, losses, seed):
        assert "botorch_popbo" not in sys.modules
        assert os.environ["OMP_NUM_THREADS"] == "1"
        if not rows:
            os._exit(3)
        rng = random.Random(seed + round(1e6 * min(losses)) + hash("text"))
        return {d["name"]: rng.uniform(d["low"], d["high"]) for d in dimensions}
    return suggest
"""


@pytest.fixture
def method(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Method:
    monkeypatch.setenv("POPBO_PYTHON_OWN", sys.executable)
    path = tmp_path / "server.py"
    path.write_text(
        Path(own_process._SERVER).read_text().replace("def main", f"{SCRIPT}\ndef main")
    )
    monkeypatch.setattr(own_process, "_SERVER", path)
    start_process = partial(own_process.OwnProcess, "made", "pip install some", None)
    return Method("own", "", start_process)


def test_the_contract_holds(method: Method) -> None:
    run(method, TABLE)
    check_reproducible(method, MIXED)


def test_an_interpreter_that_is_not_there_is_told(
    method: Method, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POPBO_PYTHON_OWN", "")
    with pytest.raises(UsageError, match="install some; export POPBO_PYTHON_OWN="):
        start(method, MIXED)


def test_an_error_is_passed_on_and_the_end_of_the_process_noticed(method: Method) -> None:
    made: Any = start(method, MIXED)
    with pytest.raises(RuntimeError, match=r"TypeError: .*unexpected keyword argument 'row'"):
        made.answer({"row": 1})
    for _ in range(2):
        with pytest.raises(RuntimeError, match="the process ended"):
            made.answer({"rows": [], "losses": [], "seed": 0})


def test_the_process_ends_with_its_owner(method: Method) -> None:
    made: Any = start(method, MIXED)
    process = made.process
    del made
    assert process.wait(5) == -signal.SIGKILL
