"""No number of the settings is idle."""

import ast
from dataclasses import fields
from pathlib import Path

import pytest

import botorch_popbo
from botorch_popbo.settings import (
    AcquisitionSettings,
    ModelSettings,
    PaperSettings,
    SearchSettings,
    Settings,
)

CLASSES = (ModelSettings, AcquisitionSettings, SearchSettings, PaperSettings, Settings)
FOLDER = Path(botorch_popbo.__file__).parent


def accesses() -> list[tuple[str, ast.Attribute]]:
    """Every attribute that the package reads, and where, but for the settings' own file."""
    files = [file for file in FOLDER.rglob("*.py") if file != FOLDER / "settings.py"]
    return [
        (str(file), node)
        for file in files
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.Attribute)
    ]


ACCESSES = accesses()


def test_none_is_read_from_a_class_where_no_user_can_set_it() -> None:
    names = {each.__name__ for each in CLASSES}
    found = [
        (file, node.lineno)
        for file, node in ACCESSES
        if isinstance(node.value, ast.Name) and node.value.id in names
    ]
    assert found == []


@pytest.mark.parametrize("kind", CLASSES)
def test_each_is_read(kind: type) -> None:
    read = {node.attr for _, node in ACCESSES}
    of_settings = {"num_initial_questions", "many_columns"}  # by methods of theirs
    assert {field.name for field in fields(kind)} - read - of_settings == set()
