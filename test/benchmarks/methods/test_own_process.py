import signal
import sys
from functools import partial
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from helpers.peers import MIXED, TABLE, check_reproducible, run, start

from botorch_popbo.benchmarks.errors import UsageError
from botorch_popbo.benchmarks.methods import Method
from botorch_popbo.benchmarks.methods._own_process import OwnProcess

SCRIPT = """
    import os
    import random
    import sys

    def made(dimensions):
        print("a library that talks")

        def suggest(rows, losses, seed):
            assert "botorch_popbo" not in sys.modules
            assert os.environ["OMP_NUM_THREADS"] == "1"
            if not rows:
                print("out of memory", file=sys.stderr)
                os._exit(3)
            rng = random.Random(seed + round(1e6 * min(losses)) + hash("text"))
            return {d["name"]: rng.uniform(d["low"], d["high"]) for d in dimensions}

        return suggest
"""


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("POPBO_PYTHON_SOME_METHOD", sys.executable)
    path = tmp_path / "script.py"
    path.write_text(dedent(SCRIPT))
    return path


@pytest.fixture
def method(script: Path) -> Method:
    start_process = partial(OwnProcess, (script, "made"), "pip install some", None)
    return Method("some-method", "", "some-method", start_process)


def test_the_contract_holds(method: Method) -> None:
    run(method, TABLE)
    check_reproducible(method, MIXED)


@pytest.mark.parametrize(
    ("python", "message"),
    [
        ("", "install some; export POPBO_PYTHON_SOME_METHOD="),
        ("/no/such/python", r"with /no/such/python: .*No such file.*some"),
    ],
)
def test_an_interpreter_that_is_not_there_is_told(
    method: Method, python: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POPBO_PYTHON_SOME_METHOD", python)
    with pytest.raises(UsageError, match=message):
        start(method, MIXED)


def test_a_library_that_is_not_there_is_named(method: Method, script: Path) -> None:
    script.write_text("import no_such_library")
    with pytest.raises(UsageError, match=r"does not start .*no_such_library.*install some"):
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
