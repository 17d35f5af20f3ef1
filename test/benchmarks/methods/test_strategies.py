import pytest

from botorch_popbo.benchmarks.methods import METHODS
from botorch_popbo.benchmarks.problems import PROBLEMS
from botorch_popbo.benchmarks.search_space.points import uniform_point
from botorch_popbo.benchmarks.settings import Setting


@pytest.mark.parametrize(("name", "recommends"), [("ax-default", True), ("gp-logei", False)])
def test_only_axs_own_choice_recommends_a_point(name: str, recommends: bool) -> None:
    problem = PROBLEMS["branin"].load(None)
    optimizer = METHODS[name].start(problem, Setting("branin", name, 6, 0))
    points = [uniform_point(problem.parameters, "branin", 0, i) for i in range(6)]
    for point in points:
        optimizer.observe(point, problem.score(point))
    best = min(points, key=problem.score)
    assert optimizer.suggest(6).incumbent == (best if recommends else None)
