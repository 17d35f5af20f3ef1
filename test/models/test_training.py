from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import Parameter

from botorch_popbo.models._training import train


def batches(num_records: int, seed: int = 0, **settings: Any) -> list[Tensor]:
    weight, found = Parameter(torch.zeros(1)), []

    def gradients(batch: Tensor) -> list[Tensor]:
        found.append(batch)
        return [torch.ones_like(weight)]

    generator = torch.Generator().manual_seed(seed)
    settings = {"num_steps": 7, "batch_size": 4} | settings
    train([weight], gradients, num_records, generator, **settings)
    return found


def test_the_learning_rate_falls_in_steps() -> None:
    weight, seen = Parameter(torch.zeros(1, dtype=torch.double)), []

    def gradients(batch: Tensor) -> list[Tensor]:
        seen.append(weight.item())
        return [torch.ones_like(weight)]

    settings = {"learning_rate": 0.1, "learning_rate_factor": 0.5, "learning_rate_period": 3}
    train([weight], gradients, 5, torch.Generator(), num_steps=8, **settings)
    # A constant gradient moves ADAM by the learning rate.
    moves = -torch.tensor([*seen, weight.item()], dtype=torch.double).diff()
    expected = torch.tensor([0.1] * 3 + [0.05] * 3 + [0.025] * 2, dtype=torch.double)
    torch.testing.assert_close(moves, expected, rtol=1e-5, atol=0.0)


def test_parameters_are_moved_as_if_each_had_its_own_adam() -> None:
    together = [Parameter(torch.ones(2, 3)), Parameter(torch.ones(4))]
    alone = [Parameter(parameter.detach().clone()) for parameter in together]

    def gradients(batch: Tensor) -> list[Tensor]:
        return [parameter.detach() * batch[0].add(1) for parameter in together]

    def train_(parameters: list[Parameter], gradients: Callable[[Tensor], list[Tensor]]) -> None:
        train(parameters, gradients, 5, torch.Generator().manual_seed(0), batch_size=2)

    train_(together, gradients)
    for own in alone:
        train_([own], lambda batch, own=own: [own.detach() * batch[0].add(1)])  # type: ignore[misc]
    assert all(map(torch.equal, together, alone))
    assert together[0].untyped_storage().nbytes() == 4 * together[0].numel()


@pytest.mark.parametrize("num_records", [2, 3, 4])
def test_few_records_are_all_used_in_every_step(num_records: int) -> None:
    found = batches(num_records)
    assert len(found) == 7
    assert all(sorted(batch.tolist()) == list(range(num_records)) for batch in found)


@pytest.mark.usefixtures("rng_untouched")
def test_mini_batches_are_drawn_without_replacement_from_the_seed() -> None:
    found = batches(10, num_steps=50)
    assert all(len(set(batch.tolist())) == len(batch) == 4 for batch in found)
    assert set(torch.cat(found).tolist()) == set(range(10))
    assert len({tuple(sorted(batch.tolist())) for batch in found}) > 1
    first, again, other = (torch.stack(batches(10, seed)) for seed in (0, 0, 1))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)
