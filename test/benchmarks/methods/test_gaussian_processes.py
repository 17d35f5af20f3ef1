import itertools
from statistics import NormalDist
from typing import Any

import pytest
import torch
from botorch.models import SingleTaskGP
from botorch.models.robust_relevance_pursuit_model import RobustRelevancePursuitSingleTaskGP
from helpers.peers import CONTINUOUS, TABLE, Stretched, run, start

from botorch_popbo.benchmarks.methods import METHODS, _gaussian_processes
from botorch_popbo.benchmarks.methods._gaussian_processes import normal_scores
from botorch_popbo.benchmarks.problems import PROBLEMS
from botorch_popbo.benchmarks.search_space.points import uniform_point
from botorch_popbo.benchmarks.settings import Setting

KINDS = {"botorch-gp": SingleTaskGP, "botorch-robust-gp": RobustRelevancePursuitSingleTaskGP}


def test_the_incumbent_is_not_the_lucky_observation() -> None:
    problem = PROBLEMS["branin"].load(None)
    loop = METHODS["botorch-robust-gp"].start(problem, Setting("branin", "robust", 20, 0))
    points = [uniform_point(problem.parameters, "branin", 0, trial) for trial in range(20)]
    worst = max(range(20), key=lambda trial: problem.score(points[trial]))
    for trial, point in enumerate(points):
        loop.observe(point, problem.score(point) - (3000 if trial == worst else 0))
    incumbent = loop.suggest(20).incumbent
    assert incumbent is not None
    assert incumbent != points[worst]
    assert problem.score(incumbent) < sorted(map(problem.score, points))[5]


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize(("initial", "count"), [(2, 1), (6, 3)])
def test_suggestions_are_new_points_and_two_known_ones_are_enough(
    name: str, initial: int, count: int
) -> None:
    problem = PROBLEMS["branin"].load(None)
    known = [uniform_point(problem.parameters, "branin", 0, trial) for trial in range(initial)]
    for suggestion in run(METHODS[name], problem, initial=initial, count=count):
        assert suggestion.incumbent in known
        assert suggestion.parameters not in known
        known.append(suggestion.parameters)


@pytest.mark.parametrize("name", KINDS)
def test_each_method_has_its_model_and_categories_reach_it_one_hot(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []
    fit = _gaussian_processes.fit_gpytorch_mll
    monkeypatch.setattr(
        _gaussian_processes, "fit_gpytorch_mll", lambda mll: (made.append(mll.model), fit(mll))
    )
    run(METHODS[name], TABLE, count=1)
    (model,) = made
    assert type(model) is KINDS[name]
    assert model.covar_module.ard_num_dims == 1 + 3 * 4


def test_the_unseen_point_that_is_best_by_far_is_found_in_a_table() -> None:
    configs: Any = TABLE.parameters
    columns = ([(config.name, value) for value in config.values] for config in configs)
    best = min(TABLE.score(dict(cell)) for cell in itertools.product(*columns))
    found = [suggestion.parameters for suggestion in run(METHODS["botorch-gp"], TABLE, count=12)]
    assert min(map(TABLE.score, found)) == best


def test_the_copula_sees_the_order_of_outcomes_alone() -> None:
    stretched = Stretched(**vars(CONTINUOUS))
    for name, is_same in (("gp-copula", True), ("botorch-gp-lcb", False)):
        assert (run(METHODS[name], stretched) == run(METHODS[name], CONTINUOUS)) == is_same


def test_scores_are_normal_quantiles_of_ranks() -> None:
    Y = torch.tensor([[5.0], [-1.0], [5.0], [9.0]], dtype=torch.float64)
    levels = [2.5, 1.0, 2.5, 4.0]
    expected = [[NormalDist().inv_cdf((rank - 0.5) / 4)] for rank in levels]
    torch.testing.assert_close(normal_scores(Y), torch.tensor(expected, dtype=torch.float64))


def test_the_bound_is_two_deviations_above_the_mean() -> None:
    optimizer: Any = start(METHODS["botorch-gp-lcb"], CONTINUOUS)
    X = torch.rand(6, 2, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    model = optimizer.fit(X, X.sum(-1, keepdim=True), 0)
    new = torch.full((1, 1, 2), 0.4, dtype=torch.float64)
    posterior = model.posterior(new)
    bound = posterior.mean + 2 * posterior.variance.sqrt()
    acquisition = optimizer.acquisition(model, X, X.sum(-1))
    assert float(acquisition(new)) == pytest.approx(float(bound))
