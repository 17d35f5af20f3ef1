"""What every method of the registry owes a campaign."""

import os
from importlib.util import find_spec

import pytest
from helpers.peers import CONTINUOUS, IN_ORDER, MIXED, TABLE, check_reproducible, run

from botorch_popbo.benchmarks.methods import METHODS, Method
from botorch_popbo.benchmarks.problems import Problem


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
    return (CONTINUOUS, IN_ORDER) if name == "cmaes" else (TABLE, MIXED)


@pytest.mark.parametrize(
    ("name", "problem"),
    [pytest.param(n, space, id=f"{n}-{space.name}") for n in METHODS for space in spaces(n)],
)
def test_suggestions_are_members_of_the_space(name: str, method: Method, problem: Problem) -> None:
    run(method, problem)


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
    method = METHODS["random"]
    whole = run(method, MIXED)
    assert run(method, MIXED, resume=True, sign=-1.0) == whole
    assert run(method, MIXED, seed=1) != whole
