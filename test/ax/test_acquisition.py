from typing import Any

import pytest
import torch
from ax.api.client import Client
from ax.api.configs import ChoiceParameterConfig, RangeParameterConfig
from helpers.service_loop import Parameter, generator_keys, make_client, sphere
from torch import Tensor

from botorch_popbo.ax import _tables, popbo_generation_strategy
from botorch_popbo.ax.nodes import PresetName
from botorch_popbo.optim import unseen_candidates


def constrained_client(parameters: list[Parameter], constraint: str) -> Client:
    client = Client()
    client.configure_experiment(parameters=parameters, parameter_constraints=[constraint])
    client.configure_optimization(objective="gain")
    client.set_generation_strategy(popbo_generation_strategy(num_initial_trials=5))
    return client


@pytest.mark.parametrize("kind", ["continuous", "discrete"])
def test_parameter_constraints_are_honoured(kind: str) -> None:
    parameters: list[Parameter] = [
        RangeParameterConfig(
            name=name,
            bounds=(0, 20),
            parameter_type="float" if kind == "continuous" else "int",
        )
        for name in ("a", "b")
    ]
    client = constrained_client(parameters, "a + b <= 12")
    for _ in range(10):
        [(index, p)] = client.get_next_trials(max_trials=1).items()
        assert p["a"] + p["b"] <= 12 + 1e-6
        client.complete_trial(index, raw_data={"gain": p["a"] + p["b"]})
    assert generator_keys(client)[5:] == ["popbo-logei"] * 5


def test_large_discrete_space_is_not_enumerated() -> None:
    client = Client()
    client.configure_experiment(
        parameters=[
            ChoiceParameterConfig(name=f"c{i}", values=list("abcdefgh"), parameter_type="str")
            for i in range(10)  # 8^10 points
        ]
    )
    client.configure_optimization(objective="gain")
    client.set_generation_strategy(popbo_generation_strategy(num_initial_trials=5))
    torch.manual_seed(0)
    for _ in range(8):
        [(index, p)] = client.get_next_trials(max_trials=1).items()
        client.complete_trial(index, raw_data={"gain": sum(v == "a" for v in p.values())})
    assert generator_keys(client)[5:] == ["popbo-logei"] * 3


@pytest.mark.parametrize(
    ("preset", "objective", "number"),
    [
        ("default", "-loss", 100_000),
        ("default", "-loss, gain", 2048),
        ("paper", "-loss", 1000),
    ],
)
def test_as_many_candidates_are_looked_at_as_time_allows(
    preset: PresetName, objective: str, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    def record(*args: Any) -> Tensor:
        candidates = unseen_candidates(*args)
        seen.append(len(candidates))
        return candidates

    monkeypatch.setattr(_tables, "unseen_candidates", record)
    parameters: list[Parameter] = [
        RangeParameterConfig(name=f"x{i}", bounds=(1, 14), parameter_type="int") for i in range(3)
    ]
    strategy = popbo_generation_strategy(num_initial_trials=4, preset=preset)
    client = make_client(strategy, parameters, objective)
    for _ in range(5):
        [(index, p)] = client.get_next_trials(max_trials=1).items()
        client.complete_trial(index, {"loss": sphere(p), "gain": p["x0"]})
    assert seen == [min(number, 14**3 - 4)]


@pytest.mark.parametrize("upper", [25, 100_000])
def test_integers_are_searched_closely(upper: int) -> None:
    client = Client()
    client.configure_experiment(
        parameters=[
            RangeParameterConfig(name=name, bounds=(0, upper), parameter_type="int")
            for name in ("a", "b")
        ]
    )
    client.configure_optimization(objective="-loss")
    client.set_generation_strategy(popbo_generation_strategy(num_initial_trials=6))
    losses = []
    for _ in range(20):
        [(index, p)] = client.get_next_trials(max_trials=1).items()
        losses.append(sum((p[name] / upper - 0.3) ** 2 for name in ("a", "b")))
        client.complete_trial(index, raw_data={"loss": losses[-1]})
    assert min(losses[6:]) < 0.5 * min(losses[:6])
    assert generator_keys(client)[6:] == ["popbo-logei"] * 14
