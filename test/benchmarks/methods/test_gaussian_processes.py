import itertools

from helpers.peers import CONTINUOUS, TABLE, Stretched, run

from botorch_popbo.benchmarks.methods import METHODS


def test_the_unseen_point_that_is_best_by_far_is_found_in_a_table() -> None:
    own = TABLE.space.parameters.items()
    columns = ([(name, value) for value in p.choices or ()] for name, p in own)
    best = min(TABLE.score(dict(cell)) for cell in itertools.product(*columns))
    found = [suggestion.parameters for suggestion in run(METHODS["botorch-gp"], TABLE, count=9)]
    assert min(map(TABLE.score, found)) == best


def test_the_copula_sees_the_order_of_outcomes_alone() -> None:
    stretched = Stretched(**vars(CONTINUOUS))
    for name, is_same in (("gp-copula", True), ("botorch-gp", False)):
        assert (run(METHODS[name], stretched) == run(METHODS[name], CONTINUOUS)) == is_same
