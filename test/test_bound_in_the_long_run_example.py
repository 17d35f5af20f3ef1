from types import ModuleType

import pytest
import torch
from helpers.examples import import_example


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return import_example(monkeypatch, "bound_in_the_long_run")


def test_the_optimum_has_no_regret(example: ModuleType) -> None:
    optimum = torch.full((1, 6), 0.4, dtype=torch.double)  # ones, in the unit cube
    assert example.evaluate(optimum).item() == pytest.approx(0.0, abs=1e-20)


def test_a_row_has_a_cell_for_every_block(
    example: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(example, "BLOCK", 2)
    ranks, regrets = example.run(3.0, seed=0, trials=4)
    cells = example.row(3.0, seeds=1, trials=4)
    assert [int(cell.split(",")[0]) for cell in cells] == [
        round(float(ranks[block].mean())) for block in (slice(0, 2), slice(2, 4))
    ]
    assert cells[-1].endswith(f", {regrets.min():.0f}")
