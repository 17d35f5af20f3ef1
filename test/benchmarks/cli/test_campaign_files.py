from pathlib import Path
from typing import Any

import pytest

from botorch_popbo.benchmarks.cli import main
from botorch_popbo.benchmarks.cli._campaign_files import load_campaign, shipped_campaigns
from botorch_popbo.benchmarks.errors import UsageError
from botorch_popbo.benchmarks.experiments import DEFAULT, EXPERIMENTS
from botorch_popbo.benchmarks.problems import PROBLEMS, expand
from botorch_popbo.benchmarks.report._paper import PAPER
from botorch_popbo.benchmarks.settings import DEFAULT_METHODS


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


def test_a_mark_of_the_byte_order_is_no_fault(tmp_path: Path) -> None:
    path = tmp_path / "campaign.toml"
    path.write_text("seeds = 4\r\n", encoding="utf-8-sig")
    assert load_campaign(str(path))["seeds"] == 4


def test_the_paper_is_covered() -> None:
    shipped = shipped_campaigns()
    names = "ablation-k ablation-q functions gp-mlp hpobench independent nasbench201 noise time"
    trials = {**dict.fromkeys(names.split(), 80), "forrester": None, "forrester-even": None}
    trials |= {"rosenbrock-few": 80, "rosenbrock-long": 200}
    paper = {name: file for name, file in shipped.items() if name.startswith("paper-")}
    assert {n.removeprefix("paper-"): f.get("trials") for n, f in paper.items()} == trials
    assert {n for n, f in paper.items() if "initial" in f} == {"paper-rosenbrock-few"}
    assert paper["paper-rosenbrock-few"]["initial"] == 7
    # The columns of the paper's tables.
    for problem, measures in PAPER.items():
        files = [file for file in shipped.values() if problem in file.get("problems", ())]
        methods = {method for file in files for method in file["methods"]}
        for reported in measures.values():
            assert set(reported) <= methods


# Seconds a suggestion, or another library: they are tried by tests of their own.
SLOW = {"bohamiann", "hebo", "ppbo", "smac3", "turbo"}
LIBRARIES = {"hyperopt-tpe", "skopt-forest", "optuna-tpe", "optuna-gp", "cmaes"}


# Another dimension of the same functions is read by the same test as its name.
TRIED = [
    name
    for name, file in shipped_campaigns().items()
    if file["experiment"] == DEFAULT and not name.endswith(("-d2", "-d10"))
]


@pytest.mark.slow
@pytest.mark.parametrize("name", TRIED)
def test_a_shipped_campaign_runs(
    name: str, tmp_path: Path, request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]
) -> None:
    file: Any = load_campaign(name)
    # One problem will do for a whole suite.
    problems = [expand(name)[0] for name in file["problems"]]
    methods = [m for m in file["methods"] if m not in SLOW | LIBRARIES]
    if name.startswith("coco"):
        pytest.importorskip("cocoex")
    options = ["--campaign", name, "--smoke", "--trials", "1", "--output", str(tmp_path)]
    if any(PROBLEMS[problem].description.startswith("table") for problem in problems):
        folder = request.getfixturevalue("real_tables")
        for problem in problems:
            try:
                PROBLEMS[problem].load(folder)
            except UsageError as error:
                pytest.skip(str(error))
        options += ["--data", str(folder)]
    else:
        problems = problems[:2]  # all are run by tests of their own
    assert main(["compare", *options, "--problems", *problems, "--methods", *methods]) == 0
    assert capsys.readouterr().out.count(" 1/1 ") == len(methods) * len(problems)


def test_gaussian_processes_are_compared_as_their_users_get_them() -> None:
    for methods in (DEFAULT_METHODS, load_campaign("headline")["methods"]):
        assert {"ax-default", "botorch-gp"} <= {*methods}  # of Ax and of BoTorch
        # Settings of ours, slower than Ax's own where parameters are of several kinds.
        assert not {"gp-logei", "gp-qlognei", "gp-ucb"} & {*methods}
