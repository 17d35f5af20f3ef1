import itertools
import math
from types import ModuleType

import pytest
import torch
from helpers.examples import import_example
from helpers.gaussian import covariance, unit_points

MATRIX = covariance(unit_points(4), torch.tensor([0.4, 0.7]).double(), 1e-2)


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return import_example(monkeypatch, "likelihood_accuracy")


def sampled(example: ModuleType, above: list[list[int]], index: list[int]) -> float:
    matrix = MATRIX[index][:, index]
    sampler = example.Sampler(above, matrix, -example.places(above))
    value, error = sampler.log_probability(seed=0)
    assert error < 0.01
    return float(value)


def test_all_rankings_have_probability_one(example: ModuleType) -> None:
    chain = example.chain(4, 0)
    every = [sampled(example, chain, list(order)) for order in itertools.permutations(range(4))]
    assert sum(map(math.exp, every)) == pytest.approx(1.0, abs=2e-3)


def test_ties_are_all_rankings_of_the_tied(example: ModuleType) -> None:
    chain, tied = example.chain(4, 0), [[], [0], [0], [1, 2]]
    either = [sampled(example, chain, index) for index in ([0, 1, 2, 3], [0, 2, 1, 3])]
    found = sampled(example, tied, [0, 1, 2, 3])
    assert math.exp(found) == pytest.approx(sum(map(math.exp, either)), rel=0.01)
