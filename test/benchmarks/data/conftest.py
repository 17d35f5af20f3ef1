import csv
import json
import tarfile
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from botorch_popbo.benchmarks.data.sources import FCNET

#: As in the release, with fewer choices.
CHOICES: dict[str, list[Any]] = {
    "n_units_1": [16, 128],
    "n_units_2": [512],
    "dropout_1": [0.0, 0.3],
    "dropout_2": [0.6],
    "activation_fn_1": ["tanh", "relu"],
    "activation_fn_2": ["tanh"],
    "init_lr": [5 * 1e-4, 1e-1],
    "lr_schedule": ["const", "cosine"],
    "batch_size": [8, 16, 64],
}


def all_configurations() -> list[dict[str, Any]]:
    return [dict(zip(CHOICES, values, strict=True)) for values in product(*CHOICES.values())]


def hdf5_path(folder: Path, data_set: str) -> Path:
    return folder / f"fcnet_{data_set}_data.hdf5"


def write_hdf5(path: Path, configurations: Sequence[Mapping[str, Any]], last: np.ndarray) -> None:
    """A file in the release's layout whose curves end in ``last``."""
    with h5py.File(path, "w") as file:
        for configuration, errors in zip(configurations, last, strict=True):
            group = file.create_group(json.dumps(configuration, sort_keys=True))
            curves = np.full((4, 100), np.nan, dtype=last.dtype)
            curves[:, -1] = errors
            group["valid_mse"] = curves


@pytest.fixture
def last_errors() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    return {name: rng.lognormal(size=(len(all_configurations()), 4)) for name in FCNET.parts}


@pytest.fixture
def release(tmp_path: Path, last_errors: dict[str, np.ndarray]) -> Path:
    """The folder of a small FCNet release."""
    folder = tmp_path / "release"
    folder.mkdir()
    for data_set, last in last_errors.items():
        write_hdf5(hdf5_path(folder, data_set), all_configurations(), last)
    return folder


@pytest.fixture
def archive(release: Path) -> Path:
    """The same as an archive, in a folder as in the published one."""
    path = release.with_name("fcnet_tabular_benchmarks.tar.gz")
    with tarfile.open(path, "w:gz") as tar:
        tar.add(release, "fcnet_tabular_benchmarks")
    return path


def write_csv(path: Path, columns: Mapping[str, Sequence[Any]]) -> Path:
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return path


OPERATIONS = ["none", "skip_connect", "nor_conv_1x1", "nor_conv_3x3", "avg_pool_3x3"]


@pytest.fixture(scope="session")
def columns() -> dict[str, list[Any]]:
    """The columns that an export needs; the rows are shuffled."""
    rng = np.random.default_rng(1)
    cells = list(product(OPERATIONS, repeat=6))
    return {
        "index": list(rng.permutation(len(cells))),
        "arch_str": [f"|{a}~0|+|{b}~0|{c}~1|+|{d}~0|{e}~1|{f}~2|" for a, b, c, d, e, f in cells],
        "cifar10_valid_ep12": list(rng.uniform(10, 85, len(cells))),
    }
