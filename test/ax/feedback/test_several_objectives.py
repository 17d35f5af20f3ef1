import pytest
import torch
from ax.api.client import Client
from ax.exceptions.core import UserInputError
from botorch.test_functions.multi_objective import BraninCurrin
from botorch.utils.multi_objective.hypervolume import Hypervolume
from helpers.service_loop import (
    Parameterization,
    floats,
    generator_keys,
    make_client,
    run_trials,
    sphere,
)
from torch import Tensor

from botorch_popbo.ax import popbo_generation_strategy
from botorch_popbo.presets import PresetName

PROBLEM = BraninCurrin().double()
WORST = torch.tensor([-18.0, -6.0], dtype=torch.double)


def outcomes(p: Parameterization) -> Tensor:
    return PROBLEM.evaluate_true(torch.tensor([[p["x0"], p["x1"]]], dtype=torch.double))[0]


def run(
    objective: str, thresholds: list[str], num_trials: int, preset: PresetName = "default"
) -> tuple[Client, list[Parameterization]]:
    client = Client()
    client.configure_experiment(parameters=floats(2))
    client.configure_optimization(objective=objective, outcome_constraints=thresholds)
    client.set_generation_strategy(popbo_generation_strategy(num_initial_trials=8, preset=preset))
    signs = [1.0 if f"-{name}" in objective else -1.0 for name in ("branin", "currin")]
    points = []
    for _ in range(num_trials):
        for index, p in client.get_next_trials(max_trials=1).items():
            branin, currin = (s * y for s, y in zip(signs, outcomes(p).tolist(), strict=True))
            client.complete_trial(index, {"branin": branin, "currin": currin})
            points.append(dict(p))
    return client, points


def hypervolume(points: list[Parameterization]) -> float:
    return float(Hypervolume(WORST).compute(-torch.stack([outcomes(p) for p in points])))


@pytest.mark.parametrize(
    ("preset", "thresholds"),
    [
        ("default", []),
        ("default", ["branin <= 18", "currin <= 6"]),
        ("paper", ["branin <= 18", "currin <= 6"]),
    ],
)
def test_the_pareto_front_grows(preset: PresetName, thresholds: list[str]) -> None:
    client, points = run("-branin, -currin", thresholds, 26, preset)
    assert hypervolume(points[:8]) < 0.2 * hypervolume(points)
    key = "popbo-logei" if preset == "default" else "popbo-eri"
    assert generator_keys(client)[8:] == [key] * 18
    front = client.get_pareto_frontier(use_model_predictions=False)
    assert {tuple(p.values()) for p, *_ in front} <= {tuple(p.values()) for p in points}
    predicted = client.predict(points[:3])
    assert all(set(prediction) == {"branin", "currin"} for prediction in predicted)


def test_directions_of_objectives_and_thresholds_mirror() -> None:
    _, minimised = run("-branin, -currin", ["branin <= 18", "currin <= 6"], 12)
    _, mixed = run("branin, -currin", ["branin >= -18", "currin <= 6"], 12)
    assert minimised == mixed


def test_a_weighted_sum_is_one_objective() -> None:
    single = make_client(popbo_generation_strategy(num_initial_trials=4), floats(2), "-loss")
    summed = make_client(
        popbo_generation_strategy(num_initial_trials=4), floats(2), "-2 * loss + gain"
    )
    expected = run_trials(single, lambda p: 2.0 * sphere(p) - p["x0"], 8)
    points = []
    for _ in range(8):
        for index, p in summed.get_next_trials(max_trials=1).items():
            summed.complete_trial(index, {"loss": sphere(p), "gain": p["x0"]})
            points.append(dict(p))
    assert points == expected
    assert set(summed.predict(points[:1])[0]) == {"loss", "gain"}


def test_a_changed_objective_says_how_to_go_on() -> None:
    client = make_client(popbo_generation_strategy(num_initial_trials=4), floats(2), "-loss")
    for _ in range(5):
        for index, p in client.get_next_trials(max_trials=1).items():
            client.complete_trial(index, {"loss": sphere(p), "gain": p["x0"]})
    client.configure_optimization(objective="gain")
    with pytest.raises(UserInputError, match="Set a strategy anew"):
        client.get_next_trials(max_trials=1)
    client.set_generation_strategy(popbo_generation_strategy(num_initial_trials=4))
    best = 0.0
    for _ in range(6):
        for index, p in client.get_next_trials(max_trials=1).items():
            client.complete_trial(index, {"loss": sphere(p), "gain": p["x0"]})
            best = max(best, p["x0"])
    assert generator_keys(client)[5:] == ["popbo-logei"] * 6
    assert best > 0.95
