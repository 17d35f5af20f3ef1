"""Small search spaces, and what a strategy owes its user on every one of them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from ax.api.client import Client
from ax.api.configs import ChoiceParameterConfig, RangeParameterConfig
from helpers.service_loop import Parameter, Parameterization

from botorch_popbo.ax import popbo_generation_strategy
from botorch_popbo.ax.nodes import PresetName

KEYS = {"default": "popbo-logei", "paper": "popbo-eri"}
TOLERANCE = 1e-8  # of Ax on linear constraints


@dataclass(frozen=True)
class Space:
    """Parameters, an objective to minimise, and linear constraints as Ax spells them."""

    parameters: list[Parameter]
    loss: Callable[[Parameterization], float]
    constraints: tuple[str, ...] = ()


def ranged(
    name: str, low: float, high: float, kind: Literal["float", "int"] = "float", log: bool = False
) -> Parameter:
    scaling = "log" if log else "linear"
    return RangeParameterConfig(name=name, bounds=(low, high), parameter_type=kind, scaling=scaling)


def choice(name: str, values: list[Any], is_ordered: bool = False) -> Parameter:
    kind: Any = type(values[0]).__name__
    return ChoiceParameterConfig(
        name=name, values=values, parameter_type=kind, is_ordered=is_ordered
    )


def start(
    space: Space,
    preset: PresetName = "default",
    num_initial: int = 6,
    seed: int = 0,
    **options: Any,
) -> Client:
    client = Client()
    client.configure_experiment(space.parameters, parameter_constraints=space.constraints)
    client.configure_optimization(objective="-loss")
    client.set_generation_strategy(
        popbo_generation_strategy(
            num_initial_trials=num_initial, seed=seed, preset=preset, **options
        )
    )
    return client


def assert_distinct(points: list[Parameterization]) -> None:
    assert len({tuple(sorted(point.items())) for point in points}) == len(points)


def assert_member(space: Space, point: Parameterization) -> None:
    """Assert the names, types and values of a point, without asking Ax."""
    assert point.keys() == {parameter.name for parameter in space.parameters}
    for parameter in space.parameters:
        value = point[parameter.name]
        assert type(value).__name__ == parameter.parameter_type
        if isinstance(parameter, ChoiceParameterConfig):
            assert value in parameter.values
        else:
            assert parameter.bounds[0] <= value <= parameter.bounds[1]
    for constraint in space.constraints:
        larger, smaller = (
            constraint.split(">=") if ">=" in constraint else constraint.split("<=")[::-1]
        )
        assert eval(f"({larger}) - ({smaller})", {}, dict(point)) >= -TOLERANCE
