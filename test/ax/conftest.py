"""Strategies without a seed of their own take that of PyTorch."""

import pytest
import torch


@pytest.fixture(autouse=True)
def seeded() -> None:
    """The same suggestions in every run."""
    torch.manual_seed(0)
