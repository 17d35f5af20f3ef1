import torch
from helpers.ranking import line, tensor

from botorch_popbo.rank_counts import from_comparisons
from botorch_popbo.rates.ranking import Ranking


def complete(*counts: float) -> Ranking:
    k = tensor(counts)
    return Ranking.from_counts(k, torch.full_like(k, len(k) - 1.0), len(k))


def test_a_complete_ranking_is_exact() -> None:
    ranking = complete(2, 0, 3, 1)
    assert ranking.level.tolist() == [2, 0, 3, 1]
    assert ranking.variance.tolist() == [0.0] * 4
    torch.testing.assert_close(ranking.better, tensor([2, 0, 3, 1]))


def test_utilities_start_as_normal_scores() -> None:
    start = complete(0, 1, 2, 3, 4).start
    expected = -torch.distributions.Normal(0.0, 1.0).icdf(tensor([0.1, 0.3, 0.5, 0.7, 0.9]))
    torch.testing.assert_close(start, expected)


def test_tied_records_share_a_level_and_its_width() -> None:
    ranking = complete(0, 1, 1, 1, 4)
    assert ranking.level.tolist() == [0, 1, 1, 1, 2]
    assert ranking.start.shape == (3,)
    assert ranking.variance[[0, 4]].tolist() == [0.0, 0.0]
    assert (ranking.variance[1:4] > 0.0).all()
    assert len(ranking.variance.unique()) == 2


def test_the_worst_records_are_not_uncertain_for_being_many() -> None:
    few, many = complete(0, 1, 2, 2), complete(0, 1, *[2] * 50)
    assert few.level[-2:].tolist() == many.level[-2:].tolist() == [2, 2]
    assert 0.0 < many.variance[-1] < few.variance[-1]
    # Had they shared all their ranks, fifty would be more uncertain than two.
    assert complete(0, *[1] * 50, 60).variance[1] > complete(0, 1, 1, 60).variance[1]


def test_few_comparisons_leave_more_open() -> None:
    share = tensor([0.25, 0.25, 0.25])
    exposure = tensor([4.0, 40.0, 99.0])
    # Equal shares: (k + 1/2) / (n + 1) is a quarter.
    counts = share * (exposure + 1.0) - 0.5
    ranking = Ranking.from_counts(counts, exposure, 100)
    assert ranking.level.tolist() == [0, 0, 0]
    assert ranking.variance[0] > ranking.variance[1] > ranking.variance[2]


def test_comparisons_are_ordered_by_their_share() -> None:
    X = line(3)
    data = from_comparisons(X, torch.tensor([[0, 1], [0, 2], [1, 2]]))
    ranking = Ranking.from_counts(data.counts, data.exposure, 3)
    assert ranking.level.tolist() == [0, 1, 2]


def test_a_subset_keeps_the_order_and_the_counts_among_all() -> None:
    ranking = complete(3, 0, 1, 4, 2)
    part = ranking.subset(torch.tensor([3, 1, 4]))
    assert part.level.tolist() == [2, 0, 1]
    assert torch.equal(part.start, ranking.start[[0, 2, 4]])
    torch.testing.assert_close(part.better, tensor([4, 0, 2]))
    assert part.num_points == 5


def test_it_is_in_double_precision_and_moves_between_devices(device: torch.device) -> None:
    counts = torch.arange(4.0)
    ranking = Ranking.from_counts(counts, torch.full_like(counts, 3.0), 4).to(device)
    assert ranking.better.dtype == torch.float64
    assert {t.device.type for t in (ranking.level, ranking.start, ranking.variance)} == {
        device.type
    }
