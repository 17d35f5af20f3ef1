"""What becomes of a trial in each of Ax's states, and of one that went wrong."""

import math
from collections.abc import Callable
from copy import deepcopy
from functools import cache

import pytest
from ax.api.client import Client
from botorch.exceptions import InputDataError
from helpers.search_spaces import KEYS, Space, assert_distinct, choice, ranged, start
from helpers.service_loop import (
    floats,
    generator_keys,
    learned_ranks,
    make_client,
    pending_points,
    run_trials,
    sphere,
)

from botorch_popbo.ax import popbo_generation_strategy
from botorch_popbo.presets import PresetName

INF = math.inf
EACH_PRESET = pytest.mark.parametrize("preset", ["default", "paper"])

Event = Callable[[Client, int, float], None]
Point = tuple[float, ...]


@cache
def begun(preset: PresetName, objective: str) -> Client:
    strategy = popbo_generation_strategy(num_initial_trials=5, preset=preset)
    client = make_client(strategy, floats(2), objective)
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


def report(client: Client, index: int, *losses: float) -> None:
    """The loss after one, two and more steps."""
    for progression, loss in enumerate(losses):
        client.attach_data(index, {"loss": loss}, progression=progression)


def fail(client: Client, index: int, sign: float) -> None:
    client.mark_trial_failed(index)


def fail_after_a_good_report(client: Client, index: int, sign: float) -> None:
    client.attach_data(index, {"loss": sign * -1000.0})
    client.mark_trial_failed(index)


def abandon(client: Client, index: int, sign: float) -> None:
    client.mark_trial_abandoned(index)


def keep_running(client: Client, index: int, sign: float) -> None:
    """Nothing is known of it yet."""


def report_while_running(client: Client, index: int, sign: float) -> None:
    client.attach_data(index, {"loss": sign * -1000.0})


def report_again_while_running(client: Client, index: int, sign: float) -> None:
    report_while_running(client, index, sign)
    suggest(client)
    client.attach_data(index, {"loss": sign * 1000.0})


def stop_early_when_bad(client: Client, index: int, sign: float) -> None:
    report(client, index, sign * -9.0, sign * -8.0, sign * 7.0)
    client.mark_trial_early_stopped(index)


def stop_early_when_good(client: Client, index: int, sign: float) -> None:
    report(client, index, sign * 9.0, sign * 8.0, sign * -7.0)
    client.mark_trial_early_stopped(index)


def stop_early_without_data(client: Client, index: int, sign: float) -> None:
    client._experiment.trials[index].mark_early_stopped(unsafe=True)


def complete_without_number(client: Client, index: int, sign: float) -> None:
    client.complete_trial(index, {"loss": math.nan})


def complete_infinitely_bad(client: Client, index: int, sign: float) -> None:
    client.complete_trial(index, {"loss": sign * INF})


def measure_again_after_nan(client: Client, index: int, sign: float) -> None:
    complete_without_number(client, index, sign)
    suggest(client)
    client.attach_data(index, {"loss": sign * -1000.0})


def complete_with_nan_of_a_tracking_metric(client: Client, index: int, sign: float) -> None:
    client.configure_tracking_metrics(metric_names=["seconds"])
    client.complete_trial(index, {"loss": sign * -1000.0, "seconds": math.nan})


# Its rank among the six others: best, worst, or none, and then it is pending.
EVENTS: dict[Event, int | None] = {
    fail: 6,
    fail_after_a_good_report: 6,
    abandon: None,
    keep_running: None,
    report_while_running: 0,
    report_again_while_running: 6,
    stop_early_when_bad: 6,
    stop_early_when_good: 0,
    stop_early_without_data: 6,
    complete_without_number: 6,
    complete_infinitely_bad: 6,
    measure_again_after_nan: 0,
    complete_with_nan_of_a_tracking_metric: 0,
}


@pytest.mark.parametrize(
    ("preset", "objective", "sign", "event"),
    [
        *(("default", "-loss", 1.0, event) for event in EVENTS),
        *(("default", "loss", -1.0, event) for event in EVENTS),
        *(("paper", "-loss", 1.0, event) for event in (fail, abandon)),
        ("paper", "loss", -1.0, fail),
    ],
)
def test_what_is_learned_and_never_suggested_again(
    preset: PresetName, objective: str, sign: float, event: Event
) -> None:
    client = started(preset, objective)
    index, point = suggest(client)
    event(client, index, sign)
    suggest(client)
    assert learned_ranks(client).get(point) == EVENTS[event]
    assert len(learned_ranks(client)) == 6 + (EVENTS[event] is not None)
    assert (point in pending_points(client)) == (EVENTS[event] is None)
    assert_never_repeated(client)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_infinitely_good_is_an_error_that_can_be_repaired(sign: float) -> None:
    client = started(objective="-loss" if sign > 0 else "loss")
    index, _ = suggest(client)
    client.complete_trial(index, {"loss": sign * -INF})
    with pytest.raises(InputDataError, match=r"\+inf"):
        suggest(client)
    client.attach_data(index, {"loss": 0.0})
    assert_never_repeated(client)


def test_failures_share_the_last_place() -> None:
    client, failures = started(), []
    for event in (fail, fail_after_a_good_report, complete_without_number, complete_infinitely_bad):
        index, point = suggest(client)
        event(client, index, 1.0)
        failures.append(point)
    suggest(client)
    ranks = learned_ranks(client)
    assert sorted(ranks.values()) == [0, 1, 2, 3, 4, 5, 6, 6, 6, 6]
    assert {point for point, rank in ranks.items() if rank == 6} == set(failures)


def test_the_best_trial_is_never_a_failed_one() -> None:
    client = started()
    for _ in range(2):
        index, _ = suggest(client)
        fail_after_a_good_report(client, index, 1.0)
    best, *_ = client.get_best_parameterization(use_model_predictions=False)
    assert sphere(best) == min(
        sphere(t.arm.parameters)
        for t in client._experiment.trials.values()
        if not t.status.is_failed
    )


def test_the_neighbourhood_of_failures_is_avoided() -> None:
    client = started()
    for _ in range(16):
        index, (x, y) = suggest(client)
        if x > 0.5:  # the program crashes there
            client.mark_trial_failed(index)
        else:
            client.complete_trial(index, {"loss": sphere({"x": x, "y": y})})
    trials = list(client._experiment.trials.values())[6:]
    assert sum(trial.status.is_failed for trial in trials) <= 6
    assert not any(trial.status.is_failed for trial in trials[-5:])


@EACH_PRESET
def test_failures_leave_predictions_in_the_unit_of_the_metric(preset: PresetName) -> None:
    strategy = popbo_generation_strategy(num_initial_trials=6, preset=preset)
    client = make_client(strategy, floats(2), "-loss")
    points = run_trials(client, lambda p: INF if p["x0"] > 0.5 else sphere(p), 12)
    assert generator_keys(client)[6:] == [KEYS[preset]] * 6
    losses = [sphere(p) for p in points if p["x0"] <= 0.5]
    assert len(losses) < 12
    for mean, sem in (p["loss"] for p in client.predict([*points, {"x0": 0.9, "x1": 0.9}])):
        assert min(losses) <= mean <= max(losses)
        assert math.isfinite(sem)


def test_failures_in_a_mixed_space() -> None:
    space = Space(
        [
            ranged("rate", 1e-3, 1.0, log=True),
            choice("kind", ["a", "b", "c"]),
            choice("flag", [True, False]),
            ranged("depth", 1, 9, "int"),
        ],
        lambda p: p["rate"] + p["depth"],
    )
    client = start(space, num_initial=5)
    for trial in range(10):
        [(index, p)] = client.get_next_trials(max_trials=1).items()
        if trial % 3 == 2:
            client.mark_trial_failed(index)
        else:
            client.complete_trial(index, raw_data={"loss": space.loss(p)})
    assert_distinct([trial.arm.parameters for trial in client._experiment.trials.values()])
    assert generator_keys(client)[-3:] == ["popbo-logei"] * 3


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
    for step in range(6):
        index = sorted(running)[(2 * step) % 3]
        client.complete_trial(index, {"loss": sphere(running.pop(index))})
        running |= client.get_next_trials(max_trials=1)
        assert len(running) == 3
    assert_never_repeated(client, 0)
    assert len(client._experiment.trials) == 15


def test_the_model_waits_until_half_of_the_design_has_data() -> None:
    strategy = popbo_generation_strategy(num_initial_trials=6)
    client = make_client(strategy, floats(2), "-loss")
    for index, parameters in client.get_next_trials(max_trials=8).items():
        if index in (1, 4):
            client.complete_trial(index, {"loss": sphere(parameters)})
    client.get_next_trials(max_trials=1)
    client.complete_trial(7, {"loss": 1.0})
    client.get_next_trials(max_trials=1)
    assert generator_keys(client) == ["Sobol"] * 9 + ["popbo-logei"]


def test_an_abandoned_trial_leaves_the_design_one_short() -> None:
    client = started()
    client._experiment.trials[0].mark_abandoned(unsafe=True)
    suggest(client)
    assert generator_keys(client)[-1] == "popbo-logei"
