import os
import subprocess
import sys

import pytest
from helpers.peers import IN_ORDER, MIXED, run, start

from botorch_popbo._errors import UsageError
from botorch_popbo.benchmarks.methods import METHODS
from botorch_popbo.benchmarks.methods.libraries import LibraryOptimizer, Row
from botorch_popbo.benchmarks.settings import Parameters, Setting

#: The modules of the libraries that run in this process.
IN_PROCESS = {"optuna-tpe": "optuna", "optuna-gp": "optuna", "cmaes": "cmaes"}
NUMBERS = {"rate": 0.01, "share": 0.25, "width": 16, "depth": -1}
POINT: Parameters = {**NUMBERS, "dropout": 0.3, "bias": True, "kernel": "poly", "epochs": 3}
ROW = {**NUMBERS, "dropout": 1, "bias": 1, "kernel": 2}


class Recorder(LibraryOptimizer):
    """Suggests the last row, or another one."""

    answer: Row | None = None

    def ask(self, seed: int) -> Row:
        self.given = seed
        return self.answer or self.rows[-1]


def test_every_parameter_becomes_a_number_and_comes_back() -> None:
    loop = Recorder(MIXED, Setting("mixed", "recorder", 1, 5))
    assert loop.dimensions == [
        ("rate", "float", 1e-5, 1.0, True, None),
        ("share", "float", -1.0, 0.3, False, None),
        ("width", "int", 2, 128, True, None),
        ("depth", "int", -3, 4, False, None),
        ("dropout", "int", 0, 2, False, None),
        ("bias", "category", 0, 1, False, None),
        ("kernel", "category", 0, 2, False, None),
    ]
    loop.observe(POINT, 4.0)
    assert loop.rows == [ROW]
    assert loop.losses == [4.0]
    loop.answer = {name: float(number) for name, number in ROW.items()}
    back = loop.suggest(1).parameters
    assert back == POINT
    assert [type(value) for value in back.values()] == [type(value) for value in POINT.values()]


def test_a_missing_library_is_named_with_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "cmaes", None)
    with pytest.raises(UsageError, match=r"cmaes needs .* cmaes: .*popbo\[peers\]"):
        start(METHODS["cmaes"], IN_ORDER)


def test_a_process_with_other_hashes_suggests_the_same() -> None:
    """What a library keeps in a set must not decide what it suggests."""
    for module in IN_PROCESS.values():
        pytest.importorskip(module)
    command = f"from {__name__} import suggestions; print(suggestions())"
    paths = {"PYTHONHASHSEED": "1", "PYTHONPATH": os.pathsep.join(sys.path)}  # ours is random
    process = [sys.executable, "-c", command]
    printed = subprocess.check_output(process, env={**os.environ, **paths}, text=True)
    assert printed.splitlines()[-1] == str(suggestions())


def suggestions() -> list[tuple[str, object]]:
    return [(name, run(METHODS[name], IN_ORDER)) for name in IN_PROCESS]
