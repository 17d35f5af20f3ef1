from pathlib import Path
from typing import Any

import pytest
from helpers.own_problem import OWN_PROBLEM

from botorch_popbo._errors import UsageError
from botorch_popbo.benchmarks.own.files import find
from botorch_popbo.benchmarks.problems import Problem

GOOD = f"""{OWN_PROBLEM}
def taken(): return own("branin")
def number(): return 3
def broken(): return 1 / 0
"""
FUNCTION = """
space = {"rate": (1e-4, 1.0, "log"), "kind": ["a", "b"], "k": 2}
direction = "maximize"
def f(rate, kind, k):
    if rate == 0.8: raise OSError("out of memory")
    if rate == 0.9: return undefined
    if rate == 1.0: return None
    return (rate * k + (kind == "b"), 0.1) if rate < 0.5 else float("nan")
"""


def found(folder: Path, text: str, name: str) -> tuple[str, Any]:
    """What is found under a name in a file of that text."""
    (folder / "own.py").write_text(text)
    return find(f"{folder / 'own.py'}:{name}", Problem, {"branin"})


def test_a_change_of_the_file_changes_the_name(tmp_path: Path) -> None:
    name, source = found(tmp_path, GOOD, "own")
    assert name.startswith("own@")
    assert source.load().score({"x": 0.5}) == 0.5
    assert found(tmp_path, GOOD + "# changed", "own")[0] not in (name, "own@")
    with pytest.raises(UsageError, match="has changed while it was in use"):
        source.load()


def test_a_function_is_a_problem(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    name, source = found(tmp_path, FUNCTION, "f")
    problem = source.load()
    assert name.startswith("f@")
    assert (problem.minimize, problem.noisy, problem.is_exact) == (False, False, True)
    for rate, outcome in ((0.25, 1.5), (0.75, None), (0.8, None)):
        assert problem.evaluate({"rate": rate, "kind": "b", "k": 2}, 0) == outcome
    for rate, mistake in ((0.9, "NameError"), (1.0, "NotANumberError: .* not a finite number")):
        with pytest.raises(RuntimeError, match=f"fix f: {mistake}"):
            problem.evaluate({"rate": rate, "kind": "b", "k": 2}, 0)
    assert "not a finite number: nan" in caplog.text


@pytest.mark.parametrize("arguments", ["rate=0.1, kind='a'", "**values", "rate, kind='b', seed=0"])
def test_a_function_may_have_defaults(arguments: str, tmp_path: Path) -> None:
    text = f'space = {{"rate": (0.0, 1.0)}}\ndef f({arguments}): return 2.0\n'
    assert found(tmp_path, text, "f")[1].load().evaluate({"rate": 0.25}, 0) == 2.0


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("owm", GOOD, "has no function 'owm'; did you mean 'own'"),
        ("number", GOOD, "must return a Problem, but returned "),
        ("broken", GOOD, "failed in line 12: ZeroDivisionError"),
        ("taken", GOOD, "the name 'branin' is taken"),
        ("own", "import os\nundefined\n", "line 2: NameError"),
        ("own", "raise SystemExit(0)", "line 1: SystemExit"),
    ],
)
def test_what_cannot_be_used_is_named(name: str, text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=message):
        found(tmp_path, text, name)
