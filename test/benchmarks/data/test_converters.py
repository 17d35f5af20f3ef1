"""Small releases in the layouts of the published ones, and what becomes of them."""

import csv
import gzip
import json
import re
import tarfile
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from helpers.tables import grids
from helpers.tables import make as script

from botorch_popbo.benchmarks.data.nasbench201 import load_nasbench201
from botorch_popbo.benchmarks.data.sources import FCNET, KERNELS

Capture = pytest.CaptureFixture[str]
CHOICES: dict[str, list[Any]] = {
    "activation_fn_1": ["tanh", "relu"],
    "init_lr": [5 * 1e-4, 1e-1],
    "lr_schedule": ["const", "cosine"],
    "batch_size": [8, 16, 64],
}
CONFIGURATIONS = [dict(zip(CHOICES, v, strict=True)) for v in product(*CHOICES.values())]
LAST = np.random.default_rng(0).lognormal(size=(len(CONFIGURATIONS), 4))


def make(*arguments: object) -> int:
    return script.main([*map(str, arguments)])


def write_hdf5(folder: Path, data_set: str, last: np.ndarray) -> None:
    """A file in the release's layout whose curves end in ``last``."""
    with h5py.File(folder / f"fcnet_{data_set}_data.hdf5", "w") as file:
        for configuration, errors in zip(CONFIGURATIONS, last, strict=False):
            group = file.create_group(json.dumps(configuration, sort_keys=True))
            group["valid_mse"] = np.stack([np.full(4, np.nan), errors], axis=-1)


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """The folder of a small FCNet release."""
    folder = tmp_path / "release"
    folder.mkdir()
    for i, data_set in enumerate(FCNET.parts):
        write_hdf5(folder, data_set, LAST + i)
    return folder


def archive(release: Path) -> Path:
    """The same as an archive, in a folder as in the published one."""
    path = release.with_name("fcnet_tabular_benchmarks.tar.gz")
    with tarfile.open(path, "w:gz") as tar:
        tar.add(release, "fcnet_tabular_benchmarks")
    return path


@pytest.mark.parametrize("is_archive", [False, True])
def test_every_configuration_finds_its_last_errors(
    release: Path, is_archive: bool, tmp_path: Path, capsys: Capture
) -> None:
    assert make("fcnet", archive(release) if is_archive else release, "--output", tmp_path) == 0
    told = capsys.readouterr().err
    for i, data_set in enumerate(FCNET.parts):
        assert f"the numbers of {data_set} differ from those that the published" in told
        table = FCNET.load(tmp_path, data_set)
        for configuration, errors in zip(CONFIGURATIONS, LAST + i, strict=True):
            found = table.values[table.cell(configuration)]
            np.testing.assert_array_equal(found, errors.astype(np.float32))
    # Numbers ascend, names are in the order of the table that results were published of.
    assert table.choices["batch_size"] == (8, 16, 64)
    assert table.choices["activation_fn_1"] == ("relu", "tanh")


@pytest.mark.parametrize("damage", ["cell", "nan", "torn"])
def test_another_release_is_refused(release: Path, damage: str, tmp_path: Path) -> None:
    last = {"cell": LAST[1:], "nan": np.full_like(LAST, np.nan)}.get(damage, LAST)
    write_hdf5(release, "slice_localization", last)
    source = archive(release)
    if damage == "torn":
        source.write_bytes(source.read_bytes()[:1000])
    assert make("fcnet", source, "--output", tmp_path) == 2
    assert not (tmp_path / FCNET.file).exists()


OPERATIONS = ["none", "skip_connect", "nor_conv_1x1", "nor_conv_3x3", "avg_pool_3x3"]
CELLS = [
    f"|{a}~0|+|{b}~0|{c}~1|+|{d}~0|{e}~1|{f}~2|"
    for a, b, c, d, e, f in product(OPERATIONS, repeat=6)
]


def columns() -> dict[str, list[Any]]:
    """The columns that an export needs; the rows are shuffled."""
    rng = np.random.default_rng(1)
    index, accuracy = rng.permutation(len(CELLS)), rng.uniform(10, 85, len(CELLS))
    return {"index": [*index], "arch_str": [*CELLS], "cifar10_valid_ep12": [*accuracy]}


def write_csv(path: Path, columns: Mapping[str, Sequence[Any]]) -> Path:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([columns, *zip(*columns.values(), strict=True)])
    return path


def test_an_export_makes_a_table_and_replaces_one_only_when_asked(
    tmp_path: Path, capsys: Capture
) -> None:
    export = columns()
    export["cifar100_valid_ep200"] = export["cifar10_valid_ep12"][::-1]
    source, path = write_csv(tmp_path / "export.csv", export), tmp_path / "nasbench201.npz"
    path.write_text("precious")
    assert make("nasbench201", source, "--output", tmp_path) == 2
    assert "is there already; --overwrite replaces it" in capsys.readouterr().err
    assert path.read_text() == "precious"
    assert make("nasbench201", source, "--output", tmp_path, "--overwrite") == 0
    table = load_nasbench201(tmp_path)
    for i in (0, 1, 7000, 15624):
        operations = re.findall(r"(\w+)~", CELLS[i])
        cell = table.cell(dict(zip(table.choices, operations, strict=True)))
        assert table.values[cell] == export["cifar10_valid_ep12"][i]
        assert table.measures["CIFAR-100 valid"][cell] == export["cifar10_valid_ep12"][15624 - i]


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda c: {k: v[1:] for k, v in c.items()}, "not the whole table"),
        (lambda c: {**c, "arch_str": ["|conv~0|", *CELLS[1:]]}, "is no export"),
        (lambda c: c | {"cifar10_valid_ep12": ["", *c["index"][1:]]}, "empty or not finite"),
    ],
)
def test_another_export_is_refused(
    tmp_path: Path, edit: Any, message: str, capsys: Capture
) -> None:
    source = write_csv(tmp_path / "export.csv", edit(columns()))
    assert make("nasbench201", source, "--output", tmp_path) == 2
    assert message in capsys.readouterr().err


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
    """As in the hub: with a parameter that is fixed."""
    grid, rng = {**SMALL[kernel], "fixed": (7,)}, np.random.default_rng(0)
    configurations = [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]
    return [
        {
            "configuration": c,
            "times": {"runtimes": [*rng.lognormal(size=32)]},
            "invalidity": "correct",
        }
        for c in configurations
        if not is_left_out(kernel, c)
    ]


@pytest.mark.parametrize("kernel", SMALL)
def test_times_are_where_their_configuration_is(
    kernel: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setitem(grids.KERNEL_GRIDS, kernel, SMALL[kernel])
    folder = tmp_path / "cachefiles" / f"{kernel}_milo"
    folder.mkdir(parents=True)
    paths = [folder / f"{gpu}_T4.json.gz" for gpu in KERNELS[kernel].parts]
    for path in paths:
        path.write_bytes(gzip.compress(json.dumps({"results": results(kernel)}).encode()))
    assert make(kernel, tmp_path, "--output", tmp_path) == 0
    table = KERNELS[kernel].load(tmp_path, "W7800")
    assert table.choices == SMALL[kernel]
    for result in results(kernel):
        found = table.values[table.cell(result["configuration"])]
        np.testing.assert_allclose(found, result["times"]["runtimes"], rtol=1e-6)
    # The others have the times of the same program.
    assert len({*map(tuple, table.values.reshape(8, 32))}) == len(results(kernel))
    wrong = results(kernel)
    wrong[0]["invalidity"] = "correctness"
    for content in (json.dumps({"results": wrong}), "[]"):
        paths[2].write_bytes(gzip.compress(content.encode()))
        assert make(kernel, tmp_path, "--output", tmp_path, "--overwrite") == 2
        assert re.search(r"A6000_T4\.json\.gz (cannot|has no 32)", capsys.readouterr().err)
