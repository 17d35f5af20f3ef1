from importlib.util import find_spec
from pathlib import Path

import pytest
from helpers.peers import IN_ORDER, INITIAL, MIXED, run, start

from botorch_popbo.benchmarks.errors import UsageError
from botorch_popbo.benchmarks.methods import METHODS
from botorch_popbo.benchmarks.points import uniform_point
from botorch_popbo.benchmarks.problems import PROBLEMS
from botorch_popbo.benchmarks.settings import Setting

METHOD = METHODS["cmaes"]
needs_library = pytest.mark.skipif(not find_spec("cmaes"), reason="cmaes is not installed")


@needs_library
def test_it_goes_through_generations() -> None:
    """Two generations of eight, the later points nearer to the optimum than the design."""
    points = run(METHOD, IN_ORDER, count=17)
    assert len({str(point.parameters) for point in points}) > 12


@needs_library
def test_a_foreign_point_takes_the_place_of_an_asked_one() -> None:
    loop, other = start(METHOD, IN_ORDER), start(METHOD, IN_ORDER)
    for trial in range(INITIAL, INITIAL + 9):
        asked = loop.suggest(trial).parameters
        foreign = uniform_point(IN_ORDER.space, "foreign", 0, trial)
        loop.observe(asked, IN_ORDER.score(asked))
        other.observe(foreign, IN_ORDER.score(foreign))
    assert loop.suggest(INITIAL + 9) != other.suggest(INITIAL + 9)


def test_choices_without_an_order_are_refused_before_any_work(tables: Path) -> None:
    with pytest.raises(UsageError, match="cmaes needs parameters in order, which kernel of mixed"):
        METHOD.start(MIXED, Setting("mixed", "cmaes", 3, 0))
    with pytest.raises(UsageError, match="edge0, edge1"):
        METHOD.start(PROBLEMS["nasbench201"].load(tables), Setting("nasbench201", "cmaes", 3, 0))
