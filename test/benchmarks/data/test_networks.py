from pathlib import Path

import pytest

from botorch_popbo.benchmarks.data.networks import load_networks
from botorch_popbo.benchmarks.errors import UsageError


def test_each_data_set_has_a_table_of_its_own(tables: Path) -> None:
    first, second = (load_networks(tables, name) for name in ("digits", "wine"))
    assert list(first.choices) == ["alpha", "batch_size", "depth", "learning_rate_init", "width"]
    assert first.values.shape == (2, 2, 2, 2, 2, 8)
    assert (first.values != second.values).all()


def test_a_missing_file_says_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="popbo data mlp makes it"):
        load_networks(tmp_path, "wine")
