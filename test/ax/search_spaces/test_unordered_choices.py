import pytest
from helpers.search_spaces import (
    Space,
    check_batches,
    check_space,
    choice,
    observe,
    predicted_losses,
    start,
)
from helpers.service_loop import Parameterization

from botorch_popbo.presets import PresetName

KERNELS = ["rbf", "matern", "linear", "cosine", "periodic"]
COSTS = {"rbf": 3.0, "matern": 1.0, "linear": 4.0, "cosine": 0.0, "periodic": 2.0}


def loss(p: Parameterization) -> float:
    return COSTS[p["kernel"]] + {-1.5: 1, 0.0: 2, 7.0: 0}[p["shift"]] + (p["code"] != 200)


def space(kernels: list[str]) -> Space:
    return Space(
        [
            choice("kernel", kernels),
            choice("shift", [7.0, -1.5, 0.0], is_ordered=False),
            choice("code", [500, 200, 404], is_ordered=False),
        ],
        loss,
    )


SPACE = space(KERNELS)


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_contract(preset: PresetName) -> None:
    check_space(SPACE, preset)


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_batches(preset: PresetName) -> None:
    check_batches(SPACE, preset)


def test_order_of_unordered_values_does_not_matter() -> None:
    points: list[Parameterization] = [
        {"kernel": kernel, "shift": shift, "code": code}
        for kernel in KERNELS
        for shift in (7.0, 0.0, -1.5)
        for code in (200, 404)
    ]
    predictions = []
    for kernels in (KERNELS, KERNELS[::-1], sorted(KERNELS)):
        shuffled = space(kernels)
        client = start(shuffled, num_initial=6)
        observe(client, shuffled, points[::5])
        predictions.append(predicted_losses(client, points))
    assert predictions[1] == pytest.approx(predictions[0])
    assert predictions[2] == pytest.approx(predictions[0])
