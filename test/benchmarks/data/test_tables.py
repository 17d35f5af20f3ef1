"""The script that makes files of tables, of small releases in the layouts of the published ones."""

import csv
import gzip
import json
import re
import tarfile
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from helpers.tables import grids, published, train_networks
from helpers.tables import make as script

from botorch_popbo._errors import UsageError
from botorch_popbo.benchmarks.data.nasbench201 import load_nasbench201
from botorch_popbo.benchmarks.data.sources import FCNET, KERNELS, MLP

Capture = pytest.CaptureFixture[str]
Grid = dict[str, tuple[Any, ...]]


def make(*arguments: object) -> int:
    return script.main([*map(str, arguments)])


def configurations(grid: Grid) -> list[dict[str, Any]]:
    return [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]


def test_a_check_says_how_each_table_is(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "fcnet_valid.npz").write_text("torn")
    assert make("check", tmp_path) == 1
    first, *others = capsys.readouterr().out.splitlines()
    assert "cannot be read as an npz file" in first
    assert others == [f"{name}: not found" for name in [*published.FILES.values()][1:]]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("fcnet", "fcnet needs a SOURCE"),
        ("nasbench201 none --output .", "none is no export"),
        (f"fcnet none --output {__file__}", f"--output {__file__} is not a folder"),
        ("convolution none --output .", "none/cachefiles/convolution_milo/A100"),
    ],
)
def test_misuse_is_one_line_and_status_2(words: str, message: str, capsys: Capture) -> None:
    assert make(*words.split()) == 2
    streams = capsys.readouterr()
    assert streams.out == ""
    assert streams.err.count("\n") == 1
    assert message in streams.err


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("X_index", 0, "'X_index' does not hold every configuration once"),
        ("slice_localization_valid_mse", np.nan, "must hold finite floats, one or several per row"),
    ],
)
def test_a_damaged_table_is_named(tables: Path, name: str, value: float, message: str) -> None:
    with np.load(tables / FCNET.file) as archive:
        arrays = dict(archive)
    np.savez(tables / FCNET.file, **arrays | {name: np.full_like(arrays[name], value)})
    with pytest.raises(UsageError, match=message):
        FCNET.load(tables, "slice_localization")


NETWORKS: Grid = {
    "activation_fn_1": ("tanh", "relu"),
    "init_lr": (5 * 1e-4, 1e-1),
    "lr_schedule": ("const", "cosine"),
    "batch_size": (8, 16, 64),
}
LAST = np.random.default_rng(0).lognormal(size=(24, 4))


def write_hdf5(folder: Path, data_set: str, last: np.ndarray) -> None:
    """A file in the release's layout whose curves end in ``last``."""
    with h5py.File(folder / f"fcnet_{data_set}_data.hdf5", "w") as file:
        for configuration, errors in zip(configurations(NETWORKS), last, strict=False):
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
def test_every_network_finds_its_last_errors(
    release: Path, is_archive: bool, tmp_path: Path, capsys: Capture
) -> None:
    assert make("fcnet", archive(release) if is_archive else release, "--output", tmp_path) == 0
    told = capsys.readouterr().err
    for i, data_set in enumerate(FCNET.parts):
        assert f"the numbers of {data_set} differ from those that the published" in told
        table = FCNET.load(tmp_path, data_set)
        found = [table.values[table.cell(one)] for one in configurations(NETWORKS)]
        np.testing.assert_array_equal(found, (LAST + i).astype(np.float32))
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
CELLS = ["|{}~0|+|{}~0|{}~1|+|{}~0|{}~1|{}~2|".format(*c) for c in product(OPERATIONS, repeat=6)]
ACCURACIES = [*np.random.default_rng(1).uniform(10, 85, len(CELLS))]


def export(folder: Path, **changed: list[Any]) -> Path:
    """A file with the columns that an export needs; the rows are shuffled."""
    index = [*np.random.default_rng(2).permutation(len(CELLS))]
    columns = {"index": index, "arch_str": CELLS, "cifar10_valid_ep12": ACCURACIES} | changed
    with (folder / "export.csv").open("w", newline="") as file:
        csv.writer(file).writerows([columns, *zip(*columns.values(), strict=False)])
    return folder / "export.csv"


def test_an_export_makes_a_table_and_replaces_one_only_when_asked(
    tmp_path: Path, capsys: Capture
) -> None:
    source = export(tmp_path, cifar100_valid_ep200=ACCURACIES[::-1])
    path = tmp_path / "nasbench201.npz"
    path.write_text("precious")
    assert make("nasbench201", source, "--output", tmp_path) == 2
    assert "is there already; --overwrite replaces it" in capsys.readouterr().err
    assert path.read_text() == "precious"
    assert make("nasbench201", source, "--output", tmp_path, "--overwrite") == 0
    table = load_nasbench201(tmp_path)
    for i in (0, 1, 7000, 15624):
        operations = re.findall(r"(\w+)~", CELLS[i])
        cell = table.cell(dict(zip(table.choices, operations, strict=True)))
        assert table.values[cell] == ACCURACIES[i]
        assert table.measures["CIFAR-100 valid"][cell] == ACCURACIES[15624 - i]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"arch_str": CELLS[1:]}, "not the whole table"),
        ({"arch_str": ["|conv~0|", *CELLS[1:]]}, "is no export"),
        ({"cifar10_valid_ep12": ["", *ACCURACIES[1:]]}, "empty or not finite"),
    ],
)
def test_another_export_is_refused(
    tmp_path: Path, changed: dict[str, list[Any]], message: str, capsys: Capture
) -> None:
    assert make("nasbench201", export(tmp_path, **changed), "--output", tmp_path) == 2
    assert message in capsys.readouterr().err


SMALL: dict[str, Grid] = {
    "dedispersion": {"tile_size_x": (1, 2), "tile_stride_x": (0, 1), "block_size_x": (1, 2)},
    "convolution": {"block_size_x": (16, 32), "use_padding": (0, 1), "use_shmem": (0, 1)},
}


def is_left_out(kernel: str, c: dict[str, int]) -> bool:
    """Whether the hub leaves a configuration out, because it is another one's program."""
    if kernel == "dedispersion":
        return c["tile_size_x"] == 1 and c["tile_stride_x"] == 1
    return c["use_padding"] == 1 and (c["use_shmem"] == 0 or c["block_size_x"] == 32)


def results(kernel: str, invalidity: str = "correct") -> list[dict[str, Any]]:
    """As in the hub: with a parameter that is fixed."""
    grid, rng = {**SMALL[kernel], "fixed": (7,)}, np.random.default_rng(0)
    kept = [c for c in configurations(grid) if not is_left_out(kernel, c)]
    times = [{"runtimes": [*rng.lognormal(size=32)]} for _ in kept]
    return [
        {"configuration": c, "times": t, "invalidity": invalidity}
        for c, t in zip(kept, times, strict=True)
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
    for content in (json.dumps({"results": results(kernel, "correctness")}), "[]"):
        paths[2].write_bytes(gzip.compress(content.encode()))
        assert make(kernel, tmp_path, "--output", tmp_path, "--overwrite") == 2
        assert re.search(r"A6000_T4\.json\.gz (cannot|has no 32)", capsys.readouterr().err)


def test_a_table_is_trained_without_a_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    for name, choices in grids.MLP_GRID.items():
        monkeypatch.setitem(grids.MLP_GRID, name, choices[:1])
    assert make("mlp", "--output", tmp_path) == 0
    assert "the numbers of mlp wine differ" in capsys.readouterr().err
    assert MLP.load(tmp_path, "wine").values.shape == (1, 1, 1, 1, 1, 8)


@pytest.mark.usefixtures("rng_untouched")
def test_a_network_trained_alone_is_that_of_its_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    # A classification and a regression, both small.
    monkeypatch.setattr(train_networks, "MLP", replace(MLP, parts=("wine", "diabetes")))
    grid: Grid = {"alpha": (1e-6, 1e-1), "batch_size": (32, 128), "depth": (1, 2)}
    grid |= {"learning_rate_init": (1e-4, 3e-3, 3e-2), "width": (4,)}
    table = train_networks.train_networks(grid)
    for row in (0, 7, 22):
        index = zip(grid.items(), table["X_index"][row], strict=True)
        cell = {name: (choices[i],) for (name, choices), i in index}
        for array, errors in train_networks.train_networks(cell).items():
            if array.endswith("_error"):
                np.testing.assert_allclose(errors[0], table[array][row], rtol=1e-4)
