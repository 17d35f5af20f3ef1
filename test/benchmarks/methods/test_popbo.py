from dataclasses import replace

import pytest
import torch
from ax.api.configs import ChoiceParameterConfig, RangeParameterConfig
from helpers.peers import MIXED
from helpers.peers import run as run_method

from botorch_popbo.benchmarks.methods import METHODS
from botorch_popbo.benchmarks.methods._popbo import GaussianMLP, Popbo
from botorch_popbo.benchmarks.problems import PROBLEMS
from botorch_popbo.benchmarks.search_space.points import uniform_point
from botorch_popbo.benchmarks.settings import Setting

from ..conftest import MakeCampaign, run


def test_a_search_leaves_the_region_that_fails(campaign: MakeCampaign) -> None:
    """Half of the space fails; of twenty suggestions no more than half may."""
    records = run(campaign("popbo", "branin-failures", trials=20, initial=12))
    failed = [record.observed is None for record in records]
    assert sum(failed[:12]) >= 5
    assert sum(failed[12:]) <= 10


def test_it_says_where_outcomes_are_exact() -> None:
    def made(name: str, **options: bool) -> Popbo:
        return Popbo(PROBLEMS[name].load(None), Setting(name, "popbo", 40, 0), **options)

    assert made("branin").is_exact
    assert not made("branin", is_told=False).is_exact
    assert not made("branin-student").is_exact


@pytest.mark.parametrize("name", ["popbo", "botorch-gp"])
def test_no_suggestion_is_rounded_to_a_known_point(name: str) -> None:
    """The best of all is a corner, to which a search between integers would return for good."""
    parameters = [
        RangeParameterConfig("layers", (1, 3), "int"),
        RangeParameterConfig("rate", (0.0, 1.0), "float"),
    ]
    problem = replace(MIXED, parameters=parameters, minimize=False)
    suggestions = run_method(METHODS[name], problem, count=8)
    assert len({tuple(found.parameters.values()) for found in suggestions}) == 8


@pytest.mark.parametrize("name", ["popbo", "popbo-eri-k5"])
def test_a_design_may_be_one_point_many_times(name: str) -> None:
    parameters = [ChoiceParameterConfig("kernel", ["rbf", "poly"], "str")]
    problem = replace(MIXED, parameters=parameters)
    optimizer = METHODS[name].start(problem, Setting("mixed", name, 2, 0))
    for _ in range(2):
        optimizer.observe({"kernel": "rbf"}, 1.0)
    assert optimizer.suggest(2).parameters == {"kernel": "poly"}


def test_the_network_learns_the_outcomes() -> None:
    optimizer = GaussianMLP(MIXED, Setting("mixed", "gp-mlp", 40, 0))
    points = [uniform_point(MIXED.parameters, "mixed", 0, trial) for trial in range(60)]
    X = torch.stack([optimizer.encoding.encode(point) for point in points])
    Y = -torch.tensor([[MIXED.score(point)] for point in points], dtype=torch.float64)
    torch.manual_seed(0)
    posterior = optimizer.fit(X[:40], Y[:40], 0).posterior(X[40:])
    learned = torch.corrcoef(torch.cat([posterior.mean, Y[40:]], dim=-1).T)[0, 1]
    assert learned > 0.8
    assert (posterior.variance > 0).all()
