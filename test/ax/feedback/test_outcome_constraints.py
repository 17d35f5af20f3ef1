import math

import pytest
from ax.api.client import Client
from helpers.service_loop import Parameterization, floats, generator_keys

from botorch_popbo.ax import popbo_generation_strategy
from botorch_popbo.presets import PresetName


def loss(p: Parameterization) -> float:
    return float((p["x0"] - 0.2) ** 2 + (p["x1"] - 0.2) ** 2)


def cost(p: Parameterization) -> float:
    return 2.0 - float(p["x0"] + p["x1"])  # at most 1 beyond the diagonal, where the loss is larger


def run(
    objective: str, constraint: str, num_trials: int, preset: PresetName = "default"
) -> tuple[Client, list[Parameterization]]:
    client = Client()
    client.configure_experiment(parameters=floats(2))
    client.configure_optimization(objective=objective, outcome_constraints=[constraint])
    client.set_generation_strategy(popbo_generation_strategy(num_initial_trials=6, preset=preset))
    sign = 1.0 if objective.startswith("-") else -1.0
    points = []
    for _ in range(num_trials):
        for index, p in client.get_next_trials(max_trials=1).items():
            client.complete_trial(index, {"loss": sign * loss(p), "cost": cost(p)})
            points.append(dict(p))
    return client, points


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_the_best_trial_is_feasible_and_near_the_constrained_optimum(preset: PresetName) -> None:
    num_trials = 24 if preset == "default" else 14
    client, points = run("-loss", "cost <= 1.0", num_trials, preset)
    best, *_ = client.get_best_parameterization(use_model_predictions=False)
    assert cost(best) <= 1.0
    assert loss(best) == min(loss(p) for p in points if cost(p) <= 1.0)
    assert loss(best) < 0.18 + 0.05  # the optimum is (0.5, 0.5)
    key = "popbo-logei" if preset == "default" else "popbo-eri"
    assert generator_keys(client)[6:] == [key] * (num_trials - 6)


def test_directions_of_objective_and_constraint_mirror() -> None:
    _, minimised = run("-loss", "cost <= 1.0", 12)
    _, maximised = run("loss", "-1 * cost >= -1.0", 12)
    assert minimised == maximised


def test_every_metric_is_predicted_in_its_own_unit() -> None:
    client, points = run("-loss", "cost <= 1.0", 16)
    predicted = client.predict(points)
    for metric, truth in (("loss", loss), ("cost", cost)):
        observed = [truth(p) for p in points]
        means = [prediction[metric][0] for prediction in predicted]
        assert min(observed) <= min(means)
        assert max(means) <= max(observed)
    best, *_ = client.get_best_parameterization(use_model_predictions=True)
    assert cost(best) <= 1.0


def test_without_a_feasible_trial_the_violation_falls() -> None:
    _, points = run("-loss", "cost <= 0.01", 16)
    assert all(cost(p) > 0.01 for p in points[:6])
    assert min(cost(p) for p in points) < 0.3 * min(cost(p) for p in points[:6])


def test_constraints_without_a_number_are_failures_and_missing_ones_are_left_out() -> None:
    client, _ = run("-loss", "cost <= 1.0", 7)
    suggested = []
    for bad in (math.nan, math.inf, -math.inf):
        [(index, p)] = client.get_next_trials(max_trials=1).items()
        client.complete_trial(index, {"loss": loss(p), "cost": bad})
        suggested.append(p)
    [(index, p)] = client.get_next_trials(max_trials=1).items()
    client.complete_trial(index, {"loss": loss(p)})
    suggested.append(p)
    [(_, p)] = client.get_next_trials(max_trials=1).items()
    suggested.append(p)
    assert len({tuple(p.values()) for p in suggested}) == 5
    goal = client._generation_strategy._curr.generator_spec_to_gen_from.fitted_adapter
    counts = goal.generator._acquisition._model.rank_counts
    assert len(counts) == 10
    assert sorted(counts.counts.tolist())[-3:] == [7.0] * 3
    assert generator_keys(client)[6:] == ["popbo-logei"] * 6


def test_a_constraint_relative_to_the_baseline() -> None:
    client = Client()
    client.configure_experiment(parameters=floats(2))
    client.configure_optimization(objective="-loss", outcome_constraints=["cost <= 0.5 * baseline"])
    client.set_generation_strategy(popbo_generation_strategy(num_initial_trials=6))
    baseline = {"x0": 0.05, "x1": 0.05}
    index = client.attach_baseline(baseline)
    client.complete_trial(index, {"loss": loss(baseline), "cost": cost(baseline)})
    for _ in range(16):
        for index, p in client.get_next_trials(max_trials=1).items():
            client.complete_trial(index, {"loss": loss(p), "cost": cost(p)})
    best, *_ = client.get_best_parameterization(use_model_predictions=False)
    assert cost(best) <= 0.5 * cost(baseline)
    assert generator_keys(client)[6:] == ["popbo-logei"] * 11
