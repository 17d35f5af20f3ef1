import math

import pytest
import torch
from botorch.exceptions import InputDataError
from helpers.ranking import as_dict, line, tensor
from hypothesis import given
from hypothesis import strategies as st

from botorch_popbo import Order, RankCounts
from botorch_popbo.data import from_adaptive_comparisons, from_ordering

X = tensor([[0.1], [0.7], [0.4], [0.9], [0.2]])
ORDER = [2, 0, 4, 1, 3]
Pairs = list[tuple[int, int]]


def compared(comparisons: Pairs, ties: Pairs | None = None) -> Order:
    as_pairs = torch.tensor(comparisons, dtype=torch.long).reshape(-1, 2)
    return from_adaptive_comparisons(X, as_pairs, None if ties is None else torch.tensor(ties))


def strengths(order: Order) -> dict[float, float]:
    return dict(zip(order.X.squeeze(-1).tolist(), order.score.tolist(), strict=True))


def all_pairs(ordering: list[int]) -> Pairs:
    return [(a, b) for i, a in enumerate(ordering) for b in ordering[i + 1 :]]


def test_all_pairs_of_an_order_are_the_order() -> None:
    found, expected = compared(all_pairs(ORDER)), from_ordering(X, ORDER)
    assert torch.equal(found.X, expected.X)
    assert torch.equal(found.score.argsort(), expected.score.argsort())
    # More answers leave less open, and so the expected counts come close to the places.
    often = RankCounts.from_order(compared(all_pairs(ORDER) * 1000))
    places = RankCounts.from_order(expected)
    assert torch.equal(often.exposure, places.exposure)
    assert often.counts.tolist() == pytest.approx(places.counts.tolist(), abs=0.1)


def test_losing_to_the_best_is_better_than_losing_to_the_worst() -> None:
    # 0 beats 1 and 1 beats 2; then 3 loses to the best and 4 to the worst.
    found = strengths(compared([(0, 1), (1, 2), (0, 3), (2, 4)]))
    assert max(found, key=found.__getitem__) == 0.1
    assert found[0.9] > found[0.2]


@pytest.mark.parametrize(
    ("comparisons", "ties", "levels"),
    [
        ([(0, 1), (0, 2)], [(1, 2)], [0, 1, 1]),  # a tie puts items level
        ([], [(0, 1), (1, 2)], [0, 0, 0]),
        ([(0, 1), (0, 1), (1, 0)], None, [0, 1]),  # the majority decides
        ([(0, 1), (1, 0)], None, [0, 0]),
        ([(0, 1), (1, 2), (2, 0)], None, [0, 0, 0]),
    ],
)
def test_known_places(comparisons: Pairs, ties: Pairs | None, levels: list[int]) -> None:
    order = compared(comparisons, ties)
    found = strengths(order)
    places = sorted(set(found.values()), reverse=True)
    assert [places.index(found[x]) for x in (0.1, 0.7, 0.4) if x in found] == levels
    assert order.says_nothing is (max(levels) == 0)


def test_a_tie_is_half_a_win_and_half_a_loss() -> None:
    once = compared([(0, 1), (0, 2)], [(1, 2), (1, 2)])
    halves = compared([(0, 1), (0, 2), (1, 2), (2, 1)])
    torch.testing.assert_close(once.score, halves.score)
    torch.testing.assert_close(once.variance, halves.variance)


def test_the_answer_of_one_pair_matches_the_posterior_by_enumeration() -> None:
    grid = torch.linspace(-12, 12, 4001, dtype=torch.float64)
    for answers in (1, 50):
        order = compared([(0, 1)] * answers)
        # By symmetry the strengths are opposite: the mode in their difference, of variance 2 * 4.
        log_density = answers * torch.nn.functional.logsigmoid(grid) - grid.square() / 16
        mode = float(grid[log_density.argmax()])
        assert float(order.score[0] - order.score[1]) == pytest.approx(mode, abs=0.01)
        win = 1 / (1 + math.exp(-mode))
        information = answers * win * (1 - win)
        hessian = tensor([[1.0, -1.0], [-1.0, 1.0]]) * information + 0.25 * torch.eye(2).double()
        expected = torch.linalg.inv(hessian).diagonal()
        torch.testing.assert_close(order.variance, expected, rtol=1e-2, atol=0.0)


@pytest.mark.parametrize("few", [1, 5, 20])
def test_more_answers_leave_less_open(few: int) -> None:
    one, other = (compared([(0, 1), (0, 1), (1, 0)] * n) for n in (few, 50))
    assert not other.agrees_with(one)
    assert (other.variance < one.variance).all()
    better = [float(RankCounts.from_order(order).counts[0]) for order in (one, other)]
    assert 0 < better[1] < better[0] < 0.5


@given(st.permutations([*all_pairs(ORDER)[::3], (3, 2)]))
def test_the_order_of_answers_does_not_matter(answers: Pairs) -> None:
    expected = compared(sorted(answers))
    assert torch.equal(compared(answers).score, expected.score)
    assert as_dict(compared(answers)) == pytest.approx(as_dict(expected))


def test_a_long_chain_of_equal_answers_stays_finite() -> None:
    chain = torch.tensor([[i, i + 1] for i in range(39)] * 200)
    order = from_adaptive_comparisons(line(40), chain)
    assert order.score.isfinite().all()
    assert (order.variance > 0).all()
    assert torch.equal(order.score, order.score.sort(descending=True).values)


def test_an_item_does_not_meet_itself() -> None:
    with pytest.raises(InputDataError, match="itself"):
        compared([(1, 1)])
