from dataclasses import replace

import numpy as np
import pytest
from helpers.tables import train_networks as script

from botorch_popbo.benchmarks.data.sources import MLP
from botorch_popbo.benchmarks.data.table import Choices

SMALL: dict[str, Choices] = {
    "alpha": (1e-6, 1e-1),
    "batch_size": (32, 128),
    "depth": (1, 2),
    "learning_rate_init": (1e-4, 3e-3, 3e-2),
    "width": (4,),
}


@pytest.fixture(autouse=True)
def only_wine_and_diabetes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A classification and a regression, both small."""
    monkeypatch.setattr(script, "MLP", replace(MLP, parts=("wine", "diabetes")))


@pytest.mark.usefixtures("rng_untouched")
def test_a_network_trained_alone_is_that_of_its_cell() -> None:
    table = script.train_networks(SMALL)
    names = list(SMALL)
    for row in (0, 7, 22):
        cell = {n: (SMALL[n][i],) for n, i in zip(names, table["X_index"][row], strict=True)}
        for array, errors in script.train_networks(cell).items():
            if array.endswith("_error"):
                np.testing.assert_allclose(errors[0], table[array][row], rtol=1e-4)
