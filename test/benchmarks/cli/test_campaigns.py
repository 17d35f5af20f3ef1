from pathlib import Path

import pytest

from botorch_popbo.benchmarks.cli import main
from botorch_popbo.benchmarks.cli.campaigns import (
    CampaignFile,
    load_campaign,
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
KNOWN = "optimization, rank-agreement, rank-calibration, preferences, transfer, fronts, parts"
KNOWN += ", notebook"


def settled(*words: object) -> CampaignFile:
    """What a command line asks for."""
    return settle(make_parser().parse_args(["compare", *map(str, words)]))


@pytest.mark.parametrize("name", shipped_campaigns())
def test_a_shipped_campaign_is_complete_and_names_what_exists(name: str) -> None:
    file = load_campaign(name)
    assert file["description"]
    assert {"methods", "seeds"} <= file.keys()
    assert settled("--campaign", name)["methods"] == file["methods"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("", {"methods": ("optuna-tpe", "random"), "trials": 7, "seeds": 2, "jobs": 1}),
        ("--methods random --seeds 3 --limit 9", {"methods": ("random",), "seeds": 3, "limit": 9}),
        ("--smoke", {"trials": 3, "seeds": 1, "initial": 4, "problems": ("branin", "hartmann6")}),
        ("branin --smoke --seeds 2", {"seeds": 2, "problems": ("branin",)}),
    ],
)
def test_a_file_says_what_the_options_do_not(
    tmp_path: Path, words: str, expected: dict[str, object]
) -> None:
    path = tmp_path / "file.toml"
    path.write_text(SMALL)
    assert expected.items() <= settled(*words.split(), "--campaign", path).items()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("trails = 3", "the experiment optimization has no key 'trails'; known: description, "),
        ("trials = true", "trials is a whole number of at least 1, not True"),
        ("limit = inf", "limit is a number of at least 0.001, not inf"),
        ("maximize = 1", "maximize is true or false, not 1"),
        ("problems = 'branin'", "problems is a list, each a text, not 'branin'"),
        ("trials = ", "not TOML"),
        ("experiment = 'rank'", f"experiment must be one of {KNOWN}, not 'rank'"),
        (f"{RANKS}deviations = [0, -1]", "deviations is a list, each a number of at least 0"),
        (f"{RANKS}noise = ['cauchy']", "there is no noise 'cauchy'; known: gaussian, outliers"),
    ],
)
def test_a_fault_of_a_file_is_named(
    tmp_path: Path, text: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "file.toml"
    path.write_text(text)
    assert main(["compare", "--campaign", str(path), "--output", str(tmp_path / "out")]) == 2
    assert message in capsys.readouterr().err
