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

from botorch_popbo.presets import PresetName

SIZES = [8, 16, 32, 64, 128, 256, 512, 1024, 2048]
SPACE = Space(
    [
        choice("size", SIZES, is_ordered=True),
        choice("momentum", [0.0, 0.5, 0.9, 0.99], is_ordered=True),
        choice("grade", ["low", "mid", "high"], is_ordered=True),
    ],
    lambda p: (
        abs(SIZES.index(p["size"]) - 5)
        + (p["momentum"] - 0.9) ** 2
        + {"low": 2, "mid": 0, "high": 1}[p["grade"]]
    ),
)


def ladder(values: list[int], is_ordered: bool) -> Space:
    """One choice whose loss falls to its sixth value and rises after it."""
    return Space(
        [choice("size", values, is_ordered)], lambda p: float((values.index(p["size"]) - 5) ** 2)
    )


def predictions_between(space: Space, values: list[int]) -> list[float]:
    """Predictions of every second value from observations of the others."""
    client = start(space, num_initial=5)
    observe(client, space, [{"size": value} for value in values[::2]])
    return predicted_losses(client, [{"size": value} for value in values[1::2]])


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_contract(preset: PresetName) -> None:
    check_space(SPACE, preset)


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_batches(preset: PresetName) -> None:
    check_batches(SPACE, preset)


def test_values_between_observed_ones_are_interpolated() -> None:
    predicted = predictions_between(ladder(SIZES, is_ordered=True), SIZES)
    assert min(predicted) == predicted[2]
    assert predicted[0] > predicted[1] > predicted[2] < predicted[3] < predicted[0]


def test_order_counts_and_not_the_distance_between_values() -> None:
    whole_numbers = list(range(9))
    assert predictions_between(ladder(SIZES, is_ordered=True), SIZES) == pytest.approx(
        predictions_between(ladder(whole_numbers, is_ordered=True), whole_numbers)
    )


def test_unordered_values_are_not_interpolated() -> None:
    predicted = predictions_between(ladder(SIZES, is_ordered=False), SIZES)
    assert predicted == pytest.approx([predicted[0]] * 4)
