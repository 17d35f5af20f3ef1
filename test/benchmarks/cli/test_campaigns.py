from pathlib import Path
from typing import Any

import pytest

from botorch_popbo._errors import UsageError
from botorch_popbo.benchmarks.cli.campaigns import (
    load_campaign,
    plan,
    recall,
    remember,
    settle,
    shipped_campaigns,
)
from botorch_popbo.benchmarks.cli.parser import make_parser

SMALL = """
problems = ["branin", "hartmann6"]
methods = ["optuna-tpe", "random"]
initial = 4
trials = 7
seeds = 2
jobs = 1
limit = 30
"""
RANKS = "experiment = 'rank-agreement'\n"
KNOWN = "optimization, rank-agreement, rank-calibration, preferences, transfer, fronts"


def settled(arguments: str) -> Any:
    """What a command line asks for."""
    return settle(make_parser().parse_args(["compare", *arguments.split()]))


def planned(arguments: str, folder: Path | None = None, text: str = "") -> Any:
    """What is planned of a command line, and of the text of a file if there is a folder for it."""
    options = arguments.split()
    if folder is not None:
        (folder / "file.toml").write_text(text)
        options += ["--campaign", str(folder / "file.toml")]
    parsed = make_parser().parse_args(["compare", *options])
    return plan(parsed, settle(parsed), None)


@pytest.mark.parametrize("name", shipped_campaigns())
def test_a_shipped_campaign_is_complete_and_names_what_exists(name: str) -> None:
    file = load_campaign(name)
    assert file["description"]
    assert {"methods", "seeds"} <= file.keys()
    assert settled(f"--campaign {name}")["methods"] == file["methods"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("", {"methods": ("optuna-tpe", "random"), "trials": 7, "seeds": 2, "jobs": 1}),
        ("--methods random --seeds 5 --limit 9", {"methods": ("random",), "seeds": 5, "limit": 9}),
        ("--smoke", {"trials": 3, "seeds": 1, "initial": {"branin": 4, "hartmann6": 4}}),
        ("--smoke --seeds 2 branin", {"seeds": 2, "initial": {"branin": 4}}),
    ],
)
def test_a_file_says_what_the_options_do_not(
    tmp_path: Path, arguments: str, expected: dict[str, object]
) -> None:
    found = planned(arguments, tmp_path, SMALL)
    assert {name: getattr(found, name) for name in expected} == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("trails = 3", "file.toml: .*no key 'trails'; known: description, experiment, problems"),
        ("trials = true", "trials is a whole number of at least 1, not True"),
        ("limit = inf", "limit is a number of at least 0.001, not inf"),
        ("maximize = 1", "maximize is true or false, not 1"),
        ("problems = 'branin'", "problems is a list, each a text, not 'branin'"),
        ("trials = ", "not TOML"),
        ("experiment = 'rank'", f"experiment is one of {KNOWN}, not 'rank'"),
        (f"{RANKS}deviations = [0, -1]", "deviations is a list, each a number of at least 0"),
        (f"{RANKS}noise = ['cauchy']", "there is no noise 'cauchy'; known: gaussian, outliers"),
    ],
)
def test_a_fault_of_a_file_is_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        planned("", tmp_path, text)


def test_what_was_asked_for_last_is_noted(tmp_path: Path) -> None:
    first = {"experiment": "optimization", "problems": ("branin",), "methods": ("random",)}
    last = {"experiment": "optimization", "problems": ("hartmann6",), "methods": ("popbo",)}
    remember(tmp_path, {**first, "trials": 2}, Path("/tables"))
    assert recall(tmp_path) == ({**first, "trials": 2}, Path("/tables"))
    remember(tmp_path, {**last, "initial": None, "columns": ()}, None)
    assert recall(tmp_path) == (last, None)
