"""Everything that outcomes may be: several metrics, constraints, errors, replicates."""

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch
from ax.api.client import Client
from ax.exceptions.core import UserInputError
from botorch.test_functions.multi_objective import BraninCurrin
from botorch.utils.multi_objective.hypervolume import Hypervolume
from helpers.ranking import as_dict, tensor
from helpers.search_spaces import KEYS
from helpers.service_loop import (
    Parameterization,
    floats,
    generator_keys,
    last_acquisition,
    learned_ranks,
    pending_points,
    popbo_client,
    run_trials,
)

from botorch_popbo.ax import best_point
from botorch_popbo.ax.generator_spec import PresetName, RankAcquisitionName
from botorch_popbo.data import from_outcomes

PROBLEM = BraninCurrin().double()
THRESHOLDS = ["branin <= 18", "currin <= 6"]

Outcomes = dict[str, float | tuple[float, float]]
Evaluate = Callable[[Parameterization], Outcomes]
Goal = tuple[str, list[str]]


def loss(p: Parameterization) -> float:
    return float((p["x0"] - 0.2) ** 2 + (p["x1"] - 0.2) ** 2)


def cost(p: Parameterization) -> float:
    return 2.0 - float(p["x0"] + p["x1"])  # at most 1 beyond the diagonal, where the loss is larger


def measure(p: Parameterization) -> Outcomes:
    return {"loss": loss(p), "cost": cost(p)}


def measure_gain(p: Parameterization) -> Outcomes:
    return {"loss": loss(p), "gain": p["x0"]}


def branin_currin(p: Parameterization) -> Outcomes:
    X = torch.tensor([[p["x0"], p["x1"]]], dtype=torch.double)
    return dict(zip(("branin", "currin"), PROBLEM.evaluate_true(X)[0].tolist(), strict=True))


def changed(metric: str, change: Callable[[Any], float]) -> Evaluate:
    """Both functions, one of them in another unit."""

    def evaluate(p: Parameterization) -> Outcomes:
        outcomes = branin_currin(p)
        return outcomes | {metric: change(outcomes[metric])}

    return evaluate


def start(
    objective: str = "-loss", constraints: Sequence[str] = (), num_initial: int = 4, **options: Any
) -> Client:
    return popbo_client(floats(2), num_initial, objective, constraints, **options)


def run(client: Client, num_trials: int, evaluate: Evaluate = measure) -> list[Parameterization]:
    return run_trials(client, evaluate, num_trials)


@pytest.mark.parametrize(
    ("preset", "thresholds"), [("default", []), ("default", THRESHOLDS), ("paper", THRESHOLDS)]
)
def test_the_pareto_front_grows(preset: PresetName, thresholds: list[str]) -> None:
    client = start("-branin, -currin", thresholds, 8, preset=preset)
    points = run(client, 14, branin_currin)
    found = -torch.tensor([[*branin_currin(p).values()] for p in points]).double()
    volume = Hypervolume(torch.tensor([-18.0, -6.0]).double()).compute
    assert volume(found[:8]) < 0.2 * volume(found)
    assert generator_keys(client)[8:] == [KEYS[preset]] * 6
    front = client.get_pareto_frontier(use_model_predictions=False)
    assert {tuple(p.values()) for p, *_ in front} <= {tuple(p.values()) for p in points}
    assert all(set(p) == {"branin", "currin"} for p in client.predict(points[:3]))


def test_of_several_objectives_any_may_fail_or_be_missing() -> None:
    client = start("-branin, -currin", ["currin <= 13"], 6)
    points = run(client, 7, branin_currin)
    for bad in ({"currin": math.nan}, {"branin": math.inf}):
        points += run(client, 1, lambda p, bad=bad: branin_currin(p) | bad)
    points += run(client, 1, lambda p: {"branin": branin_currin(p)["branin"]})
    points += map(dict, client.get_next_trials(max_trials=2).values())
    assert len({tuple(p.values()) for p in points}) == 12
    ranks = learned_ranks(client)
    assert {tuple(p.values()) for p in points[7:9]} == {p for p in ranks if ranks[p] == 7.0}
    assert tuple(points[9].values()) not in ranks
    assert tuple(points[9].values()) in pending_points(client)
    assert generator_keys(client)[6:] == ["popbo-logei"] * 6


def test_the_best_trial_is_feasible_and_near_the_constrained_optimum() -> None:
    client = start("-loss", ["cost <= 1.0"], 6)
    points = run(client, 14)
    best, *_ = client.get_best_parameterization(use_model_predictions=False)
    assert loss(best) == min(loss(p) for p in points if cost(p) <= 1.0)
    assert loss(best) < 0.18 + 0.05  # the optimum is (0.5, 0.5)
    assert generator_keys(client)[6:] == [KEYS["default"]] * 8
    best, *_ = client.get_best_parameterization(use_model_predictions=True)
    assert cost(best) <= 1.0


def test_what_is_relative_is_so_to_the_baseline_as_measured() -> None:
    client = start("-loss", ["speed >= 0.9 * baseline"], 6)

    def measured(p: Parameterization) -> Outcomes:
        return {"loss": loss(p), "speed": 1.0 - 0.5 * float(p["x0"] + p["x1"])}

    baseline = {"x0": 0.0, "x1": 0.0}  # the fastest: its prediction is slower
    client.complete_trial(client.attach_baseline(baseline), measured(baseline))
    run(client, 9, measured)
    assert measured(best_point(client).parameters)["speed"] >= 0.9  # type: ignore[operator]


def test_a_constraint_on_a_sum_is_refused() -> None:
    client = start("-loss", ["cost + 0.5 * weight <= 1.0"], 3)
    run(client, 3, lambda p: {**measure(p), "weight": 1.0})
    with pytest.raises(UserInputError, match=r"several metrics.*metric of its own"):
        client.get_next_trials(max_trials=1)


TWO, ONE = "-branin, -currin", "-loss"


SAME: dict[str, tuple[tuple[Goal, Evaluate], tuple[Goal, Evaluate]]] = {
    "directions of objectives and thresholds": (
        ((TWO, THRESHOLDS), branin_currin),
        (("branin, -currin", ["branin >= -18", THRESHOLDS[1]]), changed("branin", lambda y: -y)),
    ),
    "increasing transforms of an objective and its threshold": (
        ((TWO, THRESHOLDS), branin_currin),
        ((TWO, ["branin <= 5832", THRESHOLDS[1]]), changed("branin", lambda y: y**3)),
    ),
    "directions of objective and constraint": (
        ((ONE, ["cost <= 1.0"]), measure),
        (("loss", ["-1 * cost >= -1.0"]), lambda p: {"loss": -loss(p), "cost": cost(p)}),
    ),
    "a bound is where it is, whatever zero means": (
        ((ONE, ["gain >= 0.5"]), measure_gain),
        ((ONE, ["gain >= -9.5"]), lambda p: {"loss": loss(p), "gain": p["x0"] - 10.0}),
    ),
    "a weighted sum is one objective": (
        ((ONE, []), lambda p: {"loss": 2.0 * loss(p) - p["x0"]}),
        (("-2 * loss + gain", []), measure_gain),
    ),
    "standard errors of zero are exact outcomes": (
        ((ONE, []), measure),
        ((ONE, []), lambda p: {"loss": (loss(p), 0.0)}),
    ),
}


@pytest.mark.parametrize("name", SAME)
def test_what_means_the_same_suggests_the_same(name: str) -> None:
    options = {"order_only": name.startswith("increasing")}  # else distances count, too
    first, second = (run(start(*goal, **options), 6, evaluate) for goal, evaluate in SAME[name])
    assert first == [pytest.approx(point, abs=1e-4) for point in second]


def test_a_changed_objective_is_searched_from_then_on() -> None:
    client = start()
    run(client, 5, measure_gain)
    client.configure_optimization(objective="gain")
    assert max(p["x0"] for p in run(client, 6, measure_gain)) > 0.95
    assert generator_keys(client)[5:] == ["popbo-logei"] * 6


def test_constraints_without_a_number_are_failures_and_missing_ones_are_unknown() -> None:
    client = start("-loss", ["cost <= 1.0"], 6)
    points = run(client, 7)
    for bad in (math.nan, math.inf, -math.inf):
        points += run(client, 1, lambda p, bad=bad: {"loss": loss(p), "cost": bad})
    points += run(client, 1, lambda p: {"loss": loss(p)})
    points += client.get_next_trials(max_trials=1).values()
    ranks = learned_ranks(client)
    assert len({tuple(p.values()) for p in points}) == 12
    assert sorted(ranks.values())[7:] == [7.0, 8.0, 8.0, 8.0]
    assert {tuple(p.values()) for p in points[7:10]} == {p for p in ranks if ranks[p] == 8.0}
    assert tuple(points[10].values()) in ranks
    assert generator_keys(client)[6:] == ["popbo-logei"] * 6


@pytest.mark.parametrize(("acquisition", "number"), [("logei", 16), ("eri", 9)])
def test_constraints_that_are_measured_in_turn_are_learned_from_what_there_is(
    acquisition: RankAcquisitionName, number: int
) -> None:
    client = start("-loss", ["cost <= 1.0", "gain >= 0.6"], 6, acquisition=acquisition)
    turns = itertools.cycle([("loss", "cost"), ("loss", "gain"), ("cost", "gain", "loss")])

    def measured(p: Parameterization) -> Outcomes:
        everything = measure(p) | measure_gain(p)
        return {name: everything[name] for name in next(turns)}

    points = run(client, number, measured)
    assert generator_keys(client)[6:] == [f"popbo-{acquisition}"] * (number - 6)
    acquisition_function = last_acquisition(client)
    if acquisition == "eri":  # one order, of what can be compared
        assert len(learned_ranks(client)) == 2
        return
    assert len(learned_ranks(client)) == 15
    cost_model, gain_model = acquisition_function.models[1]
    assert len(cost_model.known_X) == len(gain_model.known_X) == 10
    feasible = [p for p in points if cost(p) <= 1.0 and p["x0"] >= 0.6]
    assert min(map(loss, feasible)) < 0.2 + 0.02  # the optimum is (0.6, 0.4)
    best = best_point(client).parameters
    assert cost(best) <= 1.0
    assert best["x0"] >= 0.6


def test_a_trial_without_its_objective_teaches_the_constraint_and_is_not_repeated() -> None:
    client = start("-loss", ["cost <= 1.0"], 6)
    points = run(client, 8)
    points += run(client, 3, lambda p: {"cost": cost(p)})
    points += map(dict, client.get_next_trials(max_trials=1).values())
    assert len({tuple(p.values()) for p in points}) == 12
    assert len(learned_ranks(client)) == 8
    assert sorted(pending_points(client)) == sorted(tuple(p.values()) for p in points[8:11])
    [slack] = last_acquisition(client).models[1]
    assert len(slack.known_X) == 11


@pytest.mark.parametrize(
    ("preset", "sems"),
    [
        ("default", [0.1, 0.2, 0.01, 0.3, 0.1, 0.2]),
        ("default", [0.1, None, 0.3, None, 0.1, None]),
        ("paper", [0.1, None, 0.3, None, 0.1, None]),
    ],
)
def test_standard_errors_become_expected_ranks(
    preset: PresetName, sems: list[float | None]
) -> None:
    client, given = start(preset=preset), iter(sems)

    def evaluate(p: Parameterization) -> Outcomes:
        sem = next(given)
        return {"loss": loss(p) if sem is None else (loss(p), sem)}

    points = run(client, 6, evaluate)
    client.get_next_trials(max_trials=1)
    X = tensor([[*p.values()] for p in points])
    Y, variances = ([-loss(p) for p in points], [math.nan if s is None else s**2 for s in sems])
    assert learned_ranks(client) == pytest.approx(
        as_dict(from_outcomes(X, tensor(Y), tensor(variances)))
    )
    assert client.predict([{"x0": 0.5, "x1": 0.5}])[0]["loss"][1] > 0.0
    assert generator_keys(client)[4:] == [KEYS[preset]] * 3
