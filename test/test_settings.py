"""No number of the settings is idle, and files keep them."""

import ast
from dataclasses import fields
from pathlib import Path

from ax.storage.json_store.decoder import object_from_json
from ax.storage.json_store.encoder import object_to_json

import botorch_popbo
from botorch_popbo import Settings
from botorch_popbo.ax import register
from botorch_popbo.settings import SearchSettings

CLASSES = [Settings, *map(type, vars(Settings()).values())]
FOLDER = Path(botorch_popbo.__file__).parent
#: Every attribute that the package reads, but for the settings' own file.
ACCESSES = [
    node
    for file in FOLDER.rglob("*.py")
    if file != FOLDER / "settings.py"
    for node in ast.walk(ast.parse(file.read_text()))
    if isinstance(node, ast.Attribute)
]


def test_none_is_read_from_a_class_where_no_user_can_set_it() -> None:
    names = {each.__name__ for each in CLASSES}
    owners = [node.value for node in ACCESSES if isinstance(node.value, ast.Name)]
    assert not names & {owner.id for owner in owners}


def test_each_is_read() -> None:
    by_methods = {"exploration", "exploration_listed", "many_columns", "num_initial_questions"}
    read = {node.attr for node in ACCESSES} | by_methods
    assert {field.name for kind in CLASSES for field in fields(kind)} <= read


def test_files_keep_them() -> None:
    register()
    found = object_from_json(object_to_json(Settings(search=SearchSettings(num_raw=8))))
    assert found.search.num_raw == 8
    assert type(found.model) is type(Settings().model)
