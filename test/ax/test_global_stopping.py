"""When to stop in Ax, and why a point is suggested."""

import json
from typing import Any

import pytest
from ax.api.client import Client
from ax.api.protocols.metric import IMetric
from ax.api.protocols.runner import IRunner
from ax.core.trial_status import TrialStatus
from ax.exceptions.core import UserInputError
from ax.orchestration.orchestrator import Orchestrator, OrchestratorOptions
from ax.storage.json_store.decoder import object_from_json
from ax.storage.json_store.encoder import object_to_json
from ax.storage.json_store.registry import (
    CORE_CLASS_DECODER_REGISTRY,
    CORE_CLASS_ENCODER_REGISTRY,
    CORE_DECODER_REGISTRY,
    CORE_ENCODER_REGISTRY,
)
from helpers.search_spaces import choice, ranged
from helpers.service_loop import Parameterization, floats, make_client, run_trials, sphere

from botorch_popbo.ax import (
    RankGlobalStopping,
    gp_generation_strategy,
    popbo_generation_strategy,
)

GRID = [{"x0": x / 8} for x in range(9)]
SOLVED = [*GRID, *({"x0": x} for x in (0.28, 0.3, 0.32))]


def asked(
    points: list[Any], objective: str = "-loss", limits: tuple[str, ...] = (), **options: Any
) -> tuple[bool, str]:
    """What is said of points on a line after a design of four; the best is at 0.3."""
    strategy = popbo_generation_strategy(num_initial_trials=4, seed=0)
    client = make_client(strategy, floats(1), objective, limits)
    for point in points:
        x = point["x0"]
        outcomes = {"loss": sphere(point), "other": (x - 0.6) ** 2, "size": x}
        client.complete_trial(client.attach_trial(point), outcomes)
    return RankGlobalStopping(strategy, **options).should_stop_optimization(strategy.experiment)


def chance(message: str) -> float:
    return float(message.partition("%")[0]) / 100.0


class Here(IRunner, IMetric):
    """Evaluates in this process."""

    def run_trial(self, trial_index: int, parameterization: Any) -> dict[str, Any]:
        return dict(parameterization)

    def poll_trial(self, trial_index: int, trial_metadata: Any) -> TrialStatus:
        return TrialStatus.COMPLETED

    def fetch(self, trial_index: int, trial_metadata: Any) -> tuple[int, float]:
        return 0, sphere(trial_metadata)


def searched(limit: float | None, number: int) -> tuple[list[Parameterization], str]:
    """What Ax's own loop evaluates, and why it ends."""
    strategy = popbo_generation_strategy(num_initial_trials=4, seed=0)
    client = make_client(strategy, floats(1), "-loss")
    client.configure_runner(Here("runner"))
    client.configure_metrics([Here("loss")])
    stopping = None if limit is None else RankGlobalStopping(strategy, limit)
    options = OrchestratorOptions(
        max_pending_trials=1,
        init_seconds_between_polls=0,
        min_seconds_before_poll=0.0,
        global_stopping_strategy=stopping,
    )
    loop = Orchestrator(client._experiment, strategy, options)
    loop.run_n_trials(number)
    trials = client._experiment.trials.values()
    reason = loop.should_consider_optimization_complete()[1]
    return [trial.arms[0].parameters for trial in trials], reason


def test_ax_stops_once_hardly_anything_is_left_and_suggests_the_same_until_then() -> None:
    some, reason = searched(0.6, 20)
    assert 4 < len(some) < 20
    assert chance(reason) <= 0.6
    assert searched(None, len(some))[0] == some


def test_it_stops_what_is_solved_and_nothing_else() -> None:
    early, late = asked(GRID[::2]), asked(SOLVED)
    assert (early[0], late[0]) == (False, True)
    assert chance(late[1]) <= 0.05 < chance(early[1]) <= 1.0
    assert "chance of anything better by" in late[1]
    assert not asked(GRID[::2], chance=1e-9)[0]
    assert asked(GRID[::2], margin=10.0)[0]


def test_nothing_is_said_before_the_end_of_the_design() -> None:
    for points in ([], GRID[:3]):
        is_over, reason = asked(points, chance=0.999, margin=10.0)
        assert (is_over, reason) == (False, "The initial design has not ended.")


def test_constraints_and_fronts_are_understood() -> None:
    limit, border = ("size >= 0.45",), [{"x0": x} for x in (0.44, 0.45, 0.46)]
    assert chance(asked([*GRID, *border], limits=limit)[1]) < 0.3
    assert chance(asked(GRID, limits=limit)[1]) > 0.9
    assert chance(asked(GRID, limits=("size >= 2",))[1]) == 1.0
    few, many = (asked(points, "-loss, -other") for points in (GRID[::2], SOLVED))
    assert few[1].endswith("chance of a front larger by 1%.")
    assert chance(many[1]) < 0.1 < chance(few[1])


def test_it_models_the_trials_of_another_strategy() -> None:
    client = make_client(gp_generation_strategy(seed=0), floats(1), "-loss")
    run_trials(client, sphere, 5)
    stopping = RankGlobalStopping(popbo_generation_strategy(num_initial_trials=4), margin=10.0)
    assert stopping.should_stop_optimization(client._experiment)[0]


@pytest.mark.parametrize(
    ("options", "stopping", "reason"),
    [
        ({}, {"chance": 0.0}, "between 0 and 1"),
        ({}, {"chance": 1.0}, "between 0 and 1"),
        ({}, {"chance": "0.05"}, "between 0 and 1"),
        ({"acquisition": "eri"}, {}, "logei"),
        ({"preset": "paper"}, {}, "logei"),
    ],
)
def test_what_has_no_chance_is_refused(options: Any, stopping: Any, reason: str) -> None:
    with pytest.raises(UserInputError, match=reason):
        RankGlobalStopping(popbo_generation_strategy(**options), **stopping)


def test_ax_stores_it_as_it_stores_its_own() -> None:
    made = RankGlobalStopping(popbo_generation_strategy(seed=3), 0.1, 0.5)
    encoders = CORE_ENCODER_REGISTRY, CORE_CLASS_ENCODER_REGISTRY
    text = json.dumps(object_to_json(made, *encoders))
    decoders = CORE_DECODER_REGISTRY, CORE_CLASS_DECODER_REGISTRY
    found = object_from_json(json.loads(text), *decoders)
    assert (found.chance, found.margin) == (0.1, 0.5)
    nodes = found.generation_strategy.nodes_by_name
    assert nodes.keys() == made.generation_strategy.nodes_by_name.keys()


def test_a_suggestion_says_why_and_is_stored_with_it() -> None:
    strategy = popbo_generation_strategy(num_initial_trials=4, seed=0)
    space = [ranged("x", 1e-3, 1.0, log=True), choice("kind", ["a", "b"])]
    client = make_client(strategy, space, "-loss")
    for x, kind in ((0.001, "a"), (0.01, "a"), (0.1, "a"), (1.0, "b")):
        index = client.attach_trial({"x": x, "kind": kind})
        client.complete_trial(index, {"loss": abs(x - 0.05) + (kind == "b")})
    [(index, point)] = client.get_next_trials(1).items()
    assert strategy.last_generator_run is not None
    [why] = strategy.last_generator_run.gen_metadata["why"]
    assert "likely to beat the best" in why
    assert "of 5. It differs in " in why
    assert f"x ({point['x']:.3g}, not " in why
    again = Client._from_json_snapshot(json.loads(json.dumps(client._to_json_snapshot())))
    [run] = again._experiment.trials[index].generator_runs
    assert run.gen_metadata["why"] == [why]
