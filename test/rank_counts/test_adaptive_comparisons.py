import pytest
import torch
from botorch.exceptions import InputDataError

from botorch_popbo.rank_counts import from_adaptive_comparisons, from_ordering

X = torch.tensor([[0.1], [0.7], [0.4], [0.9], [0.2]], dtype=torch.float64)
ORDER = [2, 0, 4, 1, 3]


def all_pairs(order: list[int]) -> torch.Tensor:
    return torch.tensor([[a, b] for i, a in enumerate(order) for b in order[i + 1 :]])


def ranks(comparisons: list[list[int]], ties: list[list[int]] | None = None) -> dict[float, float]:
    data = from_adaptive_comparisons(
        X,
        torch.tensor(comparisons, dtype=torch.long).reshape(-1, 2),
        None if ties is None else torch.tensor(ties),
    )
    return dict(zip(data.X.squeeze(-1).tolist(), data.counts.tolist(), strict=True))


def test_all_pairs_of_an_order_are_the_order() -> None:
    found, expected = from_adaptive_comparisons(X, all_pairs(ORDER)), from_ordering(X, ORDER)
    assert torch.equal(found.X, expected.X)
    assert torch.equal(found.counts, expected.counts)
    assert torch.equal(found.exposure, expected.exposure)


def test_losing_to_the_best_is_better_than_losing_to_the_worst() -> None:
    # 0 beats 1 and 1 beats 2; then 3 loses to the best and 4 to the worst.
    found = ranks([[0, 1], [1, 2], [0, 3], [2, 4]])
    assert found[0.1] == 0
    assert found[0.9] < found[0.2]


def test_a_tie_puts_items_level() -> None:
    found = ranks([[0, 1], [0, 2]], ties=[[1, 2]])
    assert found == {0.1: 0.0, 0.7: 1.0, 0.4: 1.0}


def test_only_ties_are_no_order() -> None:
    assert set(ranks([], ties=[[0, 1], [1, 2]]).values()) == {0.0}


def test_the_majority_of_contradicting_answers_decides() -> None:
    found = ranks([[0, 1], [0, 1], [1, 0]])
    assert found == {0.1: 0.0, 0.7: 1.0}


def test_the_order_of_answers_does_not_matter() -> None:
    pairs = all_pairs(ORDER)[torch.tensor([3, 1, 8, 0])]
    one, other = from_adaptive_comparisons(X, pairs), from_adaptive_comparisons(X, pairs.flip(0))
    assert torch.equal(one.counts, other.counts)


def test_an_item_does_not_meet_itself() -> None:
    with pytest.raises(InputDataError, match="itself"):
        from_adaptive_comparisons(X, torch.tensor([[1, 1]]))
