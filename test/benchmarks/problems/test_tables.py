from pathlib import Path

import numpy as np
import pytest

from botorch_popbo.benchmarks.problems import PROBLEMS, Problem
from botorch_popbo.benchmarks.settings import Parameters

#: The best value of the real table, and the array of its values.
TABLES = {
    "fcnet-naval": (3.19113473778998e-05, "naval_propulsion_valid_mse"),
    "fcnet-parkinsons": (0.0067059280117973685, "parkinsons_telemonitoring_valid_mse"),
    "fcnet-protein": (0.221378855407238, "protein_structure_valid_mse"),
    "fcnet-slice": (0.00019159916337230243, "slice_localization_valid_mse"),
    "nasbench201": (84.89199999023438, "cifar10_valid_ep12"),
}


def configuration(problem: Problem, index: np.ndarray) -> Parameters:
    own = zip(problem.space.parameters.items(), index, strict=True)
    return {name: p.choices[i] for (name, p), i in own if p.choices is not None}


def check_rows(name: str, folder: Path, count: int | None = None) -> Problem:
    """Look up all rows of a table, or so many random ones."""
    problem = PROBLEMS[name].load(folder)
    file = "nasbench201.npz" if name == "nasbench201" else "fcnet_valid.npz"
    with np.load(folder / file, allow_pickle=False) as archive:
        index, values = archive["X_index"], archive[TABLES[name][1]].astype(np.float64)
    means = values if values.ndim == 1 else values.mean(axis=1)
    rows = np.random.default_rng(0).integers(len(index), size=count) if count else range(len(index))
    for row in rows:
        assert problem.score(configuration(problem, index[row])) == means[row]
    assert problem.optimal_value == (means.min() if problem.minimize else means.max())
    return problem


@pytest.mark.parametrize("name", ["fcnet-slice", "nasbench201"])
def test_every_row_of_a_small_table_is_found(tables: Path, name: str) -> None:
    check_rows(name, tables)


@pytest.mark.parametrize("name", TABLES)
def test_rows_of_the_real_table_are_found(real_tables: Path, name: str) -> None:
    problem = check_rows(name, real_tables, count=50)
    assert problem.optimal_value == pytest.approx(TABLES[name][0], rel=1e-9)


def test_numbers_are_ordered_and_names_are_not(tables: Path) -> None:
    own = PROBLEMS["fcnet-slice"].load(tables).space.parameters.values()
    kinds = [(type(p.choices[0]), p.is_ordered) for p in own if p.choices]
    name, whole, real = (str, False), (int, True), (float, True)
    assert kinds == [name, name, whole, real, real, real, name, whole, whole]
    assert not PROBLEMS["nasbench201"].load(tables).minimize


def test_a_noisy_table_shows_one_training_at_a_time(tables: Path) -> None:
    mean, single = (PROBLEMS[f"fcnet-slice{end}"].load(tables) for end in ("", "-noisy"))
    assert single.noisy
    with np.load(tables / "fcnet_valid.npz") as archive:
        index, errors = archive["X_index"], archive["slice_localization_valid_mse"]
    point = configuration(single, index[5])
    seen = {single.evaluate(point, seed) for seed in range(40)}
    assert seen == set(errors[5].astype(np.float64))
    assert single.evaluate(point, 7) == single.evaluate(point, 7)
    assert single.score(point) == mean.score(point)
    assert single.optimal_value == mean.optimal_value


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
        index, values = archive["X_index"], archive[array]
    for row in (0, 5, 30):
        point = configuration(problem, index[row])
        seen = {problem.evaluate(point, seed) for seed in range(20 * count)}
        assert seen == set(values[row])
        assert problem.score(point) == values[row].mean()
    assert problem.noisy
    assert problem.minimize
    assert problem.optimal_value == values.mean(axis=1).min()
    assert all(p.is_ordered for p in problem.space.parameters.values())


def test_the_full_schedule_is_reported_as_far_as_it_is_there(
    tables: Path, real_tables: Path
) -> None:
    small, real = (PROBLEMS["nasbench201"].load(folder) for folder in (tables, real_tables))
    assert small.measures(configuration(small, np.zeros(6, dtype=int))) == {}
    titles = {"CIFAR-10": "cifar10", "CIFAR-100": "cifar100", "ImageNet16-120": "imagenet16"}
    with np.load(real_tables / "nasbench201.npz") as archive:
        row = 13714
        found = real.measures(configuration(real, archive["X_index"][row]))
        assert found == {
            f"{title} valid": float(archive[f"{name}_valid_ep200"][row])
            for title, name in titles.items()
        }
