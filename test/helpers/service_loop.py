"""A small service-loop driver shared by the Ax tests."""

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ax.api.client import Client
from ax.api.configs import ChoiceParameterConfig, RangeParameterConfig
from ax.generation_strategy.generation_strategy import GenerationStrategy

from botorch_popbo.ax import popbo_generation_strategy
from botorch_popbo.data import RankCounts

Parameterization = Mapping[str, Any]
Parameter = RangeParameterConfig | ChoiceParameterConfig


logging.getLogger("ax").setLevel(logging.ERROR)


def make_client(
    strategy: GenerationStrategy,
    parameters: list[Parameter],
    objective: str,
    outcome_constraints: Sequence[str] = (),
    parameter_constraints: Sequence[str] = (),
) -> Client:
    client = Client()
    client.configure_experiment(parameters, parameter_constraints=parameter_constraints)
    client.configure_optimization(objective, outcome_constraints=outcome_constraints)
    client.set_generation_strategy(strategy)
    return client


def popbo_client(
    parameters: list[Parameter],
    num_initial: int,
    objective: str = "-loss",
    outcome_constraints: Sequence[str] = (),
    parameter_constraints: Sequence[str] = (),
    **options: Any,
) -> Client:
    """A client whose strategy is ours, with these options."""
    options = {"num_initial_trials": num_initial, "seed": 0} | options
    strategy = popbo_generation_strategy(**options)
    constraints = outcome_constraints, parameter_constraints
    return make_client(strategy, parameters, objective, *constraints)


def run_trials(
    client: Client,
    evaluate: Callable[[Parameterization], Any],
    num_trials: int,
    metric: str = "loss",
) -> list[Parameterization]:
    """What is suggested; a function returns the value of the metric, or a dictionary of several."""
    suggested = []
    for _ in range(num_trials):
        for index, parameters in client.get_next_trials(max_trials=1).items():
            told = evaluate(parameters)
            client.complete_trial(index, told if isinstance(told, dict) else {metric: told})
            suggested.append(dict(parameters))
    return suggested


def generator_keys(client: Client) -> list[str | None]:
    trials = client._experiment.trials.values()
    return [trial.generator_runs[0]._generator_key for trial in trials]


def floats(num: int, low: float = 0.0, high: float = 1.0) -> list[Parameter]:
    return [
        RangeParameterConfig(name=f"x{i}", bounds=(low, high), parameter_type="float")
        for i in range(num)
    ]


def sphere(parameters: Parameterization) -> float:
    return sum((float(x) - 0.3) ** 2 for x in parameters.values())


def learned_ranks(client: Client) -> dict[tuple[float, ...], float]:
    """What the last suggestion was made from: how many points are better, by point."""
    ranks = RankCounts.from_order(last_acquisition(client).model.order)
    return dict(zip(map(tuple, ranks.X.tolist()), ranks.counts.tolist(), strict=True))


def pending_points(client: Client) -> list[tuple[float, ...]]:
    """The points that the last suggestion took to be running."""
    pending = last_acquisition(client).X_pending
    return [] if pending is None else [tuple(point) for point in pending.tolist()]


def last_acquisition(client: Client) -> Any:
    node = client._generation_strategy._curr
    return node.generator_spec_to_gen_from.fitted_adapter.generator._acquisition
