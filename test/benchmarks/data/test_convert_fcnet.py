import ast
import re
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from botorch_popbo.benchmarks.data._convert_fcnet import convert_fcnet, sort_into_grid
from botorch_popbo.benchmarks.data.fcnet import DATA_SETS, load_fcnet
from botorch_popbo.benchmarks.errors import UsageError

from .conftest import CHOICES, all_configurations, hdf5_path, key, write_hdf5

SLICE = "slice_localization"


@pytest.mark.parametrize("source", ["release", "archive"])
def test_every_configuration_finds_its_last_errors(
    source: str, last_errors: dict[str, np.ndarray], request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    arrays = convert_fcnet(request.getfixturevalue(source))
    assert {name: values.dtype for name, values in arrays.items() if values.dtype.kind != "U"} == {
        "X_index": np.int8,
        **{f"{data_set}_valid_mse": np.float32 for data_set in DATA_SETS},
    }
    np.savez(tmp_path / "fcnet_valid.npz", **arrays)
    for data_set in DATA_SETS:
        table = load_fcnet(tmp_path, data_set)
        choices = [{k: sorted(v) for k, v in c.items()} for c in (table.choices, CHOICES)]
        assert choices[0] == choices[1]
        for configuration, errors in zip(all_configurations(), last_errors[data_set], strict=True):
            found = table.values[table.cell(configuration)]
            np.testing.assert_array_equal(found, errors.astype(np.float32))


def test_rows_ascend(archive: Path) -> None:
    arrays = convert_fcnet(archive)
    assert list(arrays["param_names"]) == sorted(CHOICES)
    lengths = [len(CHOICES[name]) for name in sorted(CHOICES)]
    assert arrays["X_index"].tolist() == [list(cell) for cell in product(*map(range, lengths))]


def test_a_part_of_the_real_table_comes_back_to_the_bit(real_tables: Path, tmp_path: Path) -> None:
    with np.load(real_tables / "fcnet_valid.npz", allow_pickle=False) as archive:
        real = {name: archive[name] for name in archive}
    # A grid again: one choice of the second and of the last parameters, two of each other one.
    lengths = [2, 1, 2, 2, 2, 2, 2, 1, 1]
    part = (real["X_index"] < lengths).all(axis=1)
    choices = [ast.literal_eval(str(literal)) for literal in real["param_choices"]]
    configurations = [
        {name: choices[i][cell[i]] for i, name in enumerate(real["param_names"])}
        for cell in real["X_index"][part]
    ]
    for data_set in DATA_SETS:
        last = real[f"{data_set}_valid_mse"][part]
        write_hdf5(hdf5_path(tmp_path, data_set), configurations, last, np.float32)
    arrays = convert_fcnet(tmp_path)
    assert arrays.keys() == real.keys()
    assert arrays["param_names"].tolist() == real["param_names"].tolist()
    assert [ast.literal_eval(str(literal)) for literal in arrays["param_choices"]] == [
        values[:length] for values, length in zip(choices, lengths, strict=True)
    ]
    np.testing.assert_array_equal(arrays["X_index"], real["X_index"][part])
    for data_set in DATA_SETS:
        name = f"{data_set}_valid_mse"
        np.testing.assert_array_equal(arrays[name], real[name][part])


FIRST, SIXTH = (key(all_configurations()[index]) for index in (0, 5))
Edit = Callable[[h5py.File], object]


def replaced(curves: np.ndarray | None) -> Edit:
    def edit(file: h5py.File) -> None:
        del file[SIXTH]["valid_mse"]
        if curves is not None:
            file[SIXTH]["valid_mse"] = curves

    return edit


def moved(text: str) -> Edit:
    return lambda file: file.move(FIRST, text)


NO_CURVES = rf"{re.escape(SIXTH)}.*has no \(4, 100\) floats 'valid_mse'"
NOT_FINITE = rf"{re.escape(SIXTH)}.*does not end finite"
NO_TABLE = "95 different configurations in 95 entries, where the choices in them make 96"


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (replaced(None), NO_CURVES),
        (replaced(np.zeros((4, 99))), NO_CURVES),
        (replaced(np.zeros((4, 100), int)), NO_CURVES),
        (replaced(np.full((4, 100), np.nan)), NOT_FINITE),
        (replaced(np.full((4, 100), np.inf)), NOT_FINITE),
        *(
            (moved(t), "is not a configuration")
            for t in ("text", "[1]", '{"a": null}', '{"a": [1]}')
        ),
        (lambda file: file.pop(FIRST), NO_TABLE),
        (lambda file: file.clear(), "holds no configuration"),
    ],
)
def test_what_is_wrong_with_a_file_is_named(release: Path, edit: Edit, message: str) -> None:
    with h5py.File(hdf5_path(release, SLICE), "a") as file:
        edit(file)
    with pytest.raises(UsageError, match=f"fcnet_slice_localization_data.hdf5.*{message}"):
        convert_fcnet(release)


def test_nan_before_the_last_epoch_is_no_matter(release: Path) -> None:
    with h5py.File(hdf5_path(release, SLICE), "a") as file:
        file[SIXTH]["valid_mse"][:, :99] = np.nan
    convert_fcnet(release)


@pytest.mark.parametrize(
    ("data_set", "change", "message"),
    [
        (SLICE, {"n_units_2": 256}, "has other choices than the files before it"),
        (DATA_SETS[0], {"extra": 1}, "has 10 parameters, expected 9"),
    ],
)
def test_configurations_of_another_release(
    release: Path, last_errors: dict[str, np.ndarray], data_set: str, change: Any, message: str
) -> None:
    others = [configuration | change for configuration in all_configurations()]
    write_hdf5(hdf5_path(release, data_set), others, last_errors[SLICE])
    with pytest.raises(UsageError, match=message):
        convert_fcnet(release)


@pytest.mark.parametrize("part", [0.0, 0.3, 0.9])
def test_a_truncated_file(release: Path, part: float) -> None:
    path = hdf5_path(release, SLICE)
    content = path.read_bytes()
    path.write_bytes(content[: int(part * len(content))])
    with pytest.raises(UsageError, match="cannot be read as an HDF5 file"):
        convert_fcnet(release)


def test_numbers_are_sorted_as_numbers() -> None:
    configurations = [{"b": b, "a": a} for b in (8, 16, 128) for a in ("x", "w")]
    choices, order = sort_into_grid(configurations, "table")
    assert choices == {"a": ("w", "x"), "b": (8, 16, 128)}
    expected = [[b, a] for a in ("w", "x") for b in (8, 16, 128)]
    assert [list(configurations[i].values()) for i in order] == expected


@pytest.mark.parametrize(
    ("configurations", "message"),
    [
        ([{"a": 1}, {"a": 1.0}], "1 different configurations in 2 entries"),
        ([{"a": 1, "b": 1}, {"a": 2, "b": 2}], "the choices in them make 4"),
        ([{"a": 1}, {"b": 1}], "differ in their parameters"),
        ([{"a": 1}, {"a": "1"}], "both numbers and strings"),
    ],
)
def test_what_is_no_grid(configurations: list[dict[str, int]], message: str) -> None:
    with pytest.raises(UsageError, match=f"^table.*{message}"):
        sort_into_grid(configurations, "table")


def test_names_are_in_the_published_order() -> None:
    configurations = [{"a": a} for a in ("const", "tanh", "new", "cosine", "relu", "also")]
    choices, _ = sort_into_grid(configurations, "table")
    assert choices == {"a": ("relu", "tanh", "cosine", "const", "also", "new")}
