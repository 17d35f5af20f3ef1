from pathlib import Path
from typing import Any

import pytest

from botorch_popbo.benchmarks.cli._parser import make_parser
from botorch_popbo.benchmarks.cli._plan import plan, settle
from botorch_popbo.benchmarks.errors import UsageError
from botorch_popbo.benchmarks.experiments.rank_agreement._models import MODELS

SMALL = """
problems = ["branin", "hartmann6"]
methods = ["sobol", "random"]
initial = 4
trials = 7
seeds = 2
jobs = 1
limit = 30
"""
RANKS, TIMES = "experiment = 'rank-agreement'\n", "experiment = 'suggestion-time'\n"
KNOWN = "optimization, rank-agreement, rank-calibration, suggestion-time, preferences, transfer"


def planned(arguments: str, folder: Path | None = None, text: str = "") -> Any:
    """What is planned of a command line, and of the text of a file if there is a folder for it."""
    options = arguments.split()
    if folder is not None:
        (folder / "file.toml").write_text(text)
        options += ["--campaign", str(folder / "file.toml")]
    parsed = make_parser().parse_args(["compare", *options])
    return plan(parsed, settle(parsed), None)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("", {"methods": ("sobol", "random"), "trials": 7, "seeds": 2, "jobs": 1, "limit": 30}),
        ("--methods random --seeds 5 --limit 9", {"methods": ("random",), "seeds": 5, "limit": 9}),
        ("--smoke", {"trials": 3, "seeds": 1, "initial": {"branin": 4, "hartmann6": 4}}),
        ("--smoke --seeds 2 --problems branin", {"seeds": 2, "initial": {"branin": 4}}),
    ],
)
def test_a_file_says_what_the_options_do_not(
    tmp_path: Path, arguments: str, expected: dict[str, object]
) -> None:
    found = planned(arguments, tmp_path, SMALL)
    assert {name: getattr(found, name) for name in expected} == expected


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("", ""),
        ("description = 'nothing'", ""),
        (f"{RANKS}jobs = 2", "--campaign paper-forrester"),
        ("experiment = 'preferences'", "--campaign preferences"),
    ],
)
def test_what_is_not_said_is_the_default(tmp_path: Path, text: str, other: str) -> None:
    assert planned("--jobs 1", tmp_path, text) == planned(f"{other} --jobs 1")


def test_a_name_stands_for_a_suite_once_each() -> None:
    pytest.importorskip("cocoex")
    found = planned("--problems bbob-f3-d2 branin bbob-d2 --initial 5")
    names = ["bbob-f3-d2", "branin", *(f"bbob-f{n}-d2" for n in range(1, 25) if n != 3)]
    assert found.initial == dict.fromkeys(names, 5)


FORRESTER = {"noise": ("gaussian", "outliers"), "methods": tuple(MODELS), "design": "uniform"}


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("paper-forrester", {"deviations": tuple(i / 20 for i in range(10)), "seeds": 20}),
        ("paper-forrester", FORRESTER),
        ("paper-forrester-even", {"design": "even"}),
        ("paper-forrester --smoke", {"deviations": (0.0, 0.45), "seeds": 2}),
        ("paper-forrester --smoke --seeds 3", {"seeds": 3}),
        ("preferences", {"answers": (24, 36, 75, 150), "deviation": 0.2, "seeds": 10}),
        ("preferences --smoke", {"answers": (3, 7), "seeds": 2}),
        ("suggestion-time", {"sizes": (25, 50, 100, 200, 500, 1000, 5000), "limit": 60.0}),
        ("suggestion-time --smoke", {"sizes": (25,), "seeds": 1, "jobs": 1}),
        ("suggestion-time-large", {"sizes": (10**4, 10**5, 10**6), "methods": ("popbo",)}),
    ],
)
def test_other_experiments_have_settings_of_their_own(
    arguments: str, expected: dict[str, object]
) -> None:
    found = planned(f"--campaign {arguments}")
    assert {name: getattr(found, name) for name in expected} == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("trails = 3", "no key 'trails'; known: description, experiment, problems, table"),
        ("trials = 0", "trials is a positive whole number, not 0"),
        ("trials = true", "trials is a positive whole number, not True"),
        ("initial = 1", "initial is a whole number of at least 2, not 1"),
        ("limit = '1 h'", "limit is a positive number of seconds, not '1 h'"),
        ("problems = 'branin'", "problems is a list of names, not 'branin'"),
        ("methods = []", r"methods is a list of names, not \[\]"),
        ("problems = ['bbob-d4']", "bbob has dimensions 2, 3, 5, 10, 20, 40"),
        ("problems = ['coco']", "convolution-w7800, bbob-fN-dD-iI, bbob-noisy-fN-dD-iI"),
        ("methods = ['popb']", "there is no method 'popb'; did you mean 'popbo'"),
        ("trials = ", "not TOML"),
        ("experiment = 'rank'", f"experiment is one of {KNOWN}, not 'rank'"),
        ("experiment = [1]", rf"experiment is one of {KNOWN}, not \[1\]"),
        ("noise = ['gaussian']", "the experiment optimization has no key 'noise'"),
        (f"{RANKS}trials = 3", "the experiment rank-agreement has no key 'trials'"),
        (
            f"{RANKS}deviations = [0, -1]",
            r"deviations is a list of numbers of at least 0, not \[0, -1\]",
        ),
        (f"{RANKS}noise = ['cauchy']", "there is no noise 'cauchy'; known: gaussian, outliers"),
        (f"{RANKS}design = 'sobol'", "there is no design 'sobol'; known: uniform, even"),
        (f"{TIMES}sizes = [25, 0]", r"sizes is a list of positive whole numbers, not \[25, 0\]"),
        (
            "experiment = 'preferences'\ndeviation = -1",
            "deviation is a number of at least 0, not -1",
        ),
    ],
)
def test_a_fault_of_a_file_is_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UsageError, match=f"file.toml: .*{message}"):
        planned("", tmp_path, text)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("paper-forrester --methods popbo", "no method 'popbo'; did you mean 'popbo-paper'"),
        ("paper-forrester --problems branin", "experiment rank-agreement has no --problems"),
        ("paper-forrester --trials 3", "experiment rank-agreement has no --trials"),
        ("paper-forrester --initial 3", "experiment rank-agreement has no --initial"),
        ("suggestion-time --jobs 2", "the experiment suggestion-time has no --jobs"),
    ],
)
def test_an_option_without_a_meaning_is_told(arguments: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        planned(f"--campaign {arguments}")
