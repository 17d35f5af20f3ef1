from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import Parameter

from botorch_popbo.presets import Preset, get_preset
from botorch_popbo.rates.training import train

PAPER = get_preset("paper")
SMALL = replace(PAPER, num_steps=7, batch_size=4)


def record(num_records: int, preset: Preset, seed: int = 0, **tkwargs: Any) -> tuple[Any, Any]:
    """The batches of a run, and the parameter before each step and at the end."""
    tkwargs = {"dtype": torch.float64} | tkwargs
    parameter = Parameter(torch.zeros((), **tkwargs))
    batches: list[Tensor] = []
    path: list[float] = []

    def loss(batch: Tensor) -> Tensor:
        batches.append(batch)
        path.append(parameter.item())
        return 1.0 * parameter

    train([parameter], loss, num_records, preset, torch.Generator().manual_seed(seed))
    return batches, [*path, parameter.item()]


@pytest.mark.parametrize(
    "preset",
    [PAPER, replace(SMALL, num_steps=11, learning_rate_factor=0.5, learning_rate_period=4)],
    ids=["paper", "other"],
)
def test_steps_and_learning_rates_are_those_of_the_preset(preset: Preset) -> None:
    _, path = record(3, preset)
    # ADAM moves by the learning rate itself where the gradient is constant.
    moved = [before - after for before, after in pairwise(path)]
    expected = [
        preset.learning_rate * preset.learning_rate_factor ** (step // preset.learning_rate_period)
        for step in range(preset.num_steps)
    ]
    assert moved == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("num_records", [1, 3, 4])
def test_few_records_are_all_used_in_every_step(num_records: int) -> None:
    batches, _ = record(num_records, SMALL)
    assert len(batches) == SMALL.num_steps
    for batch in batches:
        assert sorted(batch.tolist()) == list(range(num_records))


def test_mini_batches_are_drawn_without_replacement(device: torch.device) -> None:
    batches, _ = record(10, replace(SMALL, num_steps=50), device=device)
    for batch in batches:
        assert batch.device.type == device.type
        assert len(set(batch.tolist())) == len(batch) == SMALL.batch_size
    assert set(torch.cat(batches).tolist()) == set(range(10))
    assert len({tuple(sorted(batch.tolist())) for batch in batches}) > 1


@pytest.mark.usefixtures("rng_untouched")
def test_batches_come_from_the_generator() -> None:
    first, again, other = (record(10, SMALL, seed)[0] for seed in (0, 0, 1))
    assert torch.equal(torch.stack(first), torch.stack(again))
    assert not torch.equal(torch.stack(first), torch.stack(other))


def test_it_minimises() -> None:
    parameter = Parameter(torch.zeros(2, dtype=torch.float64))
    target = torch.tensor([0.1, -0.2], dtype=torch.float64)
    train(
        [parameter],
        lambda batch: (parameter[batch] - target[batch]).square().sum(),
        2,
        PAPER,
        torch.Generator(),
    )
    torch.testing.assert_close(parameter.detach(), target, rtol=0, atol=0.02)


def test_it_works_where_gradients_are_switched_off() -> None:
    with torch.no_grad():
        _, path = record(3, SMALL)
    assert path[-1] < path[0]
