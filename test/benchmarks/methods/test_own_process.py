import signal
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from helpers.peers import MIXED, TABLE, check_reproducible, run, start

from botorch_popbo._errors import UsageError
from botorch_popbo.benchmarks.methods import Method
from botorch_popbo.benchmarks.methods.own_process import SERVER, OwnProcess
from botorch_popbo.benchmarks.settings import Parameters, Setting

# Suggests a random point, or the only one that it was told, if it is told one.
SCRIPT = """
def made(dimensions):
    print("a library that talks")
    def suggest(rows, losses, seed):
        assert "botorch_popbo" not in sys.modules
        assert os.environ["OMP_NUM_THREADS"] == "1"
        if not rows:
            os._exit(3)
        if len(rows) == 1:
            assert losses == [4.0], losses
            assert rows == [{"rate": 0.01, "share": 0.25, "width": 16, "depth": -1, "dropout": 1,
                             "bias": 1, "kernel": 2}], rows
            kinds = [(d["kind"], d["low"], d["high"], d["log"]) for d in dimensions]
            assert kinds == [("float", 1e-5, 1.0, True), ("float", -1.0, 0.3, False),
                             ("int", 2, 128, True), ("int", -3, 4, False), ("int", 0, 2, False),
                             ("category", 0, 1, False), ("category", 0, 2, False)], kinds
            return {name: float(number) for name, number in rows[0].items()}
        rng = random.Random(seed + round(1e6 * min(losses)) + hash("text"))
        return {d["name"]: rng.uniform(d["low"], d["high"]) for d in dimensions}
    return suggest
"""
POINT: Parameters = {
    **{"rate": 0.01, "share": 0.25, "width": 16, "depth": -1},
    **{"dropout": 0.3, "bias": True, "kernel": "poly", "epochs": 3},
}


@pytest.fixture
def method(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Method:
    monkeypatch.setenv("POPBO_PYTHON_OWN", sys.executable)
    path = tmp_path / "server.py"
    path.write_text(SERVER.read_text().replace("def main", f"{SCRIPT}\ndef main"))
    monkeypatch.setattr("botorch_popbo.benchmarks.methods.own_process.SERVER", path)
    return Method("own", "", partial(OwnProcess, "made", "pip install some", None))


def test_the_contract_holds(method: Method) -> None:
    run(method, TABLE)
    check_reproducible(method, MIXED)


def test_every_parameter_becomes_a_number_and_comes_back(method: Method) -> None:
    optimizer = method.start(MIXED, Setting("mixed", "own", 1, 5))
    optimizer.observe(POINT, 4.0)
    back = optimizer.suggest(1).parameters
    assert back == POINT
    assert [type(value) for value in back.values()] == [type(value) for value in POINT.values()]


def test_an_interpreter_that_is_not_there_is_told(
    method: Method, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POPBO_PYTHON_OWN", "")
    with pytest.raises(UsageError, match="install some; export POPBO_PYTHON_OWN="):
        start(method, MIXED)


def test_errors_are_passed_on_and_the_end_of_either_process_is_noticed(method: Method) -> None:
    made: Any = start(method, MIXED)
    with pytest.raises(RuntimeError, match=r"TypeError: .*unexpected keyword argument 'row'"):
        made.answer({"row": 1})
    for _ in range(2):
        with pytest.raises(RuntimeError, match="the process ended"):
            made.answer({"rows": [], "losses": [], "seed": 0})
    process = (made := start(method, MIXED)).process
    del made
    assert process.wait(5) == -signal.SIGKILL
