"""Every Python block of the README and of the documentation runs."""

import inspect
import re
import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import torch
from helpers.examples import import_example

from botorch_popbo.benchmarks.cli.campaigns import load_campaign, shipped_campaigns
from botorch_popbo.benchmarks.cli.parser import make_parser
from botorch_popbo.benchmarks.experiments.preferences import METHODS as INTERVIEWERS
from botorch_popbo.benchmarks.methods import METHODS
from botorch_popbo.benchmarks.problems import PROBLEMS, expand
from botorch_popbo.judging.prefer import read_file

DOCS = Path(__file__).parents[1] / "docs"
PAGES = [DOCS.parent / "README.md", *sorted(DOCS.glob("*.md"))]
# Tools that pages show, and that are not installed for the tests.
OTHERS = "hydra|lightgbm|mlflow|xgboost"
BLOCKS = [
    pytest.param(code, id=f"{page.stem}-{number}")
    for page in PAGES
    for number, code in enumerate(
        re.findall(r"```python\n(.*?)```", page.read_text(), flags=re.DOTALL)
    )
]


@pytest.mark.slow
@pytest.mark.parametrize("code", BLOCKS)
def test_code_block_runs(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in re.findall(rf"^(?:import|from) ({OTHERS})\b", code, re.MULTILINE):
        pytest.importorskip(name)
    monkeypatch.chdir(tmp_path)
    with torch.random.fork_rng():
        exec(code, {"__name__": "__main__"})


def blocks(language: str) -> list[str]:
    """Blocks of all pages, those of shell commands with continued lines joined."""
    pattern = rf"```{language}\n(.*?)```"
    found = [b for page in PAGES for b in re.findall(pattern, page.read_text(), flags=re.DOTALL)]
    return [re.sub(r"\s*\\?\n\s+", " ", block) for block in found]


COMMANDS = sorted(
    {
        line.split("#")[0].strip()
        for block in blocks("(?:text|bash)")
        for line in block.splitlines()
        if re.match(r"popbo \S", line)  # in tables of results there are more spaces
    }
    | {
        " ".join(command.split())
        for page in PAGES
        for command in re.findall(r"`(popbo (?:compare|report)\s[^`]*)`", page.read_text())
    }
)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_in_the_documentation_is_understood(command: str) -> None:
    # Capitals, Python and JSON files stand for a file or folder of the reader's.
    words = command.replace("FILE_OR_NAME", "paper-time").split()[1:]
    parsed = make_parser().parse_args(words)
    known = {"problems": PROBLEMS, "methods": {*METHODS, *INTERVIEWERS}}
    for option, names in known.items():
        named = getattr(parsed, option, None) or ()
        given = [name for name in named if not re.search(r"\.py:|\.json$", name)]
        assert all(name in names for one in given for name in expand(one))
    campaign = getattr(parsed, "campaign", None)
    assert campaign is None or campaign in shipped_campaigns() or campaign.endswith(".toml")


@pytest.mark.parametrize("text", blocks("toml"))
def test_a_space_or_campaign_in_the_documentation_is_understood(text: str, tmp_path: Path) -> None:
    path = tmp_path / "file.toml"
    path.write_text(text)
    if any(isinstance(column, dict) for column in tomllib.loads(text).values()):
        (tmp_path / "sunset.py").touch()
        assert read_file(path, 60.0)
    else:
        assert set(load_campaign(str(path)).get("methods", ())) <= set(METHODS)


def listed() -> list[str]:
    """The full names on the API page."""
    names = []
    for block in re.findall(r"```{eval-rst}\n(.*?)```", (DOCS / "api.md").read_text(), re.DOTALL):
        package = re.findall(r"currentmodule:: (\S+)", block)[0]
        names += [f"{package}.{name}" for name in re.findall(r"^   ([\w.]+)$", block, re.MULTILINE)]
    return names


def find(name: str) -> Any:
    """The module, class or function of that name."""
    package, _, last = name.rpartition(".")
    module = import_module(package)
    return getattr(module, last) if hasattr(module, last) else import_module(name)


PACKAGES = (
    *("", ".data", ".models", ".posteriors", ".likelihoods", ".acquisition"),
    *(".search", ".optuna", ".ax", ".ax.analyses"),
)


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_has_documentation_and_a_page(package: str) -> None:
    pages = {id(find(name)) for name in listed()}
    module = import_module(f"botorch_popbo{package}")
    for name in module.__all__:
        thing = getattr(module, name)
        if inspect.isroutine(thing) or inspect.isclass(thing):
            assert thing.__doc__, name
            assert id(thing) in pages, name


def test_the_api_page_has_each_name_once_and_no_private_one() -> None:
    names = listed()
    assert len({id(find(name)) for name in names}) == len(names)
    assert [name for name in names if "._" in name] == []


def test_the_files_of_the_walks_for_contributors_exist() -> None:
    page = (DOCS.parent / "CONTRIBUTING.md").read_text()
    walks = "".join(re.findall(r"```text\n(.*?)```", page, flags=re.DOTALL))
    files = set(re.findall(r"[a-z_/]+/\w+\.py", walks))
    assert len(files) > 20
    package = DOCS.parent / "botorch_popbo"
    assert [file for file in files if not (package / file).is_file()] == []


def test_numbers_are_those_of_the_results(monkeypatch: pytest.MonkeyPatch) -> None:
    recount = import_example(monkeypatch, "recount")
    lacking = [recount.missing(page, rows) for page, rows in recount.pages().items()]
    assert [row for rows in lacking for row in rows] == []


def test_every_page_is_in_the_table_of_contents() -> None:
    index = (DOCS / "index.md").read_text()
    missing = [page.stem for page in DOCS.glob("*.md") if f"\n{page.stem}\n" not in index]
    assert missing == ["index"]
