"""Every tutorial reaches what it says, with few steps."""

from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from botorch.utils.sampling import manual_seed
from helpers.examples import EXAMPLES, import_example

MODULES = ("acquisition", "ax_client", "goals", "models")


def tutorials() -> list[Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(EXAMPLES / "tutorials"))
        found = [import_module(module).TUTORIALS for module in MODULES]
    return [pytest.param(each, id=name) for those in found for name, each in those.items()]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("tutorial", tutorials())
def test_it_reaches_more_than_it_has_to(tutorial: Any) -> None:
    run = import_module("shared").run
    with manual_seed(0):
        tried = (run(tutorial, steps) for steps in (3, 6))  # most need no more than three
        assert any(reached.value > reached.least for reached in tried)


def test_each_has_a_row_on_the_page() -> None:
    page = (EXAMPLES / "tutorials" / "README.md").read_text()
    assert [each.id for each in tutorials() if f"`{each.id}`" not in page] == []


@pytest.fixture
def judges(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    module = import_example(monkeypatch, "preference_bo")
    monkeypatch.setattr(module, "PAIRS", (1, 3))
    return module


@pytest.mark.filterwarnings("ignore")
def test_a_measurement_goes_on_where_it_ended(
    judges: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "file.csv"
    with manual_seed(0):
        judges.measure(path, 1, judges.learn)
        lines = path.read_text().splitlines()
        judges.measure(path, 2, judges.learn)
        first, last = (row.value for row in judges.search(judges.MODELS["half"], 0))
    assert path.read_text().splitlines()[: len(lines)] == lines
    assert len(path.read_text().splitlines()) == 1 + 6 * 3
    judges.table(path)
    assert capsys.readouterr().out.count("(2) |") == 3 * 5
    assert last > first


@pytest.mark.filterwarnings("ignore")
def test_preferences_are_explored(monkeypatch: pytest.MonkeyPatch, judges: ModuleType) -> None:
    module = import_example(monkeypatch, "bope")
    monkeypatch.setattr(module, "PAIRS", (1, 3))
    explored = module.explore(judges.MODELS["RankingGP"], 0)
    rows = {(row.measure, row.pairs): row.value for row in explored}
    assert rows["tau", 3] > rows["tau", 1]
