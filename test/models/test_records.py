import torch
from helpers.gaussian import ranked
from helpers.ranking import line, tensor

from botorch_popbo.data import Order, combine, from_comparisons, from_groups, from_outcomes
from botorch_popbo.models._records import Records

ICDF = torch.distributions.Normal(0.0, 1.0).icdf


def complete(*counts: float) -> Records:
    """Of outcomes that leave so many points above each."""
    return ranked(-tensor(counts))


def uncertain(*variances: float) -> Records:
    """Three outcomes a standard error of one apart, the best last."""
    order = from_outcomes(line(3), line(3), tensor(variances).unsqueeze(-1))
    return Records.from_order(order)


def test_a_complete_ranking_is_exact() -> None:
    records = complete(2, 0, 3, 1)
    assert records.level.tolist() == [2, 0, 3, 1]
    assert records.variance.tolist() == [0.0] * 4
    torch.testing.assert_close(records.better, tensor([2, 0, 3, 1]))


def test_utilities_start_as_normal_scores() -> None:
    expected = -ICDF(tensor([0.1, 0.3, 0.5, 0.7, 0.9]))
    torch.testing.assert_close(complete(0, 1, 2, 3, 4).start, expected)


def test_tied_records_share_a_level_and_its_width() -> None:
    records = complete(0, 1, 1, 1, 4)
    assert records.level.tolist() == [0, 1, 1, 1, 2]
    assert records.start.shape == (3,)
    assert records.variance[[0, 4]].tolist() == [0.0, 0.0]
    assert (records.variance[1:4] > 0.0).all()
    assert len(records.variance.unique()) == 2


def test_the_worst_records_are_not_uncertain_for_being_many() -> None:
    few, many = complete(0, 1, 2, 2), complete(0, 1, *[2] * 50)
    assert few.level[-2:].tolist() == many.level[-2:].tolist() == [2, 2]
    assert 0.0 < many.variance[-1] < few.variance[-1]
    # Had they shared all their ranks, fifty would be more uncertain than two.
    assert complete(0, *[1] * 50, 60).variance[1] > complete(0, 1, 1, 60).variance[1]


def test_few_comparisons_leave_more_open() -> None:
    # In the middle of a list of three, and in the middle of one of nineteen.
    X = line(40)
    short = Order.from_scores(X[:3], tensor([1, 2, 3]))
    long = Order.from_scores(X[5:24], torch.arange(19).double())
    records = Records.from_order(combine(short, long))
    middle = [int((records.item == point).nonzero()) for point in (1, 12)]
    assert records.level[middle].unique().numel() == 1
    few, many = records.variance[middle]
    assert few > many > 0.0
    assert complete(*range(40)).variance[20] == 0.0


def test_comparisons_are_ordered_by_their_share() -> None:
    order = from_comparisons(line(3), torch.tensor([[0, 1], [0, 2], [1, 2]]))
    assert Records.from_order(order).level.tolist() == [0, 1, 2]


def test_a_point_of_several_tasks_has_a_record_of_each() -> None:
    first, second = from_outcomes(line(3), line(3)), from_outcomes(line(3), -line(3))
    records = Records.from_order(combine(first, second))
    assert records.item.tolist() == [0, 1, 2] * 2
    assert records.level.tolist() == [2, 1, 0, 0, 1, 2]
    assert records.num_points == 3
    within = Records.from_order(from_groups(line(4), line(4), torch.tensor([0, 0, 1, 1])))
    assert within.level.tolist() == [1, 0, 1, 0]


def test_known_variances_are_carried_over_to_the_utility() -> None:
    # A standard error reaches half the way to the next of the normal scores, at most.
    score = float(ICDF(tensor(5.0 / 6.0)))
    records = uncertain(0.25, 0.25, 0.25)
    expected = tensor([(0.5 * score) ** 2] * 3)
    torch.testing.assert_close(records.variance, expected)
    assert records.level.tolist() == [2, 1, 0]  # the places stay as they are
    # Beyond the ends nothing is known; what is reached inside the list counts.
    wide = uncertain(4.0, 0.0, 1.0).variance
    torch.testing.assert_close(wide, tensor([(2.0 * score) ** 2, 0.0, score**2]))
    assert uncertain(0.0, 0.0, 0.0).variance.tolist() == [0.0] * 3


def test_failures_have_no_variance_of_their_own() -> None:
    outcomes = tensor([[1.0], [2.0], [-torch.inf], [3.0]])
    order = from_outcomes(line(4), outcomes, torch.full_like(outcomes, 0.04))
    variance = Records.from_order(order).variance
    assert variance[2] == 0.0
    assert (variance[[0, 1, 3]] > 0.0).all()


def test_a_subset_keeps_the_order_and_the_counts_among_all() -> None:
    records = complete(3, 0, 1, 4, 2)
    part = records.subset(torch.tensor([3, 1, 4]))
    assert part.level.tolist() == [2, 0, 1]
    assert part.item.tolist() == [3, 1, 4]
    assert torch.equal(part.start, records.start[[0, 2, 4]])
    torch.testing.assert_close(part.better, tensor([4, 0, 2]))
    assert part.num_points == 5


def test_it_is_in_double_precision_and_moves_between_devices(device: torch.device) -> None:
    order = from_outcomes(line(4).float(), line(4).float())
    records = Records.from_order(order).to(device)
    assert records.better.dtype == records.start.dtype == torch.float64
    tensors = (records.level, records.start, records.variance, records.item, records.better)
    assert {values.device.type for values in tensors} == {device.type}
