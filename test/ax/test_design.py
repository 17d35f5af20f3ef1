import random

import numpy as np
import pytest
from helpers.search_spaces import Space, assert_distinct, choice, ranged, start
from helpers.service_loop import floats, generator_keys, run_trials

SIX = Space([ranged("x0", 1, 3, "int"), ranged("x1", 1, 2, "int")], lambda p: 0.0)
NARROW = Space(floats(3), lambda p: 0.0, ("x0 + x1 + x2 <= 0.002",))
MIXED = Space(
    [ranged("m", 0, 20, "int"), ranged("n", 0, 20, "int"), choice("kind", ["a", "b", "c"])],
    lambda p: float(p["m"] - p["n"]),
    ("m + n <= 15",),
)


@pytest.mark.parametrize(
    ("space", "design", "batch"), [(SIX, "sobol", 2), (SIX, "uniform", 2), (NARROW, "sobol", 1)]
)
def test_no_failed_point_is_drawn_again(space: Space, design: str, batch: int) -> None:
    client, points = start(space, num_initial=12, initial_design=design), []
    for _ in range(3):
        for index, point in client.get_next_trials(batch).items():
            client.mark_trial_failed(index)
            points.append(point)
    assert_distinct(points)
    assert generator_keys(client) == [design.capitalize()] * 3 * batch


@pytest.mark.parametrize("design", ["sobol", "uniform"])
def test_the_design_depends_on_its_seed_alone(design: str) -> None:
    runs = []
    for seed, global_seed in ((0, 1), (0, 2), (1, 1)):
        random.seed(global_seed)
        np.random.seed(global_seed)  # noqa: NPY002 - the state to leave alone
        before = f"{random.getstate()} {np.random.get_state()}"  # noqa: NPY002
        runs.append(run_trials(start(MIXED, seed=seed, initial_design=design), MIXED.loss, 6))
        assert f"{random.getstate()} {np.random.get_state()}" == before  # noqa: NPY002
    assert runs[0] == runs[1] != runs[2]
    assert {point["kind"] for point in runs[0]} == {"a", "b", "c"}
