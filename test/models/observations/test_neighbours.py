import itertools

import pytest
import torch
from helpers.comparisons import Pair, components, is_gap, is_side, pairs

from botorch_popbo.data import from_groups, from_outcomes
from botorch_popbo.likelihoods.comparisons import Comparisons
from botorch_popbo.models._observations.from_order import observations_of


def of_lists(*sizes: list[int]) -> Comparisons:
    """Lists of so many points at each level, in turn, best first."""
    level = torch.cat([torch.repeat_interleave(torch.tensor(list_)) for list_ in sizes])
    groups = torch.repeat_interleave(torch.tensor([sum(list_) for list_ in sizes]))
    X = torch.arange(len(level)).double().unsqueeze(-1)
    return observations_of(from_groups(X, -level.double(), groups)).comparisons


@pytest.mark.parametrize(
    ("sizes", "gaps", "sides"),
    [
        ([1, 1, 1], {(0, 1), (1, 2)}, set()),
        ([1, 1], {(0, 1)}, set()),
        ([1, 3], {(0, 1), (0, 2), (0, 3)}, set()),
        ([3, 1], {(0, 3), (1, 3), (2, 3)}, set()),
        ([1, 3, 1], {(0, 1), (1, 4)}, {(0, 2), (2, 4), (0, 3), (3, 4)}),
        ([2, 1, 2], {(0, 2), (1, 2), (2, 3), (2, 4)}, set()),
        ([1, 2, 2], {(0, 1), (1, 3), (1, 4)}, {(0, 2), (2, 3)}),
        ([2, 2, 1], {(0, 2), (1, 2), (2, 4)}, {(0, 3), (3, 4)}),
        # Of two levels a star below and a star above share their stem.
        ([2, 3], {(0, 2), (0, 3), (0, 4), (1, 2)}, set()),
        ([3], set(), set()),
    ],
)
def test_relations_of_a_list(sizes: list[int], gaps: set[Pair], sides: set[Pair]) -> None:
    comparisons = of_lists(sizes)
    assert pairs(comparisons, is_gap(comparisons)) == gaps
    assert pairs(comparisons, is_side(comparisons)) == sides
    assert (comparisons.answers == 0.0).all()


def test_outcomes_that_tie_are_equals_but_for_the_worst_if_told_so() -> None:
    X, Y = torch.arange(7.0).unsqueeze(-1), torch.tensor([[2.0, 2.0, 2.0, 1.0, 1.0, 0.0, 0.0]]).T
    order = from_outcomes(X, Y)
    free, told = (observations_of(order, tie).comparisons for tie in (0.0, 0.1))
    ends = {(0, 3), (3, 5), (3, 6)}
    assert pairs(free) == ends | {(1, 3), (2, 3), (0, 4), (4, 5)}
    assert pairs(told, told.is_equal) == {(0, 1), (0, 2), (3, 4)}
    assert pairs(told, told.is_strict) == ends


LISTS = [list(sizes) for number in (2, 3, 4) for sizes in itertools.product([1, 3], repeat=number)]


@pytest.mark.parametrize("sizes", LISTS, ids=str)
def test_every_list_is_a_tree_of_true_relations(sizes: list[int]) -> None:
    comparisons, total = of_lists(sizes, [2, 1], sizes), sum(sizes)
    num_intervals = int(is_side(comparisons).sum()) // 2
    assert len(comparisons) - num_intervals == 2 * (total - 1) + 2
    trees = {min(part): len(part) for part in components(comparisons, 2 * total + 3)}
    assert trees == {0: total, total: 3, total + 3: total}
    level = torch.cat([torch.repeat_interleave(torch.tensor(s)) for s in (sizes, [2, 1], sizes)])
    gaps = level[comparisons.worse] - level[comparisons.better]
    assert (gaps == 1).all()
    # A record between two others has one of them on each side.
    upper = is_side(comparisons) & (torch.arange(len(comparisons)) < comparisons.other_side)
    assert torch.equal(comparisons.worse[upper], comparisons.better[comparisons.other_side[upper]])
