import math
from itertools import product

import numpy as np
import pytest
import torch
from botorch.utils.sampling import draw_sobol_samples

from botorch_popbo.benchmarks.problems.goals import GOALS, GoalProblem

# The best known objective and where it is, of CEC 2006 and of the three-bar truss.
OPTIMA = {
    "g4": (-30665.5387, (78.0, 33.0, 29.9952560, 45.0, 36.7758129)),
    "g6": (-6961.8139, (14.095, 0.84296079)),
    "g9": (680.6300574, (2.330499, 1.951372, -0.4775414, 4.365726, -0.624487, 1.038131, 1.594227)),
    "truss": (263.8958, (0.788675, 0.408248)),
}


@pytest.mark.parametrize("name", OPTIMA)
def test_the_best_known_point_is_feasible_and_that_good(name: str) -> None:
    best, point = OPTIMA[name]
    (value,), slacks = GOALS[name]().evaluate(point)
    assert value == pytest.approx(best, rel=1e-4)
    # To the digits in which the point is published.
    assert min(slacks) > -2e-3


@pytest.mark.parametrize("name", GOALS)
def test_a_problem_has_what_its_shape_says(name: str) -> None:
    problem = GOALS[name]()
    ends = torch.tensor(problem.bounds, dtype=torch.float64).T
    points = draw_sobol_samples(ends, n=8, q=1, seed=1).squeeze(1).tolist()
    found = [problem.evaluate(point) for point in points]
    assert {(len(values), len(slacks)) for values, slacks in found} == {problem.shape}
    assert np.isfinite([value for pair in found for part in pair for value in part]).all()


def test_a_hypervolume_is_the_share_of_a_grid_that_is_dominated() -> None:
    problem = GOALS["branin-currin"]()
    reference = problem.reference.tolist()
    shares = [(0.2, 0.7), (0.5, 0.5), (0.6, 0.6), (0.9, 0.1), (1.1, 0.0)]
    found = [([a * reference[0], b * reference[1]], [1.0]) for a, b in shares]
    grid = (np.arange(1000) + 0.5) / 1000
    dominated = np.zeros((1000, 1000), dtype=bool)
    for a, b in shares:
        dominated |= (grid[:, None] >= a) & (grid >= b)
    volume = dominated.mean() * reference[0] * reference[1]
    assert -problem.loss(found) == pytest.approx(volume, rel=2e-3)
    assert -problem.loss([*found, ([0.0, 0.0], [-0.1])]) == pytest.approx(volume, rel=2e-3)
    assert math.isnan(problem.loss(found[-1:]))


def test_of_one_objective_the_least_feasible_one_counts() -> None:
    problem = GoalProblem([(0.0, 1.0)], lambda point: ([point[0]], [point[0] - 0.5]))
    assert problem.shape == (1, 1)
    told = [problem.evaluate([x]) for x in (0.9, 0.4, 0.6)]
    assert problem.loss(told) == 0.6
    assert math.isnan(problem.loss(told[1:2]))


def test_the_reference_is_beyond_all_feasible_points() -> None:
    problem = GOALS["bnh"]()
    grid = product(*(np.linspace(low, high, 40) for low, high in problem.bounds))
    feasible = [v for v, slacks in map(problem.evaluate, grid) if min(slacks) >= 0.0]
    assert (np.max(feasible, axis=0) < problem.reference.numpy()).all()
