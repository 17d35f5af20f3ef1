"""Mini-batch ADAM with a stepped learning rate, with the settings of Wang et al. (2023)."""

from collections.abc import Callable, Iterable, Sequence

import torch
from torch import Tensor
from torch.nn import Parameter
from torch.nn.utils import parameters_to_vector, vector_to_parameters
from torch.optim.lr_scheduler import StepLR


def train(
    parameters: Sequence[Parameter],
    gradients: Callable[[Tensor], Iterable[Tensor]],
    num_records: int,
    generator: torch.Generator,
    *,
    num_steps: int = 100,
    batch_size: int = 64,
    learning_rate: float = 0.01,
    learning_rate_factor: float = 0.2,
    learning_rate_period: int = 30,
) -> None:
    """Minimise a loss over mini-batches, in place.

    ADAM moves one vector, whose parts the parameters are meanwhile: a tensor costs it as much time
    as a thousand numbers.

    Args:
        parameters: What to train.
        gradients: Returns the derivatives of a loss with respect to each parameter, from a vector
            of record indices.
        num_records: Number of records.
        generator: Source of the mini-batches, on the CPU.
        num_steps: Number of ADAM steps.
        batch_size: Observations per step, drawn without replacement; fewer records are all used in
            every step.
        learning_rate: Initial learning rate.
        learning_rate_factor: Factor on the learning rate every ``learning_rate_period`` steps.
        learning_rate_period: Steps between two reductions of the learning rate.
    """
    device = parameters[0].device
    everything = torch.arange(num_records, device=device)
    vector = Parameter(parameters_to_vector(parameters).detach())
    vector_to_parameters(vector, parameters)
    optimizer = torch.optim.Adam([vector], lr=learning_rate, fused=True)
    schedule = StepLR(optimizer, learning_rate_period, learning_rate_factor)
    for _ in range(num_steps):
        batch = everything
        if num_records > batch_size:
            order = torch.randperm(num_records, generator=generator)
            batch = order[:batch_size].to(device)
        vector.grad = parameters_to_vector(gradients(batch))
        optimizer.step()
        schedule.step()
    for parameter in parameters:
        parameter.data = parameter.data.clone()
