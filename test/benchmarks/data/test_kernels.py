from pathlib import Path

import numpy as np
import pytest

from botorch_popbo.benchmarks.data.kernels import load_kernel
from botorch_popbo.benchmarks.errors import UsageError


def test_each_gpu_has_a_table_of_its_own(tables: Path) -> None:
    first, second = (load_kernel(tables, "convolution", gpu) for gpu in ("A100", "W7800"))
    assert first.choices == second.choices
    assert first.values.shape == (*[2] * 7, 32)
    assert not np.isclose(first.values, second.values).any()


def test_a_missing_file_says_how_to_get_it(tables: Path) -> None:
    with pytest.raises(UsageError, match=r"no dedispersion\.npz in") as e:
        load_kernel(tables, "dedispersion", "A100")
    assert "popbo data dedispersion makes it" in str(e.value)
    assert "github.com/AutoTuningAssociation/benchmark_hub" in str(e.value)
