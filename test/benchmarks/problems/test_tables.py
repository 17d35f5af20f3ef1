from pathlib import Path

import numpy as np
import pytest

from botorch_popbo.benchmarks.problems import PROBLEMS, Problem
from botorch_popbo.benchmarks.settings import Parameters


def configuration(problem: Problem, index: np.ndarray) -> Parameters:
    own = zip(problem.space.parameters.items(), index, strict=True)
    return {name: p.choices[i] for (name, p), i in own if p.choices is not None}


@pytest.mark.parametrize(
    ("name", "file", "array"),
    [
        ("fcnet-slice", "fcnet_valid.npz", "slice_localization_valid_mse"),
        ("nasbench201", "nasbench201.npz", "cifar10_valid_ep12"),
    ],
)
def test_every_row_of_a_table_is_found(tables: Path, name: str, file: str, array: str) -> None:
    problem = PROBLEMS[name].load(tables)
    with np.load(tables / file) as archive:
        index, values = archive["X_index"], archive[array].astype(np.float64)
    means = values if values.ndim == 1 else values.mean(axis=1)
    for row, mean in zip(index, means, strict=True):
        assert problem.score(configuration(problem, row)) == mean
    assert problem.optimal_value == (means.min() if problem.minimize else means.max())


def test_numbers_are_ordered_and_names_are_not(tables: Path) -> None:
    own = PROBLEMS["fcnet-slice"].load(tables).space.parameters.values()
    kinds = [(type(p.choices[0]), p.is_ordered) for p in own if p.choices]
    name, whole, real = (str, False), (int, True), (float, True)
    assert kinds == [name, name, whole, real, real, real, name, whole, whole]
    assert not PROBLEMS["nasbench201"].load(tables).minimize


@pytest.mark.parametrize(
    ("name", "file", "array", "count"),
    [
        ("mlp-breast-cancer", "mlp.npz", "breast_cancer_error", 8),
        ("convolution-w6600", "convolution.npz", "W6600_milliseconds", 32),
    ],
)
def test_a_table_of_replicates_is_drawn_from_and_scored_by_the_mean(
    tables: Path, name: str, file: str, array: str, count: int
) -> None:
    problem = PROBLEMS[name].load(tables)
    with np.load(tables / file) as archive:
        index, values = archive["X_index"], archive[array].astype(np.float64)
    for row in (0, 5, 30):
        point = configuration(problem, index[row])
        seen = {problem.evaluate(point, seed) for seed in range(20 * count)}
        assert seen == set(values[row])
        assert problem.score(point) == values[row].mean()
    assert problem.noisy
    assert problem.minimize
    assert problem.optimal_value == values.mean(axis=1).min()
    assert all(p.is_ordered for p in problem.space.parameters.values())
