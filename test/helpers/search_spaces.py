"""What a strategy owes its user on every search space, checked on Ax's own client."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from ax.api.client import Client
from ax.api.configs import ChoiceParameterConfig, RangeParameterConfig
from helpers.service_loop import Parameter, Parameterization, generator_keys, run_trials

from botorch_popbo.ax import popbo_generation_strategy
from botorch_popbo.presets import PresetName

KEYS = {"default": "popbo-logei", "paper": "popbo-eri"}
TOLERANCE = 1e-9  # on linear constraints


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
    space: Space, preset: PresetName = "default", num_initial: int = 6, seed: int = 0
) -> Client:
    client = Client()
    client.configure_experiment(space.parameters, parameter_constraints=space.constraints)
    client.configure_optimization(objective="-loss")
    client.set_generation_strategy(
        popbo_generation_strategy(num_initial_trials=num_initial, seed=seed, preset=preset)
    )
    return client


def check_space(
    space: Space, preset: PresetName = "default", num_initial: int = 6, num_model: int = 8
) -> list[Parameterization]:
    """Run a short experiment, assert the contract, and return the suggested points."""
    points = check_suggestions(space, preset, num_initial, num_model)
    losses = [space.loss(point) for point in points]
    assert min(losses[num_initial:]) < min(losses[:num_initial])
    check_seed(space, preset, points, num_initial)
    return points


def check_suggestions(
    space: Space, preset: PresetName, num_initial: int, num_model: int
) -> list[Parameterization]:
    """The part of the contract that concerns the points and not their losses."""
    client = start(space, preset, num_initial)
    points = run_trials(client, space.loss, num_initial + num_model)
    assert generator_keys(client)[num_initial:] == [KEYS[preset]] * num_model
    assert_distinct(points)
    for point in points:
        assert_member(space, point)
    assert_finite_predictions(client, points)
    return points


def check_seed(
    space: Space, preset: PresetName, points: list[Parameterization], num_initial: int
) -> None:
    """Assert that a new experiment with the same seed suggests the same points."""
    again = run_trials(start(space, preset, num_initial), space.loss, num_initial + 2)
    assert again == points[: num_initial + 2]


def check_batches(space: Space, preset: PresetName = "default", num_initial: int = 6) -> None:
    """Assert that points asked for at once, or while others run, are distinct and the model's."""
    client = start(space, preset, num_initial)
    points = run_trials(client, space.loss, num_initial)
    for _ in range(2):
        batch = list(client.get_next_trials(max_trials=3).values())
        for point in batch:
            assert_member(space, point)
        points += batch
    assert_distinct(points)
    assert generator_keys(client)[num_initial:] == [KEYS[preset]] * 6


def assert_distinct(points: list[Parameterization]) -> None:
    rows = [tuple(sorted(point.items())) for point in points]
    assert len(set(rows)) == len(rows)


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
        assert slack(constraint, point) >= -TOLERANCE


def slack(constraint: str, point: Parameterization) -> float:
    """How far a point is inside a constraint: positive inside, zero on its boundary."""
    larger, smaller = constraint.split(">=") if ">=" in constraint else constraint.split("<=")[::-1]
    difference: float = eval(f"({larger}) - ({smaller})", {}, dict(point))
    return difference


def assert_finite_predictions(client: Client, points: list[Parameterization]) -> None:
    for prediction in client.predict(points):
        mean, sem = prediction["loss"]
        assert math.isfinite(mean)
        assert math.isfinite(sem)
        assert sem >= 0


def observe(client: Client, space: Space, points: list[Parameterization]) -> None:
    """Attach points of one's own and report their losses."""
    for point in points:
        index = client.attach_trial(point)
        client.complete_trial(index, raw_data={"loss": space.loss(point)})


def predicted_losses(client: Client, points: list[Parameterization]) -> list[float]:
    """Predictions of an experiment, whose model is fitted first if nothing was suggested yet."""
    client.get_next_trials(max_trials=1)
    return [prediction["loss"][0] for prediction in client.predict(points)]
