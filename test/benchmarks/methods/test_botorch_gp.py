from collections.abc import Iterator

import pytest
from botorch.models import SingleTaskGP
from botorch.models.robust_relevance_pursuit_model import RobustRelevancePursuitSingleTaskGP
from helpers.peers import MIXED, TABLE, assert_member, run

from botorch_popbo.benchmarks.methods import METHODS, Suggestion, botorch_gp
from botorch_popbo.benchmarks.problems import PROBLEMS, Problem
from botorch_popbo.benchmarks.run._quiet import quiet
from botorch_popbo.benchmarks.run._threads import one_thread
from botorch_popbo.benchmarks.search_space.points import uniform_point
from botorch_popbo.benchmarks.settings import Setting

NAMES = [method.name for method in botorch_gp.METHODS]


@pytest.fixture(autouse=True)
def _as_in_a_replication() -> Iterator[None]:
    with one_thread(), quiet():
        yield


def suggestions(
    method: str, problem: Problem, seed: int = 0, initial: int = 6, count: int = 3
) -> list[Suggestion]:
    optimizer = METHODS[method].start(problem, Setting(problem.name, method, initial, seed))
    found = []
    for trial in range(initial + count):
        if trial < initial:
            point = uniform_point(problem.parameters, problem.name, 0, trial)
        else:
            found.append(optimizer.suggest(trial))
            point = found[-1].parameters
        optimizer.observe(point, problem.evaluate(point, trial))
    return found


@pytest.mark.parametrize("method", NAMES)
def test_suggestions_are_new_points_inside_the_bounds(method: str) -> None:
    problem = PROBLEMS["branin"].load(None)
    known = [uniform_point(problem.parameters, "branin", 0, trial) for trial in range(6)]
    for suggestion in suggestions(method, problem):
        assert suggestion.incumbent in known
        assert suggestion.parameters not in known
        assert -5 <= float(suggestion.parameters["x0"]) <= 10
        assert 0 <= float(suggestion.parameters["x1"]) <= 15
        assert not METHODS[method].is_fallback(suggestion.generator)
        known.append(suggestion.parameters)


@pytest.mark.parametrize("method", NAMES)
def test_suggestions_are_a_function_of_the_seed(method: str) -> None:
    problem = PROBLEMS["branin-gaussian"].load(None)
    first, again, other = (suggestions(method, problem, seed, count=2) for seed in (0, 0, 1))
    assert first == again
    assert first != other


def test_the_incumbent_is_not_the_lucky_observation() -> None:
    problem = PROBLEMS["branin"].load(None)
    loop = METHODS["botorch-robust-gp"].start(problem, Setting("branin", NAMES[1], 20, 0))
    points = [uniform_point(problem.parameters, "branin", 0, trial) for trial in range(20)]
    worst = max(range(20), key=lambda trial: problem.score(points[trial]))
    for trial, point in enumerate(points):
        loop.observe(point, problem.score(point) - (3000 if trial == worst else 0))
    incumbent = loop.suggest(20).incumbent
    assert incumbent is not None
    assert incumbent != points[worst]
    assert problem.score(incumbent) < sorted(map(problem.score, points))[5]


@pytest.mark.parametrize("method", NAMES)
def test_two_points_are_enough(method: str) -> None:
    assert len(suggestions(method, PROBLEMS["branin"].load(None), initial=2, count=1)) == 1


@pytest.mark.parametrize(
    ("method", "kind"),
    [
        ("botorch-gp", SingleTaskGP),
        ("botorch-robust-gp", RobustRelevancePursuitSingleTaskGP),
    ],
)
def test_each_method_has_its_model(
    method: str, kind: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []
    fit = botorch_gp.fit_gpytorch_mll
    monkeypatch.setattr(
        botorch_gp, "fit_gpytorch_mll", lambda mll: (made.append(type(mll.model)), fit(mll))
    )
    suggestions(method, PROBLEMS["branin"].load(None), count=1)
    assert made == [kind]


@pytest.mark.parametrize("method", NAMES)
@pytest.mark.parametrize("problem", [MIXED, TABLE], ids=lambda problem: problem.name)
def test_choices_are_searched_like_ranges(method: str, problem: Problem) -> None:
    whole = run(METHODS[method], problem)
    for suggestion in whole:
        assert_member(problem, suggestion.parameters)
    assert run(METHODS[method], problem, resume=True) == whole


@pytest.mark.parametrize("method", NAMES)
def test_categories_reach_the_model_one_hot(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    widths = []
    fit = botorch_gp.fit_gpytorch_mll
    monkeypatch.setattr(
        botorch_gp,
        "fit_gpytorch_mll",
        lambda mll: (widths.append(mll.model.covar_module.ard_num_dims), fit(mll)),
    )
    run(METHODS[method], TABLE, count=1)
    assert widths == [1 + 3 * 4]


def test_the_unseen_point_that_is_best_by_far_is_found_in_a_table() -> None:
    points = run(METHODS["botorch-gp"], TABLE, count=12)
    assert min(TABLE.score(suggestion.parameters) for suggestion in points) == 0.0
