from pathlib import Path
from typing import Any

from botorch_popbo.benchmarks.cli._folder import recall, remember

TABLE = {"table": "/t.csv", "objective": "loss", "columns": ("rate=log",), "maximize": True}
NO_TABLE = {"table": None, "objective": None, "columns": (), "maximize": False}


def asked(*problems: str, method: str = "random", **said: Any) -> dict[str, Any]:
    return {"experiment": "optimization", "problems": problems, "methods": (method,), **said}


def test_problems_and_methods_add_up_and_numbers_are_the_last(tmp_path: Path) -> None:
    remember(tmp_path, asked("branin", initial=4, trials=2, jobs=1), None)
    remember(tmp_path, asked("hartmann6", "branin", method="sobol", initial=None, trials=3), None)
    noted, _ = recall(tmp_path)
    both = {"problems": ("branin", "hartmann6"), "methods": ("random", "sobol")}
    assert noted == {"experiment": "optimization", **both, "trials": 3}


def test_a_table_stays_until_there_is_another(tmp_path: Path) -> None:
    remember(tmp_path, asked(**TABLE), None)
    remember(tmp_path, asked("branin", **NO_TABLE), None)
    noted, _ = recall(tmp_path)
    assert noted == asked("branin", **TABLE)
    remember(tmp_path, asked(**{**NO_TABLE, "table": "/u.csv", "objective": "cost"}), None)
    noted, _ = recall(tmp_path)
    assert {key: noted.get(key) for key in TABLE} == {
        "table": "/u.csv",
        "objective": "cost",
        "columns": None,
        "maximize": False,
    }


def test_the_folder_of_tables_stays_until_there_is_another(tmp_path: Path) -> None:
    remember(tmp_path, asked("fcnet-protein"), Path("/tables"))
    remember(tmp_path, asked("branin"), None)
    assert recall(tmp_path)[1] == Path("/tables")
    remember(tmp_path, asked("branin"), Path("/others"))
    assert recall(tmp_path)[1] == Path("/others")


def test_another_experiment_begins_anew(tmp_path: Path) -> None:
    remember(tmp_path, asked("branin", **TABLE), None)
    remember(tmp_path, {"experiment": "preferences", "methods": ("popbo",)}, None)
    assert recall(tmp_path)[0] == {"experiment": "preferences", "methods": ("popbo",)}
