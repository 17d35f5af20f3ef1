"""An order as ranked records, and what it says of pairs of them."""

import math

import pytest
import torch
from helpers.gaussian import ranked
from helpers.ranking import line, tensor
from helpers.statements import Pair, pairs
from torch import Tensor

from botorch_popbo.data import (
    combine,
    from_comparisons,
    from_groups,
    from_outcomes,
    from_top_k,
)
from botorch_popbo.models.records import Records


def of_outcomes(*outcomes: float, **options: bool) -> Records:
    return Records.from_order(from_outcomes(line(len(outcomes)), tensor(outcomes)), **options)


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ([1, 1, 1], [(0, 1), (1, 2)]),
        ([1, 3], [(0, 1), (0, 2), (0, 3)]),
        ([3, 1], [(0, 3), (1, 3), (2, 3)]),
        ([1, 3, 1], [(0, 1), (0, 2), (0, 3), (1, 4), (2, 4), (3, 4)]),
        ([2, 1, 2], [(0, 2), (1, 2), (2, 3), (2, 4)]),
        ([1, 2, 2], [(0, 1), (0, 2), (1, 3), (1, 4), (2, 3)]),
        ([2, 2, 1], [(0, 2), (0, 3), (1, 2), (2, 4), (3, 4)]),
        ([2, 3], [(0, 2), (0, 3), (0, 4), (1, 2)]),
        ([3], []),
    ],
)
def test_every_list_is_related_to_its_neighbours(sizes: list[int], expected: list[Pair]) -> None:
    number, levels = sum(sizes), torch.repeat_interleave(torch.tensor(sizes)).double()
    assert pairs(of_outcomes(*(-levels).tolist(), order_only=True).statements) == expected
    # Each of two lists for itself.
    groups = torch.arange(2).repeat_interleave(number)
    lists = Records.from_order(from_groups(line(2 * number), -levels.repeat(2), groups))
    behind = [(better + number, worse + number) for better, worse in expected]
    assert pairs(lists.statements) == expected + behind
    assert lists.statements.is_strict.all()


def test_outcomes_that_tie_for_the_best_are_equals_and_others_lie_between_neighbours() -> None:
    found = of_outcomes(2.0, 2.0, 2.0, 1.0, 1.0, 0.0, 0.0).statements
    assert pairs(found.subset(found.is_tie)) == [(0, 1), (0, 2)]
    assert pairs(found.subset(found.is_strict)) == [(0, 3), (0, 4), (3, 5), (3, 6), (4, 5)]


def test_failures_are_worse_than_the_worst_success() -> None:
    records = of_outcomes(1.0, -torch.inf, 0.5, -torch.inf, 3.0)
    assert pairs(records.statements) == [(0, 2), (2, 1), (2, 3), (4, 0)]
    assert records.start[1] == records.start[3] < records.start[2]
    assert records.outcome.isnan().tolist() == [False, True, False, True, False]


def test_a_judges_tie_is_half_a_loss() -> None:
    wins, ties = torch.tensor([[0, 1]]), torch.tensor([[2, 3], [2, 1], [2, 0], [2, 3]])
    records = Records.from_order(from_comparisons(line(4), wins, ties))
    assert records.exposure.tolist() == [2.0, 2.0, 4.0, 2.0]
    expected = (tensor([0.5, 1.5, 2.0, 1.0]) + 0.5) / (records.exposure + 1.0)
    torch.testing.assert_close(records.share, expected)
    found = records.statements
    assert found.is_answer.all()
    assert pairs(found.subset(~found.is_tie)) == [(0, 1)]
    drawn = [(0, 2), (1, 2), (2, 3), (2, 3)]
    assert [tuple(sorted(pair)) for pair in pairs(found.subset(found.is_tie))] == drawn


def test_a_best_one_is_an_answer_against_each_of_the_others() -> None:
    order = combine(
        from_top_k(line(3), torch.tensor([0]), torch.arange(1, 3)),
        from_comparisons(line(3), torch.tensor([[1, 2]])),
    )
    assert pairs(Records.from_order(order).statements) == [(0, 1), (0, 2), (3, 4)]


def test_a_point_of_several_tasks_has_a_record_of_each() -> None:
    records = Records.from_order(
        combine(from_outcomes(line(3), line(3)), from_outcomes(line(3), -line(3)))
    )
    assert records.item.tolist() == [0, 1, 2] * 2
    assert records.level.tolist() == [2, 1, 0, 3, 4, 5]  # those of a task follow each other
    assert records.num_points == 3
    assert pairs(records.statements) == [(1, 0), (2, 1), (3, 4), (4, 5)]
    assert records.outcome.isnan().all()  # each has a unit of its own


@pytest.fixture
def mixed() -> Records:
    """A ranking of four points and repeated answers about three of them."""
    answers = from_comparisons(line(3), torch.tensor([[0, 1], [0, 2], [0, 1]]))
    return Records.from_order(combine(from_outcomes(line(4), line(4)), answers))


def test_a_ranking_and_answers_stand_side_by_side(mixed: Records) -> None:
    assert mixed.is_judged.tolist() == [False] * 4 + [True] * 3
    found = mixed.statements
    assert pairs(found.subset(found.is_strict)) == [(1, 0), (2, 1), (3, 2)]
    assert pairs(found.subset(found.is_answer)) == [(4, 5), (4, 5), (4, 6)]


def test_a_subset_is_ranked_without_the_others(mixed: Records) -> None:
    # Neighbours are new ones, while an answer about a record that is left out is lost.
    part = mixed.subset(torch.tensor([3, 0, 1, 6, 4]))
    assert pairs(part.statements) == [(0, 2), (2, 1), (4, 3)]
    assert mixed.subset(torch.arange(7)) is mixed


def test_sources_are_tasks_of_their_own(mixed: Records) -> None:
    source = of_outcomes(0.0, 1.0)
    joined = source.join(mixed, 1, 2)
    assert joined.source.tolist() == [0, 0, *[1] * 7]
    assert joined.item.tolist() == [0, 1, 2, 3, 4, 5, 2, 3, 4]
    assert joined.task.tolist() == [0, 0, *[1] * 4, *[2] * 3]
    assert joined.outcome.isfinite().tolist() == [True] * 2 + [False] * 7
    behind = [(better + 2, worse + 2) for better, worse in pairs(mixed.statements)]
    assert pairs(joined.statements) == [(1, 0), *behind]


def test_a_random_order_has_the_probability_of_one_among_all() -> None:
    values = tensor([3.0, 1.0, 2.0, 1.0])
    orders = (
        from_outcomes(line(4), values),
        from_groups(line(4), values, torch.tensor([0, 0, 1, 1])),
        from_comparisons(line(3), torch.tensor([[0, 1], [1, 2], [0, 1]])),
    )
    for order, chance in zip(orders, (2.0 / 24.0, 1.0 / 4.0, 1.0 / 8.0), strict=True):
        assert math.isclose(Records.from_order(order).log_chance, math.log(chance))


def test_the_best_half_and_others_evenly_spaced_stand_for_all() -> None:
    records = ranked(-torch.arange(100.0).double())
    chosen = records.representatives(10)
    assert chosen.tolist() == [0, 1, 2, 3, 4, 5, 28, 52, 75, 99]
    both = records.join(of_outcomes(0.0, 1.0), 1, 100)
    assert both.representatives(10).tolist() == [*chosen.tolist(), 100, 101]


@pytest.mark.parametrize("number", [10, 11, 40, 60])
def test_answers_are_kept_with_both_of_their_records(number: int) -> None:
    pairs = torch.arange(100).view(-1, 2).flip(-1)
    records = Records.from_order(from_comparisons(line(100), pairs))
    chosen = records.representatives(number)
    assert len(chosen) == number
    assert len(records.subset(chosen).answers) == number // 2
    assert chosen.double().mean() == pytest.approx(49.5, abs=15.0)  # from everywhere


SCORE = float(torch.special.ndtri(tensor(5.0 / 6.0)))  # of the best of three


def test_utilities_start_as_normal_scores() -> None:
    torch.testing.assert_close(ranked(tensor([1.0, 0.0, 2.0])).start, tensor([0.0, -SCORE, SCORE]))


def known_variances(variances: tuple[float, ...], outcomes: Tensor | None = None) -> Tensor:
    """Of three outcomes, by default a standard error of one apart, the best last."""
    Y = line(3) if outcomes is None else outcomes
    order = from_outcomes(line(3), Y, tensor(variances).unsqueeze(-1))
    return Records.from_order(order).known_variance


@pytest.mark.parametrize(
    ("variances", "expected"),
    [
        # A standard error reaches half the way to the next of the normal scores, at most.
        ((0.25, 0.25, 0.25), [(0.5 * SCORE) ** 2] * 3),
        # Beyond the ends nothing is known; what is reached inside the list counts.
        ((4.0, 0.0, 1.0), [(2.0 * SCORE) ** 2, 0.0, SCORE**2]),
        ((0.0, 25.0, 0.0), [0.0, SCORE**2, 0.0]),
        ((0.0, 0.0, 0.0), [0.0, 0.0, 0.0]),
    ],
)
def test_known_variances_are_carried_over_to_the_utility(
    variances: tuple[float, ...], expected: list[float]
) -> None:
    torch.testing.assert_close(known_variances(variances), tensor(expected))


def test_differences_may_be_larger_than_any_number() -> None:
    Y = tensor([[-1.5e308], [0.0], [1.5e308]])
    near, far = (known_variances(((1e308 * s) ** 2,) * 3, s * Y) for s in (1e-200, 1e-154))
    torch.testing.assert_close(far, near)
    assert known_variances((1e300,) * 3, Y).isfinite().all()
    assert of_outcomes(*Y.flatten().tolist()).outcome.isfinite().all()
