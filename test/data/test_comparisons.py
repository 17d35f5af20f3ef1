import itertools
from typing import Any

import torch
from helpers.ranking import as_records, line, tensor
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from botorch_popbo.data import from_comparisons, from_ordering

Pairs = list[tuple[int, int]]
# Six rows, four items: 0 and 3 are equal, and 1 and 5.
ROWS = [(1.0, 0.0), (0.0, 2.0), (0.0, 1.0), (1.0, 0.0), (-1.0, 5.0), (-0.0, 2.0)]
PAIRS = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 5)).filter(lambda p: ROWS[p[0]] != ROWS[p[1]])
)


def as_pairs(pairs: Pairs) -> Tensor:
    return torch.tensor(pairs, dtype=torch.long).reshape(-1, 2)


@given(PAIRS, PAIRS)
def test_records_match_brute_force(comparisons: Pairs, ties: Pairs) -> None:
    comparisons = [(0, 1), *comparisons]
    order = from_comparisons(tensor(ROWS), as_pairs(comparisons), as_pairs(ties))
    expected = []
    for row in sorted(set(ROWS)):
        items = {i for i in range(6) if ROWS[i] == row}
        met = sum(len(items & set(pair)) for pair in comparisons + ties)
        losses = sum(loser in items for _, loser in comparisons)
        losses += sum(len(items & set(pair)) for pair in ties) / 2
        if met:
            expected.append((row, float(losses), float(met)))
    assert as_records(order) == expected
    assert order.num_lists == len(comparisons) + len(ties)
    assert order.num_tasks == 1


@given(st.integers(2, 8).flatmap(lambda n: st.permutations(range(n))), st.randoms())
def test_all_pairs_are_the_list(ordering: list[int], random: Any) -> None:
    X = line(len(ordering)).flip(0)
    pairs = list(itertools.combinations(ordering, 2))
    random.shuffle(pairs)
    found = from_comparisons(X, as_pairs(pairs))
    assert as_records(found) == as_records(from_ordering(X, ordering))
