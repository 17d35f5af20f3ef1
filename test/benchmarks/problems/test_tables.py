from pathlib import Path

import numpy as np
import pytest

from botorch_popbo.benchmarks.problems import PROBLEMS


@pytest.mark.parametrize(
    ("name", "file", "array"),
    [
        ("fcnet-slice", "fcnet_valid", "slice_localization_valid_mse"),
        ("nasbench201", "nasbench201", "cifar10_valid_ep12"),
        ("mlp-breast-cancer", "mlp", "breast_cancer_error"),
        ("convolution-w6600", "convolution", "W6600_milliseconds"),
    ],
)
def test_every_row_is_found_and_scored_by_the_mean(
    tables: Path, name: str, file: str, array: str
) -> None:
    problem = PROBLEMS[name].load(tables)
    parameters = problem.space.parameters.items()
    with np.load(tables / f"{file}.npz") as archive:
        values = archive[array].astype(np.float64)
        rows = [
            {key: p.choices[i] for (key, p), i in zip(parameters, index, strict=True) if p.choices}
            for index in archive["X_index"]
        ]
    means = values if values.ndim == 1 else values.mean(axis=1)
    assert [problem.score(row) for row in rows] == means.tolist()
    assert problem.minimize == (name != "nasbench201")
    assert problem.optimal_value == (means.min() if problem.minimize else means.max())
    assert problem.noisy == (name not in ("fcnet-slice", "nasbench201"))
    for row in (0, 5, 30):
        several = set(values[row]) if problem.noisy else {means[row]}
        assert {problem.evaluate(rows[row], seed) for seed in range(640)} == several


def test_numbers_are_ordered_and_names_are_not(tables: Path) -> None:
    parameters = PROBLEMS["fcnet-slice"].load(tables).space.parameters.values()
    kinds = [(type(p.choices[0]), p.is_ordered) for p in parameters if p.choices]
    name, whole, real = (str, False), (int, True), (float, True)
    assert kinds == [name, name, whole, real, real, real, name, whole, whole]
