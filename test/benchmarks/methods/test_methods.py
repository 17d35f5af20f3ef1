"""What every method of the registry owes a campaign."""

import os
from importlib.util import find_spec

import pytest
from helpers.peers import CONDITIONAL, CONTINUOUS, IN_ORDER, MIXED, TABLE, check_reproducible, run

from botorch_popbo.benchmarks.methods import METHODS, Method
from botorch_popbo.benchmarks.points import asked_for, completed, uniform_point
from botorch_popbo.benchmarks.problems import Problem
from botorch_popbo.benchmarks.settings import Setting


@pytest.fixture
def method(name: str) -> Method:
    """A method whose library is there."""
    library = METHODS[name].library
    if library == "HEBO" and "POPBO_PYTHON_HEBO" not in os.environ:
        pytest.skip("POPBO_PYTHON_HEBO does not name an interpreter that has HEBO")
    if library and library != "HEBO" and not find_spec(library):
        pytest.skip(f"{library} is not installed")
    return METHODS[name]


def spaces(name: str) -> tuple[Problem, ...]:
    """Spaces that the method is made for and fast on."""
    if name in ("gp-logei", "gp-ucb"):
        return (CONTINUOUS,)
    if name == "cmaes":
        return (CONTINUOUS, IN_ORDER)
    return (TABLE, MIXED) if name.startswith("popbo") else (MIXED,)


@pytest.mark.parametrize(
    ("name", "problem"),
    [pytest.param(n, space, id=f"{n}-{space.name}") for n in METHODS for space in spaces(n)],
)
def test_suggestions_are_members_of_the_space(name: str, method: Method, problem: Problem) -> None:
    run(method, problem)


@pytest.mark.parametrize("name", ["popbo", "popbo-optuna", "optuna-tpe", "optuna-gp", "smac3"])
def test_what_has_no_meaning_is_neither_learned_from_nor_searched(method: Method) -> None:
    space, name = CONDITIONAL.space, CONDITIONAL.name
    drawn = [uniform_point(space, name, 0, trial) for trial in range(9)]
    asked = [completed(space, asked_for(space, point.__getitem__)) for point in drawn]
    assert asked != drawn
    found = []
    for design in (drawn, asked):
        optimizer = method.start(CONDITIONAL, Setting(name, method.name, 9, 0))
        for point in design:
            optimizer.observe(point, CONDITIONAL.score(point))
        found.append(optimizer.suggest(9).parameters)
    assert found[0] == found[1] == completed(space, asked_for(space, found[0].__getitem__))


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    # Ours, and one of each library. Of one design a confidence bound has the same maximum, however
    # it is searched for.
    [name for name in METHODS if name.startswith(("popbo", "optuna-gp", "gp-logei"))],
)
def test_seed_and_outcomes_decide_alone(name: str, method: Method) -> None:
    check_reproducible(method, spaces(name)[-1])


def test_random_points_do_not_look_at_outcomes() -> None:
    whole = run(METHODS["random"], MIXED)
    assert run(METHODS["random"], MIXED, resume=True, sign=-1.0) == whole
    assert run(METHODS["random"], MIXED, seed=1) != whole
