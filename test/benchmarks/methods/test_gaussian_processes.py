import itertools

from helpers.peers import CONTINUOUS, TABLE, Stretched, run

from botorch_popbo.benchmarks.methods import METHODS
from botorch_popbo.benchmarks.points import uniform_point
from botorch_popbo.benchmarks.problems import PROBLEMS
from botorch_popbo.benchmarks.settings import Setting


def test_the_incumbent_is_not_the_lucky_observation() -> None:
    problem = PROBLEMS["branin"].load(None)
    loop = METHODS["botorch-robust-gp"].start(problem, Setting("branin", "robust", 20, 0))
    points = [uniform_point(problem.space, "branin", 0, trial) for trial in range(20)]
    worst = max(range(20), key=lambda trial: problem.score(points[trial]))
    for trial, point in enumerate(points):
        loop.observe(point, problem.score(point) - (3000 if trial == worst else 0))
    incumbent = loop.suggest(20).incumbent
    assert incumbent is not None
    assert incumbent != points[worst]
    assert problem.score(incumbent) < sorted(map(problem.score, points))[5]


def test_the_unseen_point_that_is_best_by_far_is_found_in_a_table() -> None:
    own = TABLE.space.parameters.items()
    columns = ([(name, value) for value in p.choices or ()] for name, p in own)
    best = min(TABLE.score(dict(cell)) for cell in itertools.product(*columns))
    found = [suggestion.parameters for suggestion in run(METHODS["botorch-gp"], TABLE, count=12)]
    assert min(map(TABLE.score, found)) == best


def test_the_copula_sees_the_order_of_outcomes_alone() -> None:
    stretched = Stretched(**vars(CONTINUOUS))
    for name, is_same in (("gp-copula", True), ("botorch-gp", False)):
        assert (run(METHODS[name], stretched) == run(METHODS[name], CONTINUOUS)) == is_same
