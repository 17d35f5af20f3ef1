from pathlib import Path

import pytest

from botorch_popbo.benchmarks.cli import main
from botorch_popbo.benchmarks.cli._parser import make_parser
from botorch_popbo.benchmarks.errors import UsageError
from botorch_popbo.benchmarks.methods import METHODS
from botorch_popbo.benchmarks.problems import PROBLEMS
from botorch_popbo.benchmarks.report._paper import PAPER
from botorch_popbo.benchmarks.run._campaign_files import (
    OPTIMIZATION,
    load_campaign,
    shipped_campaigns,
)
from botorch_popbo.benchmarks.run._plan import plan
from botorch_popbo.benchmarks.settings import Campaign

TEXT = """
description = "two functions"
problems = ["branin", "hartmann6"]
methods = ["sobol", "random"]
initial = 4
trials = 7
seeds = 2
jobs = 1
limit = 30
"""


def planned(*arguments: str) -> Campaign:
    campaign, problems = plan(make_parser().parse_args(["compare", *arguments]))
    assert list(problems) == list(campaign.initial)
    return campaign


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "two.toml"
    path.write_text(TEXT)
    return str(path)


def test_a_file_says_what_the_options_do_not(file: str) -> None:
    found = planned("--campaign", file)
    assert found.initial == {"branin": 4, "hartmann6": 4}
    assert found.methods == ("sobol", "random")
    assert (found.trials, found.seeds, found.jobs, found.limit) == (7, 2, 1, 30)
    found = planned("--campaign", file, "--methods", "random", "--seeds", "5", "--limit", "9")
    assert found.methods == ("random",)
    assert (found.trials, found.seeds, found.limit) == (7, 5, 9)


def test_smoke_is_small_unless_it_is_told_otherwise(file: str) -> None:
    found = planned("--campaign", file, "--smoke")
    assert (found.trials, found.seeds, found.initial["branin"]) == (3, 1, 4)
    assert planned("--campaign", file, "--smoke", "--seeds", "2").seeds == 2


@pytest.mark.parametrize("text", ["", 'description = "nothing"'])
def test_what_is_not_said_is_the_default(tmp_path: Path, text: str) -> None:
    path = tmp_path / "empty.toml"
    path.write_text(text)
    assert planned("--campaign", str(path)) == planned()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("trails = 3", "no key 'trails'; known: description, problems, methods, trials"),
        ("trials = 0", "trials is a positive whole number, not 0"),
        ("trials = true", "trials is a positive whole number, not True"),
        ("initial = 1", "initial is a whole number of at least 2, not 1"),
        ("limit = '1 h'", "limit is a positive number of seconds, not '1 h'"),
        ("problems = 'branin'", "problems is a list of names, not 'branin'"),
        ("methods = []", r"methods is a list of names, not \[\]"),
        ("trials = ", "not TOML"),
        ("experiment = 'rank'", "experiment is one of optimization, rank-agreement, not 'rank'"),
        ("experiment = 1", "experiment is one of optimization, rank-agreement, not 1"),
        ("noise = ['gaussian']", "the experiment optimization has no key 'noise'"),
        (
            "experiment = 'rank-agreement'\ntrials = 3",
            "the experiment rank-agreement has no key 'trials'",
        ),
        (
            "experiment = 'rank-agreement'\ndeviations = [0, -1]",
            r"deviations is a list of numbers of at least 0, not \[0, -1\]",
        ),
    ],
)
def test_a_fault_is_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "faulty.toml"
    path.write_text(text)
    with pytest.raises(UsageError, match=rf"faulty.toml: .*{message}"):
        load_campaign(str(path))


def test_an_unknown_name_in_a_file_is_told(tmp_path: Path) -> None:
    path = tmp_path / "odd.toml"
    path.write_text('methods = ["popb"]')
    with pytest.raises(UsageError, match=r"odd.toml: there is no method 'popb'; known: popbo"):
        planned("--campaign", str(path))


OPTIMIZATIONS = [
    name for name, file in shipped_campaigns().items() if file.experiment == OPTIMIZATION
]


@pytest.mark.parametrize("name", OPTIMIZATIONS)
def test_a_shipped_campaign_is_complete_and_names_what_exists(name: str) -> None:
    file = load_campaign(name)
    assert file.description
    assert file.problems
    assert file.methods
    assert set(file.problems) <= set(PROBLEMS)
    assert set(file.methods) <= set(METHODS)
    assert file.trials
    assert file.seeds


def test_the_paper_is_covered() -> None:
    shipped = shipped_campaigns()
    assert {
        name: (file.trials, file.initial)
        for name, file in shipped.items()
        if name.startswith("paper-")
    } == {
        "paper-ablation-k": (80, None),
        "paper-ablation-q": (80, None),
        "paper-forrester": (None, None),
        "paper-forrester-even": (None, None),
        "paper-functions": (80, None),
        "paper-gp-mlp": (80, None),
        "paper-hpobench": (80, None),
        "paper-independent": (80, None),
        "paper-nasbench201": (80, None),
        "paper-noise": (80, None),
        "paper-rosenbrock-few": (80, 7),
        "paper-rosenbrock-long": (200, None),
        "paper-time": (80, None),
    }
    # The columns of the paper's tables.
    for problem, measures in PAPER.items():
        methods = {
            method
            for file in shipped.values()
            if problem in (file.problems or ())
            for method in file.methods or ()
        }
        for reported in measures.values():
            assert set(reported) <= methods


# Seconds a suggestion, or another library: they are tried by tests of their own.
SLOW = {"bohamiann", "hebo", "ppbo", "hyperopt-tpe", "skopt-forest"}


@pytest.mark.parametrize(
    "name", [name for name, file in shipped_campaigns().items() if file.experiment == OPTIMIZATION]
)
def test_a_shipped_campaign_runs(
    name: str, tmp_path: Path, request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]
) -> None:
    file = load_campaign(name)
    problems, methods = file.problems or (), [m for m in file.methods or () if m not in SLOW]
    options = ["--campaign", name, "--smoke", "--trials", "1", "--output", str(tmp_path)]
    if any(PROBLEMS[problem].description.startswith("table") for problem in problems):
        options += ["--data", str(request.getfixturevalue("real_tables"))]
    assert main(["compare", *options, "--methods", *methods]) == 0
    assert capsys.readouterr().out.count(" 1/1 ") == len(methods) * len(problems)
