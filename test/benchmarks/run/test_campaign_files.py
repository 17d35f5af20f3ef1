from pathlib import Path
from typing import Any

import pytest

from botorch_popbo.benchmarks.cli import main
from botorch_popbo.benchmarks.errors import UsageError
from botorch_popbo.benchmarks.experiments import DEFAULT, EXPERIMENTS
from botorch_popbo.benchmarks.problems import PROBLEMS
from botorch_popbo.benchmarks.report._paper import PAPER
from botorch_popbo.benchmarks.run._campaign_files import load_campaign, shipped_campaigns

KNOWN = "optimization, rank-agreement, suggestion-time, preferences"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("trails = 3", "no key 'trails'; known: description, experiment, problems, methods"),
        ("trials = 0", "trials is a positive whole number, not 0"),
        ("trials = true", "trials is a positive whole number, not True"),
        ("initial = 1", "initial is a whole number of at least 2, not 1"),
        ("limit = '1 h'", "limit is a positive number of seconds, not '1 h'"),
        ("problems = 'branin'", "problems is a list of names, not 'branin'"),
        ("methods = []", r"methods is a list of names, not \[\]"),
        ("trials = ", "not TOML"),
        ("experiment = 'rank'", f"experiment is one of {KNOWN}, not 'rank'"),
        ("experiment = [1]", rf"experiment is one of {KNOWN}, not \[1\]"),
        ("noise = ['gaussian']", "the experiment optimization has no key 'noise'"),
        (
            "experiment = 'rank-agreement'\ntrials = 3",
            "the experiment rank-agreement has no key 'trials'",
        ),
        (
            "experiment = 'rank-agreement'\ndeviations = [0, -1]",
            r"deviations is a list of numbers of at least 0, not \[0, -1\]",
        ),
        (
            "experiment = 'suggestion-time'\nsizes = [25, 0]",
            r"sizes is a list of positive whole numbers, not \[25, 0\]",
        ),
        (
            "experiment = 'preferences'\ndeviation = -1",
            "deviation is a number of at least 0, not -1",
        ),
    ],
)
def test_a_fault_is_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "faulty.toml"
    path.write_text(text)
    with pytest.raises(UsageError, match=rf"faulty.toml: .*{message}"):
        load_campaign(str(path))


@pytest.mark.parametrize("name", shipped_campaigns())
def test_a_shipped_campaign_is_complete_and_names_what_exists(name: str) -> None:
    file = load_campaign(name)
    keys = EXPERIMENTS[file["experiment"]].keys
    assert file["description"]
    assert file["seeds"]
    for key in (key for key in keys if key in file):
        keys[key].check_names(key, file[key])
    assert {"methods", *(("problems", "trials") if file["experiment"] == DEFAULT else ())} <= {
        *file
    }


def test_the_paper_is_covered() -> None:
    shipped = shipped_campaigns()
    assert {
        name: (file.get("trials"), file.get("initial"))
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
        files = [file for file in shipped.values() if problem in file.get("problems", ())]
        methods = {method for file in files for method in file["methods"]}
        for reported in measures.values():
            assert set(reported) <= methods


# Seconds a suggestion, or another library: they are tried by tests of their own.
SLOW = {"bohamiann", "hebo", "ppbo", "hyperopt-tpe", "skopt-forest"}


@pytest.mark.parametrize(
    "name", [name for name, file in shipped_campaigns().items() if file["experiment"] == DEFAULT]
)
def test_a_shipped_campaign_runs(
    name: str, tmp_path: Path, request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]
) -> None:
    file: Any = load_campaign(name)
    problems, methods = file["problems"], [m for m in file["methods"] if m not in SLOW]
    options = ["--campaign", name, "--smoke", "--trials", "1", "--output", str(tmp_path)]
    if any(PROBLEMS[problem].description.startswith("table") for problem in problems):
        options += ["--data", str(request.getfixturevalue("real_tables"))]
    assert main(["compare", *options, "--methods", *methods]) == 0
    assert capsys.readouterr().out.count(" 1/1 ") == len(methods) * len(problems)
