from itertools import product
from pathlib import Path

import numpy as np
import pytest

from botorch_popbo.benchmarks.data.replicates import load_replicates, pack
from botorch_popbo.benchmarks.errors import UsageError

CHOICES = {"rate": (0.1, 0.01), "width": (4, 8, 16)}
VALUES = np.arange(12.0, dtype=np.float32).reshape(6, 2) ** 2


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "some.npz"
    np.savez(path, **pack(CHOICES, {"loss": VALUES}))
    return path


def test_what_is_packed_is_read_cell_by_cell(path: Path) -> None:
    table = load_replicates(path, "loss", 2, 2)
    assert table.choices == CHOICES
    for (rate, width), values in zip(product(*CHOICES.values()), VALUES, strict=True):
        cell = table.cell({"rate": rate, "width": width})
        assert table.values[cell].tolist() == values.tolist()
        assert table.means[cell] == values.mean()


@pytest.mark.parametrize(
    ("name", "num_parameters", "num_replicates", "message"),
    [
        ("gain", 2, 2, "no array 'gain'"),
        ("loss", 3, 2, "'X_index' has shape"),
        ("loss", 2, 4, "'loss' has shape"),
    ],
)
def test_another_file_is_refused(
    path: Path, name: str, num_parameters: int, num_replicates: int, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        load_replicates(path, name, num_parameters, num_replicates)
