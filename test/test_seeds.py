import torch

from botorch_popbo._seeds import derive_seed


def test_seeds_differ_between_users_and_steps() -> None:
    seeds = {derive_seed(seed, n) for seed in range(-50, 50) for n in range(1000)}
    assert len(seeds) == 100 * 1000


def test_every_integer_gives_a_seed_that_torch_accepts() -> None:
    for seed in (-(2**70), -1, 0, 2**63, 2**200):
        torch.Generator().manual_seed(derive_seed(seed, 5))
