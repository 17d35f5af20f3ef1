from collections import defaultdict, deque

import numpy as np
import pytest
from ax.api.configs import ChoiceParameterConfig
from helpers.peers import MIXED, assert_member

from botorch_popbo.benchmarks.methods._evolution import mutate, parent
from botorch_popbo.benchmarks.search_space.points import uniform_point


def test_the_parent_is_the_best_of_a_sample_and_the_oldest_leaves() -> None:
    outcomes = np.random.default_rng(0).permutation(40).astype(float).tolist()
    population: deque[tuple[float, int]] = deque()
    for index, outcome in enumerate(outcomes):
        population.append((outcome, index))
        if len(population) > 10:
            population.popleft()
        drawn = np.random.default_rng(index).integers(len(population), size=3)
        expected = max(population[i] for i in drawn)[1]
        assert parent(outcomes[: index + 1], np.random.default_rng(index)) == expected


def test_parents_are_as_frequent_as_in_tournaments_of_three() -> None:
    outcomes = [100.0, *range(10)]
    generator = np.random.default_rng(0)
    drawn = [parent(outcomes, generator) for _ in range(4000)]
    for index in range(11):
        share = ((index**3) - (index - 1) ** 3) / 1000 if index else 0.0
        assert drawn.count(index) / 4000 == pytest.approx(share, abs=0.03)


def test_a_mutation_changes_one_parameter() -> None:
    generator = np.random.default_rng(0)
    point = uniform_point(MIXED.parameters, "mixed", 0, 0)
    changes: dict[str, set[object]] = defaultdict(set)
    for _ in range(300):
        child = mutate(MIXED.parameters, point, generator)
        assert_member(MIXED, child)
        (name,) = (name for name in point if child[name] != point[name])
        changes[name].add(child[name])
    assert changes.keys() == point.keys()
    assert changes["depth"] == {*range(-3, 5)} - {point["depth"]}
    assert changes["kernel"] == {"rbf", "linear", "poly"} - {point["kernel"]}


def test_a_parameter_of_one_value_is_left_alone() -> None:
    config = ChoiceParameterConfig(name="a", values=["x"], parameter_type="str", is_ordered=False)
    parameters = [config, MIXED.parameters[0]]
    point = {"a": "x", "rate": 0.1}
    for seed in range(20):
        assert mutate(parameters, point, np.random.default_rng(seed))["a"] == "x"
