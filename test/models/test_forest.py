import itertools

import pytest
import torch
from helpers.relations import Pair, components, pairs
from torch import Tensor

from botorch_popbo.likelihoods.order import Relations
from botorch_popbo.models._forest import neighbours, open_ends


def of_lists(*sizes: list[int], open_at: bool = True) -> Relations:
    """Lists of so many entries at each level, in turn, best first."""
    size = torch.tensor([number for levels in sizes for number in levels])
    list_of_level = torch.repeat_interleave(torch.tensor([len(levels) for levels in sizes]))
    level = torch.repeat_interleave(size)
    ends = open_ends(size, list_of_level)
    if not open_at:
        ends = (torch.zeros_like(ends[0]), torch.zeros_like(ends[1]))
    return neighbours(level, list_of_level[level], *ends)


@pytest.mark.parametrize(
    ("sizes", "strict", "tied"),
    [
        ([1, 1, 1], {(0, 1), (1, 2)}, set()),
        ([1, 3], {(0, 1), (0, 2), (0, 3)}, set()),
        ([3, 1], {(0, 3), (1, 3), (2, 3)}, set()),
        ([1, 3, 1], {(0, 1), (1, 4)}, {(1, 2), (1, 3)}),
        ([2, 1, 2], {(0, 2), (1, 2), (2, 3), (2, 4)}, set()),
        ([1, 2, 2], {(0, 1), (1, 3), (1, 4)}, {(1, 2)}),
        ([2, 2, 1], {(0, 2), (1, 2), (2, 4)}, {(2, 3)}),
        # Of two levels a star below and a star above share their stem.
        ([2, 3], {(0, 2), (0, 3), (0, 4), (1, 2)}, set()),
        ([3], set(), {(0, 1), (0, 2)}),
        ([1], set(), set()),
    ],
)
def test_relations_of_a_list(sizes: list[int], strict: set[Pair], tied: set[Pair]) -> None:
    relations = of_lists(sizes)
    assert pairs(relations, relations.is_strict) == strict
    assert pairs(relations, relations.is_tied) == tied
    assert (relations.answers == 0.0).all()


def test_lists_are_trees_of_their_own() -> None:
    relations = of_lists([1, 2], [2, 1, 1], [1, 1])
    assert pairs(relations) == {(0, 1), (0, 2), (3, 5), (4, 5), (5, 6), (7, 8)}


def test_without_open_ends_levels_are_ties() -> None:
    relations = of_lists([2, 3], open_at=False)
    assert pairs(relations, relations.is_strict) == {(0, 2)}
    assert pairs(relations, relations.is_tied) == {(0, 1), (2, 3), (2, 4)}


LISTS = [
    list(sizes) for number in (1, 2, 3, 4) for sizes in itertools.product([1, 3], repeat=number)
]


@pytest.mark.parametrize("open_at", [True, False])
@pytest.mark.parametrize("sizes", LISTS, ids=str)
def test_every_list_is_a_tree_of_true_relations(sizes: list[int], open_at: bool) -> None:
    relations = of_lists(sizes, [2, 1], sizes, open_at=open_at)
    total = sum(sizes)
    assert len(relations) == 2 * (total - 1) + 2
    trees = {min(part): len(part) for part in components(relations, 2 * total + 3)}
    assert trees == {0: total, total: 3, total + 3: total}
    levels = [torch.repeat_interleave(torch.tensor(part)) for part in (sizes, [2, 1], sizes)]
    level = torch.cat(levels)
    gaps = level[relations.worse] - level[relations.better]
    assert torch.equal(gaps, relations.is_strict.long())


def test_entries_need_not_be_sorted() -> None:
    generator = torch.Generator().manual_seed(0)
    shuffle: Tensor = torch.randperm(6, generator=generator)
    level = torch.tensor([0, 1, 1, 2, 2, 2])[shuffle]
    none = torch.zeros(3, dtype=torch.bool)
    below = torch.tensor([False, False, True])
    relations = neighbours(level, torch.zeros(6, dtype=torch.long), below, none)
    assert len(components(relations, 6)) == 1
    gaps = level[relations.worse] - level[relations.better]
    assert torch.equal(gaps, relations.is_strict.long())
    assert int(relations.is_tied.sum()) == 1


def test_only_ends_of_several_entries_are_open() -> None:
    size, list_of_level = torch.tensor([2, 2, 1, 1, 3, 4]), torch.tensor([0, 0, 0, 1, 1, 2])
    below, above = open_ends(size, list_of_level)
    assert below.tolist() == [False, False, False, False, True, False]
    assert above.tolist() == [True, False, False, False, False, False]
