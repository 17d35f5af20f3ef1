"""The points that suggestions are made from, as tensors and as trials of Ax."""

import torch
from ax.api.client import Client
from ax.api.configs import RangeParameterConfig
from botorch.test_functions.synthetic import Hartmann
from torch import Tensor

from botorch_popbo.ax import generation_strategies

BOUNDS = torch.tensor([[0.0] * 6, [1.0] * 6], dtype=torch.float64)

_FUNCTION = Hartmann(dim=6, dtype=torch.float64)

#: Points, ``N x 6``, and their outcomes, ``N x 1``, larger being better.
Data = tuple[Tensor, Tensor]


def uniform_data(num_points: int) -> Data:
    """Uniform points of the domain of Hartmann-6 with their outcomes."""
    generator = torch.Generator().manual_seed(0)
    X = torch.rand(num_points, 6, generator=generator, dtype=torch.float64)
    return X, -_FUNCTION(X, noise=False).unsqueeze(-1)


def attached(strategy: str, data: Data) -> Client:
    """A client whose trials are the points; its next suggestion fits a model to all of them."""
    X, Y = data
    client = Client()
    client.configure_experiment(
        [
            RangeParameterConfig(name=f"x{i}", bounds=(0.0, 1.0), parameter_type="float")
            for i in range(X.shape[-1])
        ]
    )
    client.configure_optimization(objective="y")
    client.set_generation_strategy(
        generation_strategies([strategy], num_initial_trials=2)[strategy]
    )
    for x, y in zip(X.tolist(), Y.squeeze(-1).tolist(), strict=True):
        index = client.attach_trial({f"x{i}": value for i, value in enumerate(x)})
        client.complete_trial(index, {"y": y})
    return client
