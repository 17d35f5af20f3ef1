import pytest
import torch
from botorch.exceptions import BotorchTensorDimensionError, InputDataError
from helpers.ranking import INF, POINTS, WHOLE, Point, as_records, assert_same, line, means, tensor
from hypothesis import assume, given
from hypothesis import strategies as st
from torch import Tensor

from botorch_popbo.data import from_base_set


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@given(st.lists(st.tuples(POINTS, WHOLE), min_size=2, max_size=12), st.sets(POINTS))
def test_counts_match_brute_force(records: list[tuple[Point, float]], base: set[Point]) -> None:
    X, Y = [x for x, _ in records], [y for _, y in records]
    assume(len(set(X)) >= 2)
    base = (base | {min(X)}) - {max(X)}
    mean = means(X, Y)
    rivals = [mean[p] for p in mean if p in base]
    expected = [(p, sum(r > mean[p] for r in rivals), len(rivals)) for p in sorted(mean)]
    counts = from_base_set(tensor(X), tensor(Y), base=torch.tensor([x in base for x in X]))
    assert as_records(counts) == [record for record in expected if record[0] not in base]


@pytest.mark.parametrize("num_points", [2, 3, 10, 11])
def test_half_of_the_points_is_drawn(num_points: int) -> None:
    X, Y = line(num_points), torch.randn(num_points, dtype=torch.float64)
    counts = from_base_set(X, Y, seeded())
    assert counts.exposure.tolist() == [num_points // 2] * (num_points - num_points // 2)
    drawn = ~torch.isin(X.squeeze(-1), counts.X.squeeze(-1))
    assert_same(from_base_set(X, Y, base=drawn), counts)


@pytest.mark.usefixtures("rng_untouched")
def test_the_generator_decides() -> None:
    X, Y = line(40), line(40)
    assert_same(from_base_set(X, Y, seeded(1)), from_base_set(X, Y, seeded(1)))
    assert not torch.equal(from_base_set(X, Y, seeded(1)).X, from_base_set(X, Y, seeded(2)).X)


@pytest.mark.parametrize(
    ("Y", "base", "expected"),
    [
        # Counts reach the size of the base set.
        ([9.0, 5.0, 1.0, 0.0], [0, 1, 1, 0], [0, 2]),
        # Extremes and failures.
        ([1e300, -1e300, 1e-300, -INF, 0.0, -INF], [1, 0, 0, 1, 1, 0], [2, 1, 2]),
    ],
)
def test_known_cases(Y: list[float], base: list[int], expected: list[float]) -> None:
    counts = from_base_set(line(len(Y)), tensor(Y), base=torch.tensor(base).bool())
    assert counts.counts.tolist() == expected


def test_increasing_transforms_change_nothing() -> None:
    X, Y = line(9), torch.randn(9, dtype=torch.float64)
    assert_same(from_base_set(X, Y, seeded()), from_base_set(X, Y.exp(), seeded()))


@pytest.mark.parametrize(
    ("base", "error", "match"),
    [
        (torch.ones(3) > 0, InputDataError, "leave out at least one"),
        (torch.ones(3) < 0, InputDataError, "at least one point"),
        (torch.tensor([True, False, True]), InputDataError, "some copies of a point and not oth"),
        (torch.tensor([0, 2]), BotorchTensorDimensionError, r"mask over the 3 rows.*got \(2,\)"),
        (torch.tensor([0, 1, 1]), InputDataError, "must be a boolean mask.*torch.int64"),
        (
            torch.ones(3, device="meta") > 0,
            InputDataError,
            "must be a boolean mask on cpu.*on meta",
        ),
    ],
)
def test_bad_masks_say_what_to_do(base: Tensor, error: type[Exception], match: str) -> None:
    X = tensor([[0.0], [0.0], [1.0]])
    with pytest.raises(error, match=match):
        from_base_set(X, X, base=base)


def test_one_of_generator_and_mask_is_needed() -> None:
    for both in ((), (seeded(), torch.tensor([True, False, False]))):
        with pytest.raises(InputDataError, match=r"either a generator.*and not both"):
            from_base_set(line(3), line(3), *both)
