"""Experiments in a mixed search space that are quick to build: all trials are attached."""

import math
from collections.abc import Callable

import pytest
import torch
from ax.api.client import Client
from ax.generation_strategy.generation_strategy import GenerationStrategy
from helpers.search_spaces import choice, ranged
from helpers.service_loop import Parameter, Parameterization, make_client

from botorch_popbo.ax import popbo_generation_strategy

MakeRun = Callable[..., Client]


def mixed_space() -> list[Parameter]:
    return [
        ranged("rate", 1e-4, 1.0, log=True),
        ranged("layers", 1, 6, "int"),
        choice("kind", ["a", "b", "c"]),
        choice("size", [16, 32, 64], is_ordered=True),
    ]


def mixed_loss(parameters: Parameterization) -> float:
    """Best at rate 0.01, 4 layers, kind a and size 32, where it is 0."""
    return float(
        (math.log10(parameters["rate"]) + 2.0) ** 2
        + 0.2 * (parameters["layers"] - 4) ** 2
        + {"a": 0.0, "b": 0.7, "c": 1.6}[parameters["kind"]]
        + 0.3 * abs(math.log2(parameters["size"]) - 5.0)
    )


def random_parameters(num: int) -> list[Parameterization]:
    generator = torch.Generator().manual_seed(0)
    draws = torch.rand(num, 4, generator=generator, dtype=torch.float64).tolist()
    return [
        {
            "rate": 10.0 ** (-4.0 * u),
            "layers": 1 + int(6 * v),
            "kind": "abc"[int(3 * w)],
            "size": [16, 32, 64][int(3 * z)],
        }
        for u, v, w, z in draws
    ]


@pytest.fixture(scope="session")
def make_run() -> MakeRun:
    def make(
        num_trials: int = 12,
        objective: str = "-loss",
        strategy: GenerationStrategy | None = None,
        evaluate: Callable[[Parameterization], float] = mixed_loss,
    ) -> Client:
        strategy = strategy or popbo_generation_strategy(num_initial_trials=4)
        client = make_client(strategy, mixed_space(), objective)
        for parameters in random_parameters(num_trials):
            index = client.attach_trial(dict(parameters))
            client.complete_trial(index, raw_data={objective.lstrip("-"): evaluate(parameters)})
        return client

    return make
