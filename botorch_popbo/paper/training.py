"""Mini-batch ADAM with a stepped learning rate."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import Module
from torch.optim.lr_scheduler import StepLR

from botorch_popbo.settings import PaperSettings


def train(
    module: Module,
    loss: Callable[[Tensor], Tensor],
    num_records: int,
    generator: torch.Generator,
    settings: PaperSettings,
) -> None:
    """Minimise a loss over mini-batches, in place.

    Args:
        module: What to train.
        loss: Of a vector of record indices, a scalar.
        num_records: Number of records.
        generator: Source of the mini-batches, on the CPU.
        settings: Number and size of the steps.
    """
    parameters = list(module.parameters())
    optimizer = torch.optim.Adam(parameters, lr=settings.learning_rate, fused=True)
    schedule = StepLR(optimizer, settings.learning_rate_period, settings.learning_rate_factor)
    batch = torch.arange(num_records, device=parameters[0].device)
    for _ in range(settings.num_steps):
        if num_records > settings.batch_size:
            order = torch.randperm(num_records, generator=generator)
            batch = order[: settings.batch_size].to(parameters[0].device)
        optimizer.zero_grad()
        with torch.enable_grad():
            loss(batch).backward()
        optimizer.step()
        schedule.step()
    optimizer.zero_grad()  # a model with gradients cannot be compared, and would be twice as large
