from pathlib import Path

import numpy as np
import pytest

from botorch_popbo.benchmarks.data._published import checksum, differences

AXES = {"b": (1, 2), "a": ("x", "z", "y")}
VALUES = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.5e-7]])


@pytest.mark.parametrize(
    ("is_same", "axes", "values"),
    [
        (True, {"a": AXES["a"], "b": AXES["b"]}, VALUES.T),
        (True, {"b": (2, 1), "a": ("x", "y", "z")}, VALUES[::-1][:, [0, 2, 1]]),
        (True, AXES, VALUES.astype(np.float32)),
        (True, AXES, VALUES * (1 + 1e-9)),
        (False, AXES, VALUES * (1 + 1e-4)),
        (False, AXES, VALUES[:, ::-1]),
        (False, {"b": (1, 3), "a": AXES["a"]}, VALUES),
        (False, {"c": (1, 2), "a": AXES["a"]}, VALUES),
    ],
)
def test_content_makes_a_difference_and_storage_none(
    is_same: bool, axes: dict[str, tuple[int, ...]], values: np.ndarray
) -> None:
    assert (checksum(axes, values) == checksum(AXES, VALUES)) == is_same


def test_one_changed_error_is_found(real_tables: Path, tmp_path: Path) -> None:
    with np.load(real_tables / "fcnet_valid.npz", allow_pickle=False) as archive:
        arrays = {name: archive[name] for name in archive}
    arrays["protein_structure_valid_mse"][77, 3] *= 1.01
    np.savez(tmp_path / "fcnet_valid.npz", **arrays)
    (difference,) = differences(tmp_path, "fcnet_valid.npz")
    assert "the numbers of protein_structure differ" in difference
