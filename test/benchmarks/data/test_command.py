from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.tables import grids, make, published

from botorch_popbo._errors import UsageError
from botorch_popbo.benchmarks.data.sources import FCNET, MLP

Capture = pytest.CaptureFixture[str]


def test_a_check_tells_of_each_table(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "fcnet_valid.npz").write_text("torn")
    assert make.main(["check", str(tmp_path)]) == 1
    first, *others = capsys.readouterr().out.splitlines()
    assert "cannot be read as an npz file" in first
    assert others == [f"{name}: not found" for name in [*published.FILES.values()][1:]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fcnet"], "fcnet needs a SOURCE"),
        (["nasbench201", "none", "--output", "."], "none is no export"),
        (["fcnet", "none", "--output", __file__], f"--output {__file__} is not a folder"),
        (["convolution", "none", "--output", "."], "none/cachefiles/convolution_milo/A100"),
    ],
)
def test_misuse_is_one_line_and_status_2(
    arguments: list[str], message: str, capsys: Capture
) -> None:
    assert make.main(arguments) == 2
    streams = capsys.readouterr()
    assert streams.out == ""
    assert streams.err.count("\n") == 1
    assert message in streams.err


def test_a_table_is_trained_without_a_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    for name, choices in grids.MLP_GRID.items():
        monkeypatch.setitem(grids.MLP_GRID, name, choices[:1])
    assert make.main(["mlp", "--output", str(tmp_path)]) == 0
    assert "the numbers of mlp wine differ" in capsys.readouterr().err
    assert MLP.load(tmp_path, "wine").values.shape == (1, 1, 1, 1, 1, 8)


@pytest.mark.parametrize(
    ("change", "message"),
    [
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
