import pytest
from helpers.search_spaces import (
    Space,
    check_batches,
    check_seed,
    check_suggestions,
    choice,
    ranged,
    start,
)
from helpers.service_loop import run_trials

from botorch_popbo.presets import PresetName

FLOATS = Space(
    [ranged(f"x{i}", 0.0, 1.0) for i in range(50)],
    lambda p: sum((x - 0.3) ** 2 for x in p.values()),
)
MIXED = Space(
    [
        *(ranged(f"x{i}", 0.0, 1.0) for i in range(30)),
        *(ranged(f"n{i}", 1, 9, "int") for i in range(10)),
        *(choice(f"c{i}", ["a", "b", "c"]) for i in range(10)),
    ],
    lambda p: (
        sum((p[f"x{i}"] - 0.3) ** 2 for i in range(30))
        + sum((p[f"n{i}"] - 3) ** 2 / 64 for i in range(10))
        + sum(p[f"c{i}"] != "b" for i in range(10))
    ),
)
SPACES = {"floats": FLOATS, "mixed": MIXED}
EACH_SPACE = pytest.mark.parametrize("name", SPACES)


@EACH_SPACE
@pytest.mark.parametrize("preset", ["default", "paper"])
def test_contract(name: str, preset: PresetName) -> None:
    points = check_suggestions(SPACES[name], preset, num_initial=6, num_model=3)
    check_seed(SPACES[name], preset, points, num_initial=6)


def test_suggestions_beat_the_initial_design() -> None:
    losses = list(map(FLOATS.loss, run_trials(start(FLOATS), FLOATS.loss, 26)))
    assert min(losses[6:]) < min(losses[:6])


@EACH_SPACE
def test_batches(name: str) -> None:
    check_batches(SPACES[name])
