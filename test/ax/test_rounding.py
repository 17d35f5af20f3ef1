import random

import numpy as np
from ax.core.observation import ObservationFeatures
from helpers.search_spaces import Space, choice, ranged, start
from helpers.service_loop import run_trials

from botorch_popbo.ax._rounding import ReproducibleIntToFloat

SPACE = Space(
    [ranged("m", 0, 20, "int"), ranged("n", 0, 20, "int")],
    lambda p: float(p["m"] - p["n"]),
    ("m + n <= 15",),
)


def test_the_design_depends_on_its_seed_alone() -> None:
    runs = []
    for seed, python_seed in ((0, 1), (0, 2), (1, 1)):
        random.seed(python_seed)
        state = random.getstate()
        runs.append(run_trials(start(SPACE, seed=seed), SPACE.loss, 6))
        assert random.getstate() == state
    assert runs[0] == runs[1] != runs[2]


def test_points_are_rounded_both_up_and_down() -> None:
    client = start(SPACE)
    run_trials(client, SPACE.loss, 1)
    transform = ReproducibleIntToFloat(search_space=client._experiment.search_space)
    rounded = [
        transform.untransform_observation_features(
            [ObservationFeatures(parameters={"m": 4.5 + i / 1000, "n": 3.5})]
        )[0].parameters
        for i in range(-40, 40)
    ]
    assert {p["m"] for p in rounded} == {4, 5}
    assert {p["n"] for p in rounded} == {3, 4}


def test_a_design_with_categories_leaves_the_global_state_of_numpy() -> None:
    space = Space([choice("kind", ["a", "b", "c"]), ranged("x", 0.0, 1.0)], lambda p: p["x"])
    runs = []
    for numpy_seed in (1, 2):
        np.random.seed(numpy_seed)  # noqa: NPY002 - the state to leave alone
        before = np.random.get_state()[1:]  # noqa: NPY002
        runs.append(run_trials(start(space), space.loss, 5))
        after = np.random.get_state()[1:]  # noqa: NPY002
        assert str(after) == str(before)
    assert runs[0] == runs[1]
    assert {point["kind"] for point in runs[0]} == {"a", "b", "c"}
