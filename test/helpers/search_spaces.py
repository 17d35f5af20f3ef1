"""Small search spaces, and what a strategy owes its user on every one of them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from ax.api.client import Client
from ax.api.configs import ChoiceParameterConfig, RangeParameterConfig
from helpers.service_loop import Parameter, Parameterization, popbo_client

from botorch_popbo.ax.generator_spec import PresetName

KEYS = {"default": "popbo-logei", "paper": "popbo-eri"}


@dataclass(frozen=True)
class Space:
    """Parameters, an objective to minimize, and linear constraints as Ax spells them."""

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
    options |= {"parameter_constraints": space.constraints, "seed": seed, "preset": preset}
    return popbo_client(space.parameters, num_initial, **options)


def assert_distinct(points: list[Parameterization]) -> None:
    assert len({tuple(sorted(point.items())) for point in points}) == len(points)


def assert_member(client: Client, point: Parameterization) -> None:
    """Assert the names, types and values of a point."""
    assert client._experiment.search_space.check_membership(point, raise_error=True)
