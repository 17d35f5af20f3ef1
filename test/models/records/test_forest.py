import itertools

import pytest
import torch
from helpers.relations import Pair, components, is_gap, is_side, pairs

from botorch_popbo.data._rows import distinct_rows
from botorch_popbo.likelihoods.relations import Relations
from botorch_popbo.models._records.forest import neighbours


def of_lists(*sizes: list[int]) -> Relations:
    """Lists of so many entries at each level, in turn, best first."""
    level = torch.repeat_interleave(torch.tensor([number for list_ in sizes for number in list_]))
    list_of_level = torch.repeat_interleave(torch.tensor([len(levels) for levels in sizes]))
    return neighbours(distinct_rows(level), list_of_level[level])


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
        ([1], set(), set()),
    ],
)
def test_relations_of_a_list(sizes: list[int], gaps: set[Pair], sides: set[Pair]) -> None:
    relations = of_lists(sizes)
    assert pairs(relations, is_gap(relations)) == gaps
    assert pairs(relations, is_side(relations)) == sides
    assert (relations.answers == 0.0).all()


def test_lists_are_trees_of_their_own() -> None:
    relations = of_lists([1, 2], [2, 1, 1], [3], [1, 1])
    assert pairs(relations) == {(0, 1), (0, 2), (3, 5), (4, 5), (5, 6), (10, 11)}


LISTS = [list(sizes) for number in (2, 3, 4) for sizes in itertools.product([1, 3], repeat=number)]


@pytest.mark.parametrize("sizes", LISTS, ids=str)
def test_every_list_is_a_tree_of_true_relations(sizes: list[int]) -> None:
    relations, total = of_lists(sizes, [2, 1], sizes), sum(sizes)
    num_intervals = int(is_side(relations).sum()) // 2
    assert len(relations) - num_intervals == 2 * (total - 1) + 2
    trees = {min(part): len(part) for part in components(relations, 2 * total + 3)}
    assert trees == {0: total, total: 3, total + 3: total}
    level = torch.cat([torch.repeat_interleave(torch.tensor(s)) for s in (sizes, [2, 1], sizes)])
    gaps = level[relations.worse] - level[relations.better]
    assert (gaps == 1).all()
    # A record between two others has one of them on each side.
    upper = is_side(relations) & (torch.arange(len(relations)) < relations.other_side)
    assert torch.equal(relations.worse[upper], relations.better[relations.other_side[upper]])


def test_entries_need_not_be_sorted() -> None:
    shuffle = torch.randperm(7, generator=torch.Generator().manual_seed(0))
    level = torch.tensor([0, 1, 1, 1, 2, 2, 2])[shuffle]
    relations = neighbours(distinct_rows(level), torch.zeros(7, dtype=torch.long))
    assert len(components(relations, 7)) == 1
    assert (level[relations.worse] - level[relations.better] == 1).all()
    assert int(is_side(relations).sum()) == 4
