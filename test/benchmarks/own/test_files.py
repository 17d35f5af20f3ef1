from pathlib import Path

import pytest
from helpers.own_problem import OWN_PROBLEM

from botorch_popbo._errors import UsageError
from botorch_popbo.benchmarks.own.files import find
from botorch_popbo.benchmarks.problems import Problem

GOOD = (
    OWN_PROBLEM
    + """\
def taken(): return own("branin")
def number(): return 3
def broken(): return 1 / 0
"""
)


def test_a_change_of_the_file_changes_the_name(tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    path.write_text(GOOD)
    name, source = find(f"{path}:own", Problem, ())
    assert name.startswith("own@")
    assert source.load().score({"x": 0.5}) == 0.5
    path.write_text(GOOD + "# changed")
    with pytest.raises(UsageError, match="has changed while it was in use"):
        source.load()
    assert find(f"{path}:own", Problem, ())[0] not in (name, "own@")


def test_a_function_is_a_problem(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "own.py"
    path.write_text(
        'space = {"rate": (1e-4, 1.0, "log"), "kind": ["a", "b"], "k": 2}\ndirection = "maximize"\n'
        "def f(rate, kind, k):\n"
        '    if rate == 0.8: raise OSError("out of memory")\n'
        "    if rate == 0.9: return undefined\n"
        "    if rate == 1.0: return None\n"
        '    return (rate * k + (kind == "b"), 0.1) if rate < 0.5 else float("nan")\n'
    )
    name, source = find(f"{path}:f", Problem, ())
    problem = source.load()
    assert name.startswith("f@")
    assert problem.evaluate({"rate": 0.25, "kind": "b", "k": 2}, 0) == 1.5
    assert problem.evaluate({"rate": 0.75, "kind": "b", "k": 2}, 0) is None
    assert problem.evaluate({"rate": 0.8, "kind": "b", "k": 2}, 0) is None
    for rate, mistake in ((0.9, "NameError"), (1.0, "ValueError: the value is no finite number")):
        with pytest.raises(RuntimeError, match=f"f is to be mended: {mistake}"):
            problem.evaluate({"rate": rate, "kind": "b", "k": 2}, 0)
    assert (problem.minimize, problem.noisy, problem.is_exact) == (False, False, True)
    assert "no finite number: nan" in caplog.text


@pytest.mark.parametrize("arguments", ["rate=0.1, kind='a'", "**values", "rate, kind='b', seed=0"])
def test_a_function_may_have_defaults(arguments: str, tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    path.write_text(f'space = {{"rate": (0.0, 1.0)}}\ndef f({arguments}): return 2.0\n')
    _, source = find(f"{path}:f", Problem, ())
    assert source.load().evaluate({"rate": 0.25}, 0) == 2.0


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("owm", "no name in .*: 'owm'; did you mean 'own'"),
        ("number", "is to make a Problem, but got "),
        ("broken", "failed in line 11: ZeroDivisionError"),
        ("taken", "there is another 'branin'"),
    ],
)
def test_what_cannot_be_used_is_named(name: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    path.write_text(GOOD)
    with pytest.raises(UsageError, match=message):
        find(f"{path}:{name}", Problem, {"branin"})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import os\nundefined\n", "line 2: NameError"),
        ("raise SystemExit(0)", "line 1: SystemExit"),
    ],
)
def test_a_file_that_cannot_be_loaded_names_the_line(
    text: str, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "bad.py"
    path.write_text(text)
    with pytest.raises(UsageError, match=message):
        find(f"{path}:own", Problem, ())
