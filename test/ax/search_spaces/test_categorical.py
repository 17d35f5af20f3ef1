import pytest
from helpers.search_spaces import Space, check_batches, check_space, choice, start
from helpers.service_loop import run_trials

from botorch_popbo.presets import PresetName

# As large as the cells of NAS-Bench-201: 5 ** 6 = 15,625 configurations.
OPERATIONS = ["none", "skip", "pool", "conv1", "conv3"]
BEST = {f"edge{i}": OPERATIONS[(2 * i + 1) % 5] for i in range(6)}
SPACE = Space(
    [choice(name, OPERATIONS) for name in BEST],
    lambda p: float(
        sum((i + 1) * (p[name] != best) for i, (name, best) in enumerate(BEST.items()))
    ),
)


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_contract(preset: PresetName) -> None:
    check_space(SPACE, preset, num_initial=12, num_model=10)


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_batches(preset: PresetName) -> None:
    check_batches(SPACE, preset)


def test_best_of_all_configurations_is_found() -> None:
    points = run_trials(start(SPACE, num_initial=12), SPACE.loss, 40)
    assert min(map(SPACE.loss, points)) == 0.0
