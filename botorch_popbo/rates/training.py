"""Mini-batch ADAM with a stepped learning rate."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor
from torch.nn import Parameter

from botorch_popbo.presets import Preset


def train(
    parameters: Sequence[Parameter],
    loss: Callable[[Tensor], Tensor],
    num_records: int,
    preset: Preset,
    generator: torch.Generator,
) -> None:
    """Minimise a loss over mini-batches, in place.

    Args:
        parameters: What to train.
        loss: Maps a vector of record indices to a scalar.
        num_records: Number of records. At most ``preset.batch_size`` of them are drawn without
            replacement for each step; fewer records are all used in every step.
        preset: Number of steps, batch size and learning rates.
        generator: Source of the mini-batches, on the CPU.
    """
    device = parameters[0].device
    everything = torch.arange(num_records, device=device)
    optimizer = torch.optim.Adam(parameters, lr=preset.learning_rate, fused=True)
    with torch.enable_grad():
        for step in range(preset.num_steps):
            if step > 0 and step % preset.learning_rate_period == 0:
                optimizer.param_groups[0]["lr"] *= preset.learning_rate_factor
            batch = everything
            if num_records > preset.batch_size:
                order = torch.randperm(num_records, generator=generator)
                batch = order[: preset.batch_size].to(device)
            optimizer.zero_grad()
            loss(batch).backward()
            optimizer.step()
