from pathlib import Path

import numpy as np
import pytest

from botorch_popbo.benchmarks.data._checksums import checksum, differences

AXES = {"b": (1, 2), "a": ("x", "z", "y")}
VALUES = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.5e-7]])


@pytest.mark.parametrize(
    ("axes", "values"),
    [
        ({"a": AXES["a"], "b": AXES["b"]}, VALUES.T),
        ({"b": (2, 1), "a": ("x", "y", "z")}, VALUES[::-1][:, [0, 2, 1]]),
        (AXES, VALUES.astype(np.float32)),
        (AXES, VALUES * (1 + 1e-9)),
    ],
)
def test_storage_makes_no_difference(axes: dict[str, tuple[int, ...]], values: np.ndarray) -> None:
    assert checksum(axes, values) == checksum(AXES, VALUES)


@pytest.mark.parametrize(
    ("axes", "values"),
    [
        (AXES, VALUES * (1 + 1e-4)),
        (AXES, VALUES[:, ::-1]),
        ({"b": (1, 3), "a": AXES["a"]}, VALUES),
        ({"c": (1, 2), "a": AXES["a"]}, VALUES),
    ],
)
def test_content_does(axes: dict[str, tuple[int, ...]], values: np.ndarray) -> None:
    assert checksum(axes, values) != checksum(AXES, VALUES)


@pytest.mark.parametrize("name", ["fcnet_valid.npz", "nasbench201.npz"])
def test_the_real_tables_are_the_published_ones(real_tables: Path, name: str) -> None:
    assert differences(real_tables, name) == []


def test_one_changed_error_is_found(real_tables: Path, tmp_path: Path) -> None:
    with np.load(real_tables / "fcnet_valid.npz", allow_pickle=False) as archive:
        arrays = {name: archive[name] for name in archive}
    arrays["protein_structure_valid_mse"][77, 3] *= 1.01
    np.savez(tmp_path / "fcnet_valid.npz", **arrays)
    (difference,) = differences(tmp_path, "fcnet_valid.npz")
    assert "the numbers of protein_structure differ" in difference
