import pytest
import torch
from helpers.ranking import POINTS, WHOLE, Point, as_records, assert_same, line, means, tensor
from hypothesis import assume, given
from hypothesis import strategies as st

from botorch_popbo.paper.base_set import from_base_set


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@given(st.lists(st.tuples(POINTS, WHOLE), min_size=2, max_size=12), st.integers(0, 99))
def test_counts_match_brute_force(records: list[tuple[Point, float]], seed: int) -> None:
    X, Y = [x for x, _ in records], [y for _, y in records]
    assume(len(set(X)) >= 2)
    counts = from_base_set(tensor(X), tensor(Y), seeded(seed))
    mean, found = means(X, Y), as_records(counts)
    base = set(mean) - {point for point, _, _ in found}
    assert len(base) == len(mean) // 2
    rivals = [mean[point] for point in base]
    expected = [(p, sum(r > mean[p] for r in rivals), len(rivals)) for p in sorted(mean)]
    assert found == [record for record in expected if record[0] not in base]


@pytest.mark.usefixtures("rng_untouched")
def test_the_generator_decides_and_increasing_transforms_change_nothing() -> None:
    X, Y = line(40), line(40)
    assert_same(from_base_set(X, Y, seeded(1)), from_base_set(X, Y.exp(), seeded(1)))
    assert not torch.equal(from_base_set(X, Y, seeded(1)).X, from_base_set(X, Y, seeded(2)).X)
