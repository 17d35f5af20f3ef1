import torch
from helpers.peers import MIXED, assert_member, start

from botorch_popbo.benchmarks.methods import METHODS
from botorch_popbo.benchmarks.methods._eubo import comparisons


def test_comparisons_tell_the_order_and_nothing_else() -> None:
    Y = torch.tensor([[3.0], [1.0], [3.0], [2.0]])
    pairs = {(i, j) for i in range(4) for j in range(4) if Y[i] > Y[j]}
    told = comparisons(Y)
    assert len(told) == len(pairs)
    assert {tuple(pair) for pair in told.tolist()} == pairs
    assert torch.equal(comparisons(Y.exp()), told)


def test_equal_outcomes_leave_a_random_point() -> None:
    optimizer = start(METHODS["eubo"], MIXED, initial=2, outcome=lambda _: 1.0)
    points = [optimizer.suggest(trial).parameters for trial in (2, 3)]
    assert points[0] != points[1]
    assert_member(MIXED, points[0])
