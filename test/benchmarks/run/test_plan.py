from pathlib import Path
from typing import Any

import pytest

from botorch_popbo.benchmarks.cli._parser import make_parser
from botorch_popbo.benchmarks.errors import UsageError
from botorch_popbo.benchmarks.experiments.rank_agreement._models import MODELS
from botorch_popbo.benchmarks.run._plan import plan

SMALL = """
description = "two functions"
problems = ["branin", "hartmann6"]
methods = ["sobol", "random"]
initial = 4
trials = 7
seeds = 2
jobs = 1
limit = 30
"""


def planned(*arguments: str) -> Any:
    return plan(make_parser().parse_args(["compare", *arguments]))


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    return str(path)


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
    file: str, arguments: str, expected: dict[str, object]
) -> None:
    found = planned("--campaign", file, *arguments.split())
    assert {name: getattr(found, name) for name in expected} == expected


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("", []),
        ('description = "nothing"', []),
        ('experiment = "rank-agreement"\njobs = 2', ["--campaign", "paper-forrester"]),
        ('experiment = "preferences"', ["--campaign", "preferences"]),
    ],
)
def test_what_is_not_said_is_the_default(tmp_path: Path, text: str, other: list[str]) -> None:
    path = tmp_path / "empty.toml"
    path.write_text(text)
    assert planned("--campaign", str(path), "--jobs", "1") == planned(*other, "--jobs", "1")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (
            "paper-forrester",
            {
                "deviations": tuple(i / 20 for i in range(10)),
                "noise": ("gaussian", "outliers"),
                "methods": tuple(MODELS),
                "seeds": 20,
                "design": "uniform",
            },
        ),
        ("paper-forrester-even", {"design": "even"}),
        ("paper-forrester --smoke", {"deviations": (0.0, 0.45), "seeds": 2}),
        ("paper-forrester --smoke --seeds 3", {"seeds": 3}),
        ("preferences", {"questions": 36, "deviation": 0.2, "seeds": 10}),
        ("preferences --smoke", {"questions": 7, "seeds": 2}),
        ("suggestion-time", {"sizes": (25, 50, 100, 200, 500, 1000, 5000), "limit": 60.0}),
        ("suggestion-time --smoke", {"sizes": (25,), "seeds": 1, "jobs": 1}),
        ("suggestion-time-large", {"sizes": (10**4, 10**5, 10**6), "methods": ("popbo",)}),
    ],
)
def test_other_experiments_have_settings_of_their_own(
    arguments: str, expected: dict[str, object]
) -> None:
    found = planned("--campaign", *arguments.split())
    assert {name: getattr(found, name) for name in expected} == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('methods = ["popb"]', "there is no method 'popb'; known: popbo"),
        (
            'experiment = "rank-agreement"\nnoise = ["cauchy"]',
            "there is no noise 'cauchy'; known: gaussian, outliers",
        ),
        (
            'experiment = "rank-agreement"\ndesign = "sobol"',
            "there is no design 'sobol'; known: uniform, even",
        ),
    ],
)
def test_an_unknown_name_in_a_file_is_told(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "odd.toml"
    path.write_text(text)
    with pytest.raises(UsageError, match=f"odd.toml: {message}"):
        planned("--campaign", str(path))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("paper-forrester --methods popbo", "there is no method 'popbo'; known: gp, gp-noise-free"),
        *(
            (f"paper-forrester --{name} {value}", f"experiment rank-agreement has no --{name}")
            for name, value in (("problems", "branin"), ("trials", "3"), ("initial", "3"))
        ),
        ("suggestion-time --jobs 2", "the experiment suggestion-time has no --jobs"),
    ],
)
def test_an_option_without_a_meaning_is_told(arguments: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        planned("--campaign", *arguments.split())
