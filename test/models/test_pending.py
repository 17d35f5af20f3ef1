import torch

from botorch_popbo.models.pending import insert_pending
from botorch_popbo.rank_counts import RankCounts, from_outcomes


def column(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64).unsqueeze(-1)


def test_pending_points_slot_in_between_the_observed_ones() -> None:
    data = from_outcomes(column(0, 1, 2, 3), column(40, 30, 20, 10))
    # Predicted to be behind two of the four, and ahead of all.
    joined = insert_pending(data, column(8, 9), torch.tensor([2.0, 0.0], dtype=torch.float64))
    assert joined.X.squeeze(-1).tolist() == [0, 1, 2, 3, 8, 9]
    assert joined.counts.tolist() == [1, 2, 4, 5, 3, 0]
    assert joined.exposure.tolist() == [5] * 6


def test_equal_predictions_share_a_rank() -> None:
    data = from_outcomes(column(0, 1), column(1, 0))
    joined = insert_pending(data, column(5, 6), torch.tensor([1.0, 1.0], dtype=torch.float64))
    assert joined.counts.tolist() == [0, 3, 1, 1]


def test_short_records_are_placed_by_their_share() -> None:
    half, one = torch.tensor([0.0, 1.0, 1.0]).double(), torch.tensor([2.0, 2.0, 1.0]).double()
    joined = insert_pending(
        RankCounts(column(0, 1, 2), half, one), column(9), torch.tensor([1.0]).double()
    )
    # Shares 0, 1/2 and 1 of two other points: the pending one goes between the first two.
    assert joined.counts.tolist() == [0, 2, 2, 1]
    assert joined.exposure.tolist() == [3, 3, 2, 3]
