"""What becomes of a trial in each of Ax's states, and of one that went wrong."""

import math
from collections.abc import Callable
from copy import deepcopy
from functools import cache
from typing import Any

import pytest
from ax.api.client import Client
from ax.api.configs import ChoiceParameterConfig
from botorch.exceptions import InputDataError
from helpers.search_spaces import assert_distinct
from helpers.service_loop import (
    floats,
    generator_keys,
    learned_ranks,
    pending_points,
    popbo_client,
    run_trials,
    sphere,
)

from botorch_popbo.ax.generator_spec import PresetName

INF = math.inf
EACH_PRESET = pytest.mark.parametrize("preset", ["default", "paper"])

Point = tuple[float, ...]


@cache
def begun(preset: PresetName, objective: str) -> Client:
    client = popbo_client(floats(2), 5, objective, preset=preset)
    run_trials(client, sphere, 6)
    return client


def started(preset: PresetName = "default", objective: str = "-loss") -> Client:
    """A client of six completed trials; the next suggestion is the model's."""
    return deepcopy(begun(preset, objective))


def suggest(client: Client) -> tuple[int, Point]:
    [(index, parameters)] = client.get_next_trials(max_trials=1).items()
    return index, tuple(parameters.values())


def assert_never_repeated(client: Client, num_more: int = 2) -> None:
    """Go on, and check that every suggestion is the model's own and new."""
    run_trials(client, sphere, num_more)
    assert_distinct([trial.arm.parameters for trial in client._experiment.trials.values()])
    assert len(set(generator_keys(client)[5:])) == 1


def test_a_failure_is_known_to_each_metric() -> None:
    kernel = ChoiceParameterConfig("kernel", ["rbf", "poly"], "str", is_ordered=False)
    client = popbo_client([*floats(1), kernel], 4, "-loss", ["cost <= 1"])
    index, _ = suggest(client)
    client.mark_trial_failed(index)
    run_trials(client, lambda p: {"loss": p["x0"], "cost": p["x0"]}, 6)
    assert_distinct([trial.arm.parameters for trial in client._experiment.trials.values()])


def report(client: Client, index: int, *losses: float) -> None:
    """The loss after one, two and more steps."""
    for progression, loss in enumerate(losses):
        client.attach_data(index, {"loss": loss}, progression=progression)


STEPS: dict[str, Callable[[Client, int, float], Any]] = {
    "keep running": lambda client, index, bad: None,
    "fail": lambda client, index, bad: client.mark_trial_failed(index),
    "abandon": lambda client, index, bad: client.mark_trial_abandoned(index),
    "stop early": lambda client, index, bad: client._experiment.trials[index].mark_early_stopped(
        unsafe=True
    ),
    "report good": lambda client, index, bad: client.attach_data(index, {"loss": -bad}),
    "report bad": lambda client, index, bad: client.attach_data(index, {"loss": bad}),
    "report NaN": lambda client, index, bad: client.attach_data(index, {"loss": math.nan}),
    "become bad": lambda client, index, bad: report(client, index, -9 * bad, -8 * bad, bad),
    "become good": lambda client, index, bad: report(client, index, 9 * bad, 8 * bad, -bad),
    "end with NaN": lambda client, index, bad: client.complete_trial(index, {"loss": math.nan}),
    "end infinitely bad": lambda client, index, bad: client.complete_trial(
        index, {"loss": INF * bad}
    ),
    "track seconds": lambda client, index, bad: client.configure_tracking_metrics(["seconds"]),
    "end good after NaN seconds": lambda client, index, bad: client.complete_trial(
        index, {"loss": -bad, "seconds": math.nan}
    ),
    "others are suggested": lambda client, index, bad: suggest(client),
}

# What a trial does, and its rank among six others: best, worst, or none, and then it is pending.
EVENTS = {
    "fail": 6,
    "report good, fail": 6,
    "abandon": None,
    "keep running": None,
    "report good": 0,
    "report good, others are suggested, report bad": 6,
    "become bad, stop early": 6,
    "become good, stop early": 0,
    "stop early": 6,
    "report NaN": 6,
    "report NaN, others are suggested, report good": 0,
    "report NaN, stop early": 6,
    "end with NaN": 6,
    "end infinitely bad": 6,
    "end with NaN, others are suggested, report good": 0,
    "track seconds, end good after NaN seconds": 0,
}


# Those of which the direction decides.
MIRRORED = ("become bad, stop early", "become good, stop early", "end infinitely bad")


def perform(event: str, client: Client, index: int, bad: float = 1000.0) -> None:
    for step in event.split(", "):
        STEPS[step](client, index, bad)


@pytest.mark.parametrize(
    ("preset", "objective", "event"),
    [
        *(("default", "-loss", event) for event in EVENTS),
        *(("default", "loss", event) for event in MIRRORED),
        ("paper", "-loss", "fail"),
        ("paper", "loss", "fail"),
        ("paper", "-loss", "abandon"),
    ],
)
def test_what_is_learned_and_never_suggested_again(
    preset: PresetName, objective: str, event: str
) -> None:
    client, rank = started(preset, objective), EVENTS[event]
    index, point = suggest(client)
    perform(event, client, index, 1000.0 if objective == "-loss" else -1000.0)
    suggest(client)
    assert learned_ranks(client).get(point) == rank
    assert len(learned_ranks(client)) == 6 + (rank is not None)
    assert (point in pending_points(client)) == (rank is None)
    assert_never_repeated(client)


@pytest.mark.parametrize(
    ("objective", "outcome", "message"),
    [
        ("-loss", -INF, r"loss=-inf.*attach_data"),
        ("loss", INF, r"loss=inf.*attach_data"),
        ("-loss", (0.5, INF), "Trial 6 .*infinite standard error.*mean"),
        ("-loss", (0.5, -0.1), "Trial 6 .*negative standard error"),
    ],
)
def test_what_has_no_meaning_is_an_error_that_can_be_repaired(
    objective: str, outcome: Any, message: str
) -> None:
    client = started(objective=objective)
    index, _ = suggest(client)
    client.complete_trial(index, {"loss": outcome})
    with pytest.raises(InputDataError, match=message):
        suggest(client)
    client.attach_data(index, {"loss": 0.5})
    assert_never_repeated(client)


@pytest.mark.parametrize("event", ["fail", "report good, fail", "end with NaN"])
def test_a_failure_does_not_count_once_the_arm_was_tried_again(event: str) -> None:
    client = started()
    index, point = suggest(client)
    perform(event, client, index)
    again = client.attach_trial(client._experiment.trials[index].arm.parameters)
    perform("report good", client, again)
    suggest(client)
    assert learned_ranks(client)[point] == 0
    client.mark_trial_failed(again)  # the last word counts
    suggest(client)
    assert learned_ranks(client)[point] == 6


@pytest.mark.parametrize("reports", [0, 2])
def test_a_failure_beside_learning_curves_that_are_ranked_by_their_last_value(reports: int) -> None:
    client = started()
    for _ in range(3):
        index, (x, y) = suggest(client)
        loss = sphere({"x": x, "y": y})
        report(client, index, loss + 2.0, loss + 1.0)
        client.complete_trial(index, {"loss": loss}, progression=2)
    index, failed = suggest(client)
    report(client, index, *[-1000.0] * reports)
    client.mark_trial_failed(index)
    suggest(client)
    ranks = learned_ranks(client)
    assert ranks.pop(failed) == 9
    in_order = sorted(ranks, key=lambda p: sphere({"x": p[0], "y": p[1]}))
    assert [ranks[point] for point in in_order] == list(range(9))
    assert_never_repeated(client)


@EACH_PRESET
def test_trials_that_end_in_any_order_are_distinct(preset: PresetName) -> None:
    client = started(preset)
    running = dict(client.get_next_trials(max_trials=3))
    for step in range(4):
        index = sorted(running)[(2 * step) % 3]
        client.complete_trial(index, {"loss": sphere(running.pop(index))})
        running |= client.get_next_trials(max_trials=1)
        assert len(running) == 3
    assert_never_repeated(client, 0)
    assert len(client._experiment.trials) == 13


def test_the_model_waits_until_half_of_the_design_has_data() -> None:
    client = popbo_client(floats(2), 6)
    for index, parameters in client.get_next_trials(max_trials=8).items():
        if index in (1, 4):
            client.complete_trial(index, {"loss": sphere(parameters)})
    client.get_next_trials(max_trials=1)
    client.complete_trial(7, {"loss": 1.0})
    client.get_next_trials(max_trials=1)
    assert generator_keys(client) == ["Sobol"] * 9 + ["popbo-logei"]
