import torch
from helpers.ranking import line, tensor

from botorch_popbo.data import Order, combine, from_comparisons, from_outcomes, from_top_k
from botorch_popbo.models._law.buckets import Buckets
from botorch_popbo.models._records.from_order import records_of
from botorch_popbo.models._records.records import Records


def scored(scores: list[float]) -> Records:
    return records_of(Order.from_scores(line(len(scores)), tensor(scores)))


def test_equal_outcomes_are_one_bucket_known_by_its_worst_record() -> None:
    records = scored([3.0, 1.0, 3.0, 2.0, 1.0, 1.0])
    utilities = tensor([1.0, -1.0, 0.9, 0.0, -1.5, -1.2])
    buckets = Buckets.from_records(records, torch.arange(6), utilities)
    assert buckets.size.tolist() == [2.0, 1.0, 3.0]
    assert buckets.record.tolist() == [2, 3, 4]
    assert buckets.place.tolist() == [0, 1, 2]


def test_points_that_stand_for_no_utility_are_interpolated_by_place() -> None:
    records = scored([6.0, 5.0, 4.0, 3.0, 2.0, 1.0])
    used = torch.tensor([3, 1, 2])  # neither the best nor the worst two
    buckets = Buckets.from_records(records, used, tensor([0.0, 2.0, 1.5]))
    assert buckets.size.tolist() == [1.0] * 6
    assert buckets.place.tolist() == [1, 2, 3]
    assert buckets.record.tolist() == [1, 2, 0]
    values = buckets.interpolate(tensor([[2.0, 1.5, 0.0], [1.0, 0.0, -1.0]]))
    assert values.tolist() == [[2.5, 2.0, 1.5, 0.0, -1.5, -3.0], [2, 1, 0, -1, -2, -3]]


def test_between_known_places_the_step_is_shared() -> None:
    records = scored([5.0, 4.0, 3.0, 2.0, 1.0])
    buckets = Buckets.from_records(records, torch.tensor([0, 4]), tensor([1.0, 0.0]))
    assert buckets.interpolate(tensor([1.0, 0.0])).tolist() == [1.0, 0.75, 0.5, 0.25, 0.0]
    alone = Buckets.from_records(records, torch.tensor([2]), tensor([1.0]))
    assert alone.interpolate(tensor([3.0])).tolist() == [3.0] * 5


def test_points_of_several_tasks_are_ranked_by_their_utilities() -> None:
    first = from_outcomes(line(4), tensor([1.0, 2.0, 3.0, 4.0]))
    both = combine(first, from_outcomes(line(6)[2:], tensor([1.0, 2.0, 3.0, 4.0])))
    records = records_of(both)
    assert len(records.item) == 8
    utilities = tensor([0.0, 3.0, 1.0, 2.0, 9.0, 9.0, -1.0, 0.5])
    buckets = Buckets.from_records(records, torch.arange(8), utilities)
    assert buckets.size.tolist() == [1.0] * 6
    assert buckets.record.tolist() == [1, 3, 2, 7, 0, 6]
    fewer = Buckets.from_records(records, torch.arange(4), utilities[:4])
    assert fewer.size.sum() == 6.0
    assert (fewer.size.round() == fewer.size).all()


def test_a_point_with_several_records_is_known_by_the_one_with_the_least_noise() -> None:
    outcomes = from_outcomes(line(3), tensor([1.0, 2.0, 3.0]))
    noisy = from_outcomes(line(3), tensor([1.0, 2.0, 3.0]), tensor([1.0, 1.0, 1.0]))
    answers = from_comparisons(line(3), torch.tensor([[1, 0], [2, 1]]))
    for worse, better in ((outcomes, answers), (noisy, answers), (noisy, outcomes)):
        for orders, first in (((worse, better), 3), ((better, worse), 0)):
            buckets = Buckets.from_records(
                records_of(combine(*orders)), torch.arange(6), tensor([0.0, 1.0, 2.0] * 2)
            )
            assert buckets.record.tolist() == [first + 2, first + 1, first]


def test_of_several_tasks_a_point_without_a_record_comes_where_it_ranks() -> None:
    scores = tensor([6.0, 5.0, 4.0, 3.0, 2.0, 1.0])
    order = combine(*(Order.from_scores(line(6)[i::2], scores[i::2]) for i in (0, 1)))
    records = records_of(order)
    best = records.better.argsort(stable=True)[[0, 1, 2, 4]]
    buckets = Buckets.from_records(records, best, tensor([2.0, 1.0, 0.5, -1.0]))
    assert buckets.size.tolist() == [1.0, 1.0, 1.0, 3.0]


def test_what_was_not_compared_is_not_one_bucket() -> None:
    records = records_of(from_top_k(line(6), torch.tensor([0]), torch.arange(1, 6)))
    buckets = Buckets.from_records(records, torch.arange(6), -tensor([0.0, 1, 2, 3, 4, 5]))
    assert buckets.size.tolist() == [1.0] * 6
