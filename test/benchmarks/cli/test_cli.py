import subprocess
import sys
from pathlib import Path

import pytest
from helpers.own_problem import OWN_PROBLEM

from botorch_popbo.benchmarks.cli import main
from botorch_popbo.benchmarks.cli._campaigns import shipped_campaigns
from botorch_popbo.benchmarks.methods import METHODS
from botorch_popbo.benchmarks.problems import PATTERNS, PROBLEMS
from botorch_popbo.benchmarks.problems._functions import SyntheticProblem


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("compare --problems brainin", "no problem 'brainin'; did you mean 'branin'"),
        ("report --problems branin --output /none", "there are no records in /none"),
        ("compare --problems mine.py", ", and path/to/my.py:name"),
        ("compare --table no.csv", "give both"),
        ("compare --campaign suggestion-time --table a.csv", "has no --table"),
        ("compare --trials 0", "--trials is a whole number of at least 1, not 0"),
        ("compare --campaign papr", "no campaign 'papr'; known: botorch-functions, "),
    ],
)
def test_misuse_is_one_line_and_status_2(
    arguments: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments.split()) == 2
    streams = capsys.readouterr()
    assert streams.out == ""
    assert streams.err.count("\n") == 1
    assert streams.err.startswith("popbo: error: ")
    assert message in streams.err


def test_list_names_everything(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list"]) == 0
    printed = capsys.readouterr().out
    names = (*PROBLEMS, *PATTERNS, *METHODS, *shipped_campaigns())
    assert all(name in printed for name in names)


def test_a_missing_table_is_told_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("POPBO_DATA", raising=False)
    output = tmp_path / "out"
    arguments = ["compare", "--problems", "branin", "nasbench201", "--output", str(output)]
    assert main(arguments) == 2
    message = capsys.readouterr().err
    for part in ("nasbench201.npz", "--data", "POPBO_DATA", "NATS-tss", "X_index", "op_names"):
        assert part in message
    assert main([*arguments, "--data", str(tmp_path)]) == 2
    assert f"nasbench201.npz is needed and is not in {tmp_path}" in capsys.readouterr().err
    assert not output.exists()


def compared(folder: Path, *more: str) -> list[str]:
    options = ["--trials", "2", "--seeds", "1", "--initial", "2", "--jobs", "1"]
    return ["compare", *options, *more, "--output", str(folder)]


def test_a_failed_replication_is_status_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(SyntheticProblem, "evaluate", lambda *_: float("inf"))
    assert main(compared(tmp_path, "--problems", "branin", "--methods", "random")) == 1
    streams = capsys.readouterr()
    message = "failed: random on branin, seed 0, trial 0: ValueError: trial 0 evaluated to inf"
    assert message in streams.err
    assert "no complete run" in streams.out


def test_a_report_without_options_is_of_all_that_was_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(compared(tmp_path, "--problems", "branin", "--methods", "random")) == 0
    more = ("--problems", "branin", "hartmann6", "--methods", "optuna-tpe", "random")
    assert main(compared(tmp_path, *more)) == 0
    asked = set(capsys.readouterr().out.split())
    before = (tmp_path / "results.csv").read_text().splitlines()
    (tmp_path / "report.html").unlink()
    assert main(["report", "--output", str(tmp_path)]) == 0
    assert asked <= set(capsys.readouterr().out.split())
    assert set((tmp_path / "results.csv").read_text().splitlines()) == set(before)
    assert (tmp_path / "report.html").exists()
    assert main(["report", "--output", str(tmp_path), "--methods", "optuna-tpe"]) == 0
    assert "random" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("code", "heavy"),
    [
        ("cli.main(['compare', '--hepl'])", {"torch", "numpy", "ax", "pandas"}),
        ("import botorch_popbo, {0}.run._replication", {"ax", "matplotlib", "sklearn", "joblib"}),
    ],
)
def test_help_and_workers_load_few_libraries(code: str, heavy: set[str]) -> None:
    benchmarks = "botorch_popbo.benchmarks"
    code = f"""
import sys
from {benchmarks} import cli
try:
    {code.format(benchmarks)}
except SystemExit:
    pass
print({heavy} & set(sys.modules))
"""
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "set()\n"


OWN = f'{OWN_PROBLEM}def other(): return own("other-own")\n'


def test_a_report_says_that_a_file_has_changed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, output = tmp_path / "own.py", tmp_path / "results"
    path.write_text(OWN)
    assert main(compared(output, "--problems", f"{path}:other", "--methods", "random")) == 0
    path.write_text(OWN + "# changed")
    # Another problem whose name ends alike is not the same.
    assert main(compared(output, "--problems", f"{path}:own", "--methods", "random")) == 0
    assert "has changed" not in capsys.readouterr().err
    assert main(["report", "--output", str(output)]) == 0
    assert "other-own has changed: it begins anew" in capsys.readouterr().err
