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
        ("compare --problems bbob-f25-d5", "bbob has functions 1 to 24"),
        ("report --problems branin --output /none", "there are no records in /none"),
        ("compare --methods zzz", "no method 'zzz'; known: popbo, "),
        ("compare --problems mine.py", ", and path/to/my.py:name"),
        ("compare --problems no.py:make", "no.py: No such file"),
        ("compare --table no.csv --objective loss", "no.csv: No such file"),
        ("compare --table no.csv", "give both"),
        ("compare --column a=log", "name it with --table FILE"),
        ("compare --campaign suggestion-time --table a.csv", "has no --table"),
        ("compare --trials 0", "--trials is a whole number of at least 1, not 0"),
        ("compare --initial 1", "--initial is a whole number of at least 2, not 1"),
        ("compare --limit 0", "--limit is a number of at least 0.001, not 0.0"),
        ("compare --campaign papr", "no campaign 'papr'; known: botorch-functions, "),
        ("compare --campaign none.toml", "cannot read the campaign none.toml"),
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


@pytest.mark.parametrize("arguments", ["", "comparee", "compare --seed 3", "compare --jobs two"])
def test_a_command_line_that_cannot_be_read_is_status_2(arguments: str) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(arguments.split())


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


def test_the_environment_names_the_tables(
    tables: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("POPBO_DATA", str(tables))
    arguments = "compare --problems nasbench201 fcnet-slice --methods random --initial 2 --trials 2"
    assert main([*arguments.split(), "--seeds", "1", "--jobs", "1", "--output", str(tables)]) == 0
    title = "nasbench201: 2 + 2 evaluations, regret in validation accuracy [%]"
    assert title in capsys.readouterr().out
    assert (tables / "results.csv").read_text().count("\n") == 3
    assert (tables / "report.png").stat().st_size > 10_000


def test_a_failed_replication_is_status_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(SyntheticProblem, "evaluate", lambda *_: float("inf"))
    options = ["--trials", "1", "--seeds", "1", "--jobs", "1", "--output", str(tmp_path)]
    assert main(["compare", "--problems", "branin", "--methods", "random", *options]) == 1
    streams = capsys.readouterr()
    message = "failed: random on branin, seed 0, trial 0: ValueError: trial 0 evaluated to inf"
    assert message in streams.err
    assert "no complete run" in streams.out


def test_a_report_runs_nothing_and_says_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "small.toml"
    path.write_text('problems = ["branin"]\nmethods = ["random", "optuna-tpe"]\njobs = 1\n')
    options = ["--campaign", str(path), "--smoke", "--output", str(tmp_path / "out")]
    assert main(["compare", *options]) == 0
    first = capsys.readouterr().out
    assert "12 + 3 evaluations" in first
    (tmp_path / "out" / "report.html").unlink()
    monkeypatch.setattr(SyntheticProblem, "evaluate", None)
    assert main(["report", *options]) == 0
    assert capsys.readouterr().out == first
    assert (tmp_path / "out" / "report.html").exists()


@pytest.mark.parametrize(
    ("file", "status", "message"),
    [
        ("out/records/branin--random--i12--s0.jsonl", 1, "line 1: not a record of a trial"),
        ("out", 2, "is not a folder"),
    ],
)
def test_what_stops_a_run_is_named(
    file: str, status: int, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / file).write_text("nonsense\n")
    options = ["--problems", "branin", "--methods", "random"]
    assert main(["compare", *options, "--output", str(tmp_path / "out")]) == status
    assert message in capsys.readouterr().err


def compared(folder: Path, *more: str) -> list[str]:
    options = ["--trials", "2", "--seeds", "1", "--initial", "2", "--jobs", "1"]
    return ["compare", *options, *more, "--output", str(folder)]


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


@pytest.mark.parametrize("arguments", ["--help", "compare --help", "--version", "comparee"])
def test_help_and_typos_load_no_library(arguments: str) -> None:
    code = f"""
import sys
from botorch_popbo.benchmarks.cli import main
try:
    main({arguments.split()})
except SystemExit:
    pass
print(sorted({{"torch", "numpy", "ax", "pandas"}} & set(sys.modules)), file=sys.stderr)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stderr.splitlines()[-1] == "[]"


def test_the_package_and_the_settings_import_no_ax() -> None:
    modules = (
        "botorch_popbo, botorch_popbo.benchmarks.cli, botorch_popbo.benchmarks.run._replication"
    )
    heavy = "{'ax', 'matplotlib', 'plotly', 'sklearn', 'joblib'}"
    code = f"import sys, {modules}; print({heavy} & set(sys.modules))"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "set()\n"


OWN = f'{OWN_PROBLEM}def other(): return own("other-own")\n'


def test_a_report_says_that_a_file_has_changed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, output = tmp_path / "own.py", f"--output {tmp_path / 'results'}"
    path.write_text(OWN)
    options = "--methods random --trials 1 --initial 2 --seeds 1 --jobs 1"
    assert main(f"compare --problems {path}:other {options} {output}".split()) == 0
    path.write_text(OWN + "# changed")
    # Another problem whose name ends alike is not the same.
    assert main(f"compare --problems {path}:own {options} {output}".split()) == 0
    assert "has changed" not in capsys.readouterr().err
    assert main(f"report {output}".split()) == 0
    assert "other-own has changed: it begins anew" in capsys.readouterr().err
