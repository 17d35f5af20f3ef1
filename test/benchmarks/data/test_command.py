from pathlib import Path
from typing import Any

import numpy as np
import pytest

from botorch_popbo.benchmarks.cli import main
from botorch_popbo.benchmarks.data._published import FILES
from botorch_popbo.benchmarks.data.nasbench201 import load_nasbench201
from botorch_popbo.benchmarks.data.sources import FCNET, MLP, MLP_GRID
from botorch_popbo.benchmarks.errors import UsageError

from .conftest import write_csv

Capture = pytest.CaptureFixture[str]


def test_numbers_of_one_s_own_are_written_and_told(
    archive: Path, tmp_path: Path, capsys: Capture
) -> None:
    output = tmp_path / "new" / "tables"
    assert main(["data", "fcnet", str(archive), "--output", str(output)]) == 0
    streams = capsys.readouterr()
    assert streams.out == f"table: {output / 'fcnet_valid.npz'}\n"
    for data_set in FCNET.parts:
        assert f"the numbers of {data_set} differ from those that the published" in streams.err
    assert [path.name for path in output.iterdir()] == ["fcnet_valid.npz"]


def test_a_table_is_replaced_only_when_asked(
    columns: dict[str, list[Any]], tmp_path: Path, capsys: Capture
) -> None:
    source = write_csv(tmp_path / "export.csv", columns)
    table = tmp_path / "nasbench201.npz"
    table.write_text("precious")
    command = ["data", "nasbench201", str(source), "--output", str(tmp_path)]
    assert main(command) == 2
    assert "is there already; --overwrite replaces it" in capsys.readouterr().err
    assert table.read_text() == "precious"
    assert main([*command, "--overwrite"]) == 0
    assert load_nasbench201(tmp_path).values.size == 15625
    source.write_text("torn")
    written = table.read_bytes()
    assert main([*command, "--overwrite"]) == 2
    assert table.read_bytes() == written


def test_a_check_tells_of_each_table(real_tables: Path, tmp_path: Path, capsys: Capture) -> None:
    assert main(["data", "check", str(real_tables)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["fcnet_valid.npz: as published", "nasbench201.npz: as published"]
    there = [line.endswith(": as published") for line in lines]
    assert there == [(real_tables / name).exists() for name in FILES.values()]
    (tmp_path / "fcnet_valid.npz").write_text("torn")
    assert main(["data", "check", str(tmp_path)]) == 1
    first, *others = capsys.readouterr().out.splitlines()
    assert "cannot be read as an npz file" in first
    assert others == [f"{name}: not found" for name in [*FILES.values()][1:]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["data", "fcnet"], "popbo data fcnet needs a SOURCE"),
        (["data", "fcnet", "none"], "popbo data fcnet needs --output FOLDER"),
        (["data", "fcnet", "none.tar", "--output", "."], "none.tar cannot be read"),
        (["data", "nasbench201", "none", "--output", "."], "none is no export"),
        (["data", "fcnet", "none", "--output", __file__], f"--output {__file__} is not a folder"),
        (["data", "convolution", "none", "--output", "."], "none/cachefiles/convolution_milo/A100"),
        (["data", "check", "none"], "there is no folder none"),
    ],
)
def test_misuse_is_one_line_and_status_2(
    arguments: list[str], message: str, capsys: Capture
) -> None:
    assert main(arguments) == 2
    streams = capsys.readouterr()
    assert streams.out == ""
    assert streams.err.count("\n") == 1
    assert message in streams.err


def test_a_table_is_trained_without_a_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    for name, choices in MLP_GRID.items():
        monkeypatch.setitem(MLP_GRID, name, choices[:1])
    assert main(["data", "mlp", "--output", str(tmp_path)]) == 0
    assert "the numbers of mlp wine differ" in capsys.readouterr().err
    assert MLP.load(tmp_path, "wine").values.shape == (1, 1, 1, 1, 1, 8)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"X_index": None}, "has no array 'X_index'"),
        ({"X_index": 0}, "'X_index' does not hold every configuration once"),
        ({"slice_localization_valid_mse": np.nan}, "is not one finite float, or several, a row"),
    ],
)
def test_a_damaged_table_is_named(tables: Path, change: dict[str, Any], message: str) -> None:
    path = tables / FCNET.file
    with np.load(path) as archive:
        arrays = {name: archive[name] for name in archive}
    [(name, value)] = change.items()
    arrays[name] = arrays[name] if value is None else np.full_like(arrays[name], value)
    np.savez(path, **{k: v for k, v in arrays.items() if value is not None or k != name})
    with pytest.raises(UsageError, match=message):
        FCNET.load(tables, "slice_localization")
