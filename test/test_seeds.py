import pytest
import torch

from botorch_popbo._reproducible import seeded


def test_devices_are_not_seeded_for_good(monkeypatch: pytest.MonkeyPatch) -> None:
    # Where CUDA has not started, torch.manual_seed would leave its seed for the start.
    def refuse(seed: int) -> None:
        raise AssertionError

    monkeypatch.setattr(torch.cuda, "manual_seed_all", refuse)
    with seeded(3):
        torch.rand(1)
