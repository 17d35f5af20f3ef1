import subprocess
import sys

import pytest

from botorch_popbo.benchmarks.cli._parser import make_parser

COMMANDS = ["", "compare", "report", "coco-data", "prefer", "data", "data fcnet", "list", "doctor"]


@pytest.mark.parametrize("command", COMMANDS)
def test_help_fits_a_narrow_terminal(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    with pytest.raises(SystemExit):
        make_parser().parse_args([*command.split(), "--help"])
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if len(line) > 60] == []


@pytest.mark.parametrize("command", ["report", "coco-data"])
def test_what_is_not_said_of_a_folder_is_what_was_run(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        make_parser().parse_args([command, "--help"])
    printed = " ".join(capsys.readouterr().out.split())
    # Problems, methods, trials, initial points and seeds.
    assert printed.count("(default: as it was run)") == 5
    assert "hartmann6" not in printed


def test_a_broken_example_is_the_same_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    printed = []
    for columns in ("60", "200"):
        monkeypatch.setenv("COLUMNS", columns)
        with pytest.raises(SystemExit):
            make_parser().parse_args(["compare", "--help"])
        examples = capsys.readouterr().out.partition("examples:")[2]
        assert ("\\\n" in examples) == (columns == "60")
        printed.append(examples.replace("\\\n", " ").split())
    assert printed[0] == printed[1]


def test_the_version_is_printed() -> None:
    command = [sys.executable, "-m", "botorch_popbo.benchmarks", "--version"]
    printed = subprocess.check_output(command, text=True)
    assert printed.startswith("botorch-popbo ")
