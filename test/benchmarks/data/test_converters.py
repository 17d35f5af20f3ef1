import ast
import gzip
import json
import re
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from botorch_popbo.benchmarks.data import (
    _convert_fcnet,
    _convert_kernels,
    _convert_nasbench201,
    sources,
)
from botorch_popbo.benchmarks.data.nasbench201 import load_nasbench201
from botorch_popbo.benchmarks.data.sources import FCNET, KERNELS
from botorch_popbo.benchmarks.errors import UsageError

from .conftest import CHOICES, all_configurations, hdf5_path, write_csv, write_hdf5

SLICE = "slice_localization"


@pytest.mark.parametrize("source", ["release", "archive"])
def test_every_configuration_finds_its_last_errors(
    source: str, last_errors: dict[str, np.ndarray], request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    arrays = _convert_fcnet.convert(request.getfixturevalue(source), "fcnet")
    assert list(arrays["param_names"]) == sorted(CHOICES)
    np.savez(tmp_path / FCNET.file, **arrays)  # type: ignore[arg-type]
    for data_set in FCNET.parts:
        table = FCNET.load(tmp_path, data_set)
        for configuration, errors in zip(all_configurations(), last_errors[data_set], strict=True):
            found = table.values[table.cell(configuration)]
            np.testing.assert_array_equal(found, errors.astype(np.float32))
    # Numbers ascend, names are in the order of the table that results were published of.
    assert table.choices["batch_size"] == (8, 16, 64)
    assert table.choices["activation_fn_1"] == ("relu", "tanh")


def test_a_part_of_the_real_table_comes_back_to_the_bit(real_tables: Path, tmp_path: Path) -> None:
    with np.load(real_tables / FCNET.file, allow_pickle=False) as archive:
        real = {name: archive[name] for name in archive}
    # A grid again: one choice of the second and of the last parameters, two of each other one.
    part = (real["X_index"] < [2, 1, 2, 2, 2, 2, 2, 1, 1]).all(axis=1)
    choices = [ast.literal_eval(str(literal)) for literal in real["param_choices"]]
    configurations = [
        {name: choices[i][cell[i]] for i, name in enumerate(real["param_names"])}
        for cell in real["X_index"][part]
    ]
    for data_set in FCNET.parts:
        last = real[f"{data_set}_valid_mse"][part]
        write_hdf5(hdf5_path(tmp_path, data_set), configurations, last)
    arrays = _convert_fcnet.convert(tmp_path, "fcnet")
    assert arrays.keys() == real.keys()
    for name in ("X_index", *(f"{data_set}_valid_mse" for data_set in FCNET.parts)):
        np.testing.assert_array_equal(arrays[name], real[name][part])


@pytest.mark.parametrize("damage", ["cell", "nan", "other", "torn", "gone", "archive"])
def test_another_release_is_refused(
    release: Path, archive: Path, last_errors: dict[str, np.ndarray], damage: str
) -> None:
    path, all_of_them = hdf5_path(release, SLICE), all_configurations()
    if damage == "cell":
        write_hdf5(path, all_of_them[1:], last_errors[SLICE][1:])
    elif damage == "nan":
        write_hdf5(path, all_of_them, np.full((len(all_of_them), 4), np.nan))
    elif damage == "other":
        write_hdf5(path, [c | {"n_units_2": 256} for c in all_of_them], last_errors[SLICE])
    elif damage == "torn":
        path.write_bytes(path.read_bytes()[:1000])
    elif damage == "gone":
        path.unlink()
    else:
        archive.write_bytes(archive.read_bytes()[:1000])
    with pytest.raises(UsageError):
        _convert_fcnet.convert(archive if damage == "archive" else release, "fcnet")


Columns = dict[str, list[Any]]


def test_an_export_makes_a_table(columns: Columns, tmp_path: Path) -> None:
    full = {**columns, "cifar100_valid_ep200": columns["cifar10_valid_ep12"][::-1]}
    source = write_csv(tmp_path / "export.csv", full)
    arrays = _convert_nasbench201.convert(source, "nasbench201")
    np.savez(tmp_path / "nasbench201.npz", **arrays)  # type: ignore[arg-type]
    table = load_nasbench201(tmp_path)
    for i in (0, 1, 7000, 15624):
        operations = re.findall(r"(\w+)~", columns["arch_str"][i])
        cell = table.cell(dict(zip(table.choices, operations, strict=True)))
        assert table.values[cell] == columns["cifar10_valid_ep12"][i]
        assert table.measures["CIFAR-100 valid"][cell] == columns["cifar10_valid_ep12"][15624 - i]


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda c: {k: v for k, v in c.items() if k != "arch_str"}, "is no export.*arch_str"),
        (lambda c: {k: v[1:] for k, v in c.items()}, "not the whole table"),
        (lambda c: {**c, "arch_str": ["|conv~0|", *c["arch_str"][1:]]}, "is no export"),
        (lambda c: {**c, "arch_str": [c["arch_str"][1], *c["arch_str"][1:]]}, "not the whole"),
        (
            lambda c: {**c, "cifar10_valid_ep12": ["", *c["cifar10_valid_ep12"][1:]]},
            "empty or not finite",
        ),
    ],
)
def test_another_export_is_refused(
    columns: Columns, tmp_path: Path, edit: Any, message: str
) -> None:
    path = write_csv(tmp_path / "export.csv", edit(columns))
    with pytest.raises(UsageError, match=message):
        _convert_nasbench201.convert(path, "nasbench201")


SMALL: dict[str, dict[str, tuple[int, ...]]] = {
    "dedispersion": {"tile_size_x": (1, 2), "tile_stride_x": (0, 1), "block_size_x": (1, 2)},
    "convolution": {"block_size_x": (16, 32), "use_padding": (0, 1), "use_shmem": (0, 1)},
}


def is_left_out(kernel: str, c: dict[str, int]) -> bool:
    """Whether the hub leaves a configuration out, because it is another one's program."""
    if kernel == "dedispersion":
        return c["tile_size_x"] == 1 and c["tile_stride_x"] == 1
    return c["use_padding"] == 1 and (c["use_shmem"] == 0 or c["block_size_x"] == 32)


def results(kernel: str) -> list[dict[str, Any]]:
    """As in the hub: with a parameter that is fixed, and a block for which nothing ran."""
    grid = {**SMALL[kernel], "fixed": (7,)}
    rng = np.random.default_rng(0)
    entries: list[dict[str, Any]] = []
    for values in product(*grid.values()):
        configuration = dict(zip(grid, values, strict=True))
        if not is_left_out(kernel, configuration):
            times = {"runtimes": rng.lognormal(size=32).tolist()}
            entries.append(
                {"configuration": configuration, "times": times, "invalidity": "correct"}
            )
    failed = {**entries[0]["configuration"], "block_size_x": 1024}
    return [*entries, {"configuration": failed, "times": {}, "invalidity": "runtime"}]


def write(source: Path, kernel: str, gpu: str, content: Any) -> None:
    folder = source / "cachefiles" / f"{kernel}_milo"
    folder.mkdir(parents=True, exist_ok=True)
    with gzip.open(folder / f"{gpu}_T4.json.gz", "wt") as file:
        json.dump(content, file)


@pytest.fixture(params=SMALL)
def kernel(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """A kernel with a small grid, whose files are in the temporary folder."""
    name: str = request.param
    monkeypatch.setitem(sources.KERNEL_GRIDS, name, SMALL[name])
    for gpu in KERNELS[name].parts:
        write(tmp_path, name, gpu, {"results": results(name)})
    return name


def test_times_are_where_their_configuration_is(kernel: str, tmp_path: Path) -> None:
    arrays = _convert_kernels.convert(tmp_path, kernel)
    np.savez(tmp_path / f"{kernel}.npz", **arrays)  # type: ignore[arg-type]
    table = KERNELS[kernel].load(tmp_path, "W7800")
    assert table.choices == SMALL[kernel]
    for result in results(kernel)[:-1]:
        found = table.values[table.cell(result["configuration"])]
        np.testing.assert_allclose(found, result["times"]["runtimes"], rtol=1e-6)
    # The others have the times of the same program.
    assert len({*map(tuple, table.values.reshape(8, 32))}) == len(results(kernel)) - 1


@pytest.mark.parametrize("damage", ["layout", "wrong output", "negative", "torn"])
def test_another_file_of_the_hub_is_refused(kernel: str, tmp_path: Path, damage: str) -> None:
    changed: Any = results(kernel)
    if damage == "wrong output":
        changed[0]["invalidity"] = "correctness"
    elif damage == "negative":
        changed[0]["times"]["runtimes"][3] = -1.0
    write(tmp_path, kernel, "A6000", [] if damage == "layout" else {"results": changed})
    path = tmp_path / "cachefiles" / f"{kernel}_milo" / "A6000_T4.json.gz"
    if damage == "torn":
        path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(UsageError, match=r"A6000_T4\.json\.gz (cannot|has no 32|holds times)"):
        _convert_kernels.convert(tmp_path, kernel)
