import importlib.metadata
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.own_problem import OWN_PROBLEM

from botorch_popbo import minimize
from botorch_popbo.benchmarks.cli import main
from botorch_popbo.benchmarks.cli.campaigns import shipped_campaigns
from botorch_popbo.benchmarks.methods import METHODS
from botorch_popbo.benchmarks.problems import PATTERNS, PROBLEMS

Capture = pytest.CaptureFixture[str]


def compared(folder: Path, *words: str) -> list[str]:
    """The command of a short comparison."""
    options = "--trials 2 --seeds 1 --initial 2 --jobs 1 --output"
    return ["compare", *words, *options.split(), str(folder)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("comapre branin", "no command 'comapre'; did you mean 'compare'?"),
        ("compare brainin", "no problem 'brainin'; did you mean 'branin'"),
        ("report branin --output /none", "there are no records in /none"),
        ("report folder --output /none", "run popbo compare or add --output folder"),
        ("compare --campaign {0}/own.py", "no campaign '{0}/own.py'; known: "),
        ("compare /no.py:f", "cannot read /no.py: No such file"),
        ("compare --methods tpe", "no method 'tpe'; did you mean 'optuna-tpe'"),
        ("compare --methods random branin", "branin is a problem: name problems before --methods"),
        ("compare --campaign no.toml", "cannot read the campaign no.toml: No such file"),
        ("compare --table no.csv", "give both"),
        ("compare --campaign preferences --table a.csv", "has no --table"),
        ("compare", "Name problems, a --campaign or a --table; `popbo list` shows them."),
        ("compare --trials 4", "Name problems, a --campaign or a --table"),
        ("compare --trials 0", "--trials is a whole number of at least 1, not 0"),
        ("compare --campaign papr", "no campaign 'papr'; known: botorch-functions, "),
        ("compare {0}/own.py", "own.py:NAME, where NAME is a function in the file"),
        ("compare {0}/own.py:trian", "{0}/own.py has no function 'trian'; did you mean 'train'?"),
        ("compare {0}/own:train", "did you mean '{0}/own.py:train'?"),
        ("compare {0}/own.py:alien", "cannot be called with rate, kernel: missing a required"),
        ("compare {0}/bare.py:alien", "alien takes a, so the file needs a space such as space ="),
    ],
)
def test_misuse_is_one_line_and_status_2(
    arguments: str, message: str, tmp_path: Path, capsys: Capture
) -> None:
    (tmp_path / "own.py").write_text(OWN)
    (tmp_path / "bare.py").write_text("def alien(a): return a")
    assert main(arguments.format(tmp_path).split()) == 2
    streams = capsys.readouterr()
    assert streams.out == ""
    assert streams.err.count("\n") == 1
    assert streams.err.startswith("popbo: error: ")
    assert message.format(tmp_path) in streams.err


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        ("compare branin --mehtods random", "'--mehtods'; did you mean '--methods'"),
        ("prefer x.toml --pgae", "'--pgae'; did you mean '--page'"),
        ("next a.csv b.csv", "no argument 'b.csv'; known: "),
    ],
)
def test_an_unknown_option_shows_the_usage_of_its_command(
    arguments: str, hint: str, capsys: Capture
) -> None:
    with pytest.raises(SystemExit):
        main(arguments.split())
    told = capsys.readouterr().err
    assert told.startswith(f"usage: popbo {arguments.split()[0]} [-h]")
    assert hint in told


def test_list_names_everything(capsys: Capture) -> None:
    assert main(["list"]) == 0
    printed = capsys.readouterr().out
    names = (*PROBLEMS, *PATTERNS, *METHODS, *shipped_campaigns())
    assert all(name in printed for name in names)
    assert main(["list", "problems"]) == 0
    printed = capsys.readouterr().out
    assert "hartmann6" in printed
    assert "optuna-tpe" not in printed


OWN = f"""
{OWN_PROBLEM}
def other(): return own("other-own")
def alien(a): return a

space = {{"rate": (1e-4, 1.0, "log"), "kernel": ["rbf", "poly"]}}
direction = "maximize"
def train(rate, kernel):
    if rate < 1e-3:
        raise ValueError("diverged")
    return -abs(rate - 0.1) - (kernel == "poly")
"""


def test_a_file_of_ones_own_is_compared_and_begins_anew_when_it_changes(
    tmp_path: Path, capsys: Capture
) -> None:
    path, output = tmp_path / "own.py", tmp_path / "out"
    path.write_text(OWN)
    for name in ("train", "other"):
        assert main(compared(output, f"{path}:{name}", "--methods", "random")) == 0
    printed = capsys.readouterr()
    assert "outcome (higher is better)" in printed.out
    assert "half or more of the evaluations are the shared initial points" in printed.err
    path.write_text(OWN + "# changed")
    assert main(["report", "--output", str(output)]) == 2
    message = capsys.readouterr().err
    assert "has no complete run of random on other-own@" in message
    assert "There are records of other-own@" in message
    # Another problem whose name ends alike is not the same.
    for name in ("own", "other"):
        assert main(compared(output, f"{path}:{name}", "--methods", "random")) == 0
        told = "other-own is from a changed or another file: starting over"
        assert (told in capsys.readouterr().err) == (name == "other")


def test_a_missing_table_is_told_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.delenv("POPBO_DATA", raising=False)
    output = tmp_path / "out"
    arguments = ["compare", "branin", "nasbench201", "--output", str(output)]
    assert main(arguments) == 2
    message = capsys.readouterr().err
    for part in ("nasbench201.npz", "--data", "POPBO_DATA", "tables/README.md"):
        assert part in message
    assert main([*arguments, "--data", str(tmp_path)]) == 2
    assert f"nasbench201.npz is needed and is not in {tmp_path}" in capsys.readouterr().err
    assert not output.exists()


def test_a_failed_replication_is_status_1(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "own.py"
    path.write_text("space = {'x': (0.0, 1.0)}\ndef f(x): return undefined\n")
    assert main(compared(tmp_path / "out", f"{path}:f", "--methods", "random")) == 1
    streams = capsys.readouterr()
    assert ", seed 0, trial 0: RuntimeError: fix f: NameError" in streams.err
    assert "no complete run" in streams.out


def test_a_report_without_options_is_of_what_was_asked_for_last(
    tmp_path: Path, capsys: Capture
) -> None:
    assert main(compared(tmp_path, "branin", "--methods", "random")) == 0
    more = ("branin", "hartmann6", "--methods", "optuna-tpe", "random")
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
        (
            "import {0}.run.replication; from {0} import methods, problems, settings; "
            "setting = settings.Setting(problem='branin', method='random', initial=3, seed=0); "
            "problem = problems.PROBLEMS['branin'].load(None); "
            "methods.METHODS['random'].start(problem, setting).suggest(3)",
            {"ax", "matplotlib", "sklearn", "joblib"},
        ),
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


def test_the_doctor_shows_what_is_missing_with_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    absent = ["botorch>=0", "no-such-package>=3", 'nor-this; extra == "peers"']
    monkeypatch.setattr(importlib.metadata, "requires", lambda _: absent)
    monkeypatch.setenv("POPBO_DATA", str(tmp_path))
    (tmp_path / "nasbench201.npz").touch()
    assert main(["doctor"]) == 1
    text = capsys.readouterr().out
    assert f"  botorch {importlib.metadata.version('botorch')} (wanted: >=0)" in text
    assert "no-such-package missing: pip install 'no-such-package>=3'" in text
    assert "peers: missing nor-this: in the clone, pip install '.[peers]'" in text
    assert "  test:" not in text
    assert f"{tmp_path / 'nasbench201.npz'}: found" in text
    assert "fcnet_valid.npz: missing" in text
    assert "to check for conflicting versions, run python -m pip check" in text


def test_all_is_written_where_the_output_is_not_read(tmp_path: Path) -> None:
    (path := tmp_path / "lab.csv").write_text("T,yield\n20,1\n30,2\n40,3\n")
    path.with_suffix(".toml").write_text(
        '[T]\nrange = [20.0, 40.0]\n[yield]\nresult = "larger is better"\n'
    )
    minimize(lambda x: x, {"x": (0.0, 1.0)}, 7, n_initial=3, path=tmp_path / "run.json")
    for arguments in ("next lab.csv", "report run.json"):
        code = f"from botorch_popbo.benchmarks.cli import main; main({arguments.split()})"
        with subprocess.Popen([sys.executable, "-uc", code], stdout=-1, cwd=tmp_path) as command:
            assert command.stdout
            command.stdout.close()
    assert len(path.read_text().splitlines()) == 5
    assert (tmp_path / "run-report" / "report.html").exists()
