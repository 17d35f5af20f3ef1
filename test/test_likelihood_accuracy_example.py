import itertools
import math
from types import ModuleType
from typing import Any

import pytest
import torch
from helpers.examples import import_example
from scipy.stats import multivariate_normal

from botorch_popbo.likelihoods import sites


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return import_example(monkeypatch, "likelihood_accuracy")


def sampled(example: ModuleType, case: Any) -> float:
    truth, _ = example.sample(case, case.propagate(), 1e4, 2**20)
    return float(truth.log_evidence)


@pytest.mark.parametrize("name", ["failed", "tied", "answers"])
def test_a_sampled_probability_is_that_of_an_orthant(example: ModuleType, name: str) -> None:
    cases = {
        "failed": lambda: example.ranking(5, 0, failed=2),
        "tied": lambda: example.ranking(6, 1, tied=2),
        "answers": lambda: example.pairs(4, 0, 0.1),
    }
    case = cases[name]()
    differences = case.statements.differences
    matrix = differences(differences(case.covariance).T)
    matrix += (case.statements.noise * case.noise).diag()
    law = multivariate_normal(torch.zeros(len(matrix)).numpy(), matrix.numpy(), allow_singular=True)
    # Genz's method of the distribution function; no difference is below zero.
    expected = math.log(law.cdf(torch.zeros(len(matrix)).numpy()))
    assert sampled(example, case) == pytest.approx(expected, abs=0.03)


def test_all_rankings_have_probability_one(example: ModuleType) -> None:
    case = example.ranking(3, 0)
    every = (torch.tensor(order) for order in itertools.permutations(range(3)))
    values = [
        sampled(example, example.replace(case, statements=case.statements.renumbered(order)))
        for order in every
    ]
    assert sum(map(math.exp, values)) == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize(
    ("kind", "options"), [("ranking", ()), ("pairs", (0.1,)), ("measured", (7.0,))]
)
def test_the_grid_has_the_moments_of_a_site(
    example: ModuleType, kind: str, options: tuple[float, ...]
) -> None:
    one = getattr(example, kind)(4, 0, *options).subset(torch.tensor([0]))
    mean, variance = torch.tensor([[-2.0], [0.3]]).double()
    noise = one.statements.noise * one.noise
    if one.distances is None:
        tilted = sites.truncate(mean, variance, noise)
    else:
        tilted, _ = sites.distance(mean, variance, *one.distances)
    found = example.moments(one, float(mean), float(variance))
    assert found == pytest.approx((float(tilted.mean), float(tilted.variance) ** 0.5), rel=1e-5)


@pytest.mark.parametrize("number", range(20))
def test_random_statements_settle(example: ModuleType, number: int) -> None:
    assert example.fuzz(number) == ""


def test_tables_have_a_row_for_each_case(
    example: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(example, "CASES", {"an order": lambda seed: example.ranking(4, seed)})
    monkeypatch.setattr(example, "SEEDS", range(1))
    example.accuracy()
    assert capsys.readouterr().out.splitlines()[-1].startswith("| an order |")
