import gzip
import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from botorch_popbo.benchmarks.cli import main
from botorch_popbo.benchmarks.data._convert_kernels import convert_kernel
from botorch_popbo.benchmarks.data.kernels import GPUS, GRIDS, load_kernel
from botorch_popbo.benchmarks.errors import UsageError

SMALL: dict[str, dict[str, tuple[int, ...]]] = {
    "dedispersion": {"tile_size_x": (1, 2), "tile_stride_x": (0, 1), "block_size_x": (1, 2)},
    "convolution": {"block_size_x": (16, 32), "use_padding": (0, 1), "use_shmem": (0, 1)},
}
#: Which configurations the hub leaves out, because they are another one's program.
LEFT_OUT = {
    "dedispersion": lambda c: c["tile_size_x"] == 1 and c["tile_stride_x"] == 1,
    "convolution": lambda c: (
        c["use_padding"] == 1 and (c["use_shmem"] == 0 or c["block_size_x"] == 32)
    ),
}
INSTEAD = {
    "dedispersion": {"tile_size_x": 1, "tile_stride_x": 1, "block_size_x": 2},
    "convolution": {"block_size_x": 32, "use_padding": 1, "use_shmem": 1},
}


def results(kernel: str) -> list[dict[str, Any]]:
    """As in the hub: with a parameter that is fixed, and a block for which nothing ran."""
    grid = {**SMALL[kernel], "fixed": (7,)}
    rng = np.random.default_rng(0)
    entries: list[dict[str, Any]] = []
    for values in product(*grid.values()):
        configuration = dict(zip(grid, values, strict=True))
        if not LEFT_OUT[kernel](configuration):
            times = {"runtimes": rng.lognormal(size=32).tolist(), "compilation": 1.0}
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
    """A kernel with a small grid, whose files are in the folder ``hub``."""
    name: str = request.param
    monkeypatch.setitem(GRIDS, name, SMALL[name])
    for gpu in GPUS:
        write(tmp_path / "hub", name, gpu, {"results": results(name)})
    return name


def test_times_are_where_their_configuration_is(kernel: str, tmp_path: Path) -> None:
    folder = tmp_path / "tables"
    assert main(["data", kernel, str(tmp_path / "hub"), "--output", str(folder)]) == 0
    table = load_kernel(folder, kernel, "W7800")
    assert table.choices == SMALL[kernel]
    for result in results(kernel)[:-1]:
        found = table.values[table.cell(result["configuration"])]
        np.testing.assert_allclose(found, result["times"]["runtimes"], rtol=1e-6)


def test_the_same_program_has_the_same_times(kernel: str, tmp_path: Path) -> None:
    folder = tmp_path / "tables"
    assert main(["data", kernel, str(tmp_path / "hub"), "--output", str(folder)]) == 0
    table = load_kernel(folder, kernel, "A100")
    point = INSTEAD[kernel]
    other = {**point, "tile_stride_x" if kernel == "dedispersion" else "use_padding": 0}
    assert (table.values[table.cell(point)] == table.values[table.cell(other)]).all()
    assert len({*map(tuple, table.values.reshape(8, 32))}) == len(results(kernel)) - 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([], "cannot be read as a file of the hub: TypeError"),
        ({"results": [{}]}, "cannot be read as a file of the hub: KeyError: 'times'"),
        ({"results": []}, "has no 32 times of {"),
    ],
)
def test_another_file_is_refused(kernel: str, tmp_path: Path, content: Any, message: str) -> None:
    write(tmp_path / "hub", kernel, "A6000", content)
    with pytest.raises(UsageError, match=f"A6000_T4.json.gz {message}"):
        convert_kernel(tmp_path / "hub", kernel)


def test_times_of_a_wrong_output_do_not_count(kernel: str, tmp_path: Path) -> None:
    changed = results(kernel)
    changed[0]["invalidity"] = "correctness"
    write(tmp_path / "hub", kernel, "A100", {"results": changed})
    with pytest.raises(UsageError, match=r"A100_T4\.json\.gz has no 32 times of \{"):
        convert_kernel(tmp_path / "hub", kernel)


def test_a_torn_file_and_a_senseless_time_are_refused(kernel: str, tmp_path: Path) -> None:
    changed = results(kernel)
    changed[0]["times"]["runtimes"][3] = -1.0
    write(tmp_path / "hub", kernel, "A100", {"results": changed})
    with pytest.raises(UsageError, match="times that are not positive"):
        convert_kernel(tmp_path / "hub", kernel)
    path = tmp_path / "hub" / "cachefiles" / f"{kernel}_milo" / "A100_T4.json.gz"
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(UsageError, match="cannot be read as a file of the hub: EOFError"):
        convert_kernel(tmp_path / "hub", kernel)
