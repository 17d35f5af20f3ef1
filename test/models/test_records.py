import pytest
import torch
from helpers.gaussian import ranked
from helpers.ranking import line, tensor
from helpers.relations import components, counted, is_gap, is_side, pairs

from botorch_popbo.data import combine, from_comparisons, from_groups, from_outcomes
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
    torch.testing.assert_close(records.better, tensor([2, 0, 3, 1]))


def test_utilities_start_as_normal_scores() -> None:
    expected = -ICDF(tensor([0.1, 0.3, 0.5, 0.7, 0.9]))
    torch.testing.assert_close(complete(0, 1, 2, 3, 4).start, expected)


def test_tied_records_lie_between_their_neighbours() -> None:
    records = complete(0, 1, 1, 1, 4)
    assert records.level.tolist() == [0, 1, 1, 1, 2]
    assert len(records.start.unique()) == 3
    relations = records.relations
    assert pairs(relations, is_gap(relations)) == {(0, 1), (1, 4)}
    assert pairs(relations, is_side(relations)) == {(0, 2), (2, 4), (0, 3), (3, 4)}


@pytest.mark.parametrize("counts", [(0, 1, 2, 2), (0, 1, *[2] * 50), (0, 0, 2, 3, 3)])
def test_ties_at_the_ends_are_known_from_one_side_only(counts: tuple[int, ...]) -> None:
    relations = complete(*counts).relations
    assert is_gap(relations).all()
    assert len(components(relations, len(counts))) == 1


def test_failures_are_worse_than_the_worst_success() -> None:
    outcomes = tensor([[1.0], [-torch.inf], [0.5], [-torch.inf], [3.0]])
    records = Records.from_order(from_outcomes(line(5), outcomes))
    assert pairs(records.relations) == {(4, 0), (0, 2), (2, 1), (2, 3)}
    assert is_gap(records.relations).all()
    # However good the best of them might have been.
    assert records.start[1] == records.start[3] < records.start[2]


def test_comparisons_are_ordered_by_their_share() -> None:
    order = from_comparisons(line(3), torch.tensor([[0, 1], [0, 2], [1, 2]]))
    records = Records.from_order(order)
    assert records.level.tolist() == [0, 1, 2]
    # What is known of them are the answers, not a place.
    assert records.is_judged.all()
    assert counted(records.relations) == {(0, 1): 1.0, (0, 2): 1.0, (1, 2): 1.0}


def test_answers_may_contradict_each_other() -> None:
    order = from_comparisons(line(3), torch.tensor([[0, 1], [1, 2], [2, 0], [1, 0], [0, 1]]))
    found = counted(Records.from_order(order).relations)
    assert found == {(0, 1): 2.0, (1, 0): 1.0, (1, 2): 1.0, (2, 0): 1.0}


def test_a_point_of_several_tasks_has_a_record_of_each() -> None:
    first, second = from_outcomes(line(3), line(3)), from_outcomes(line(3), -line(3))
    records = Records.from_order(combine(first, second))
    assert records.item.tolist() == [0, 1, 2] * 2
    assert records.level.tolist() == [2, 1, 0, 3, 4, 5]  # those of a task follow each other
    assert records.num_points == 3
    assert pairs(records.relations) == {(2, 1), (1, 0), (3, 4), (4, 5)}
    within = Records.from_order(from_groups(line(4), line(4), torch.tensor([0, 0, 1, 1])))
    assert pairs(within.relations) == {(1, 0), (3, 2)}


def test_a_ranking_and_answers_stand_side_by_side() -> None:
    comparisons = from_comparisons(line(3), torch.tensor([[0, 1], [0, 2], [0, 1]]))
    records = Records.from_order(combine(from_outcomes(line(3), line(3)), comparisons))
    assert records.is_judged.tolist() == [False] * 3 + [True] * 3
    assert counted(records.relations) == {(2, 1): 0.0, (1, 0): 0.0, (3, 4): 2.0, (3, 5): 1.0}


def test_known_variances_are_carried_over_to_the_utility() -> None:
    # A standard error reaches half the way to the next of the normal scores, at most.
    score = float(ICDF(tensor(5.0 / 6.0)))
    records = uncertain(0.25, 0.25, 0.25)
    expected = tensor([(0.5 * score) ** 2] * 3)
    torch.testing.assert_close(records.known_variance, expected)
    assert records.level.tolist() == [2, 1, 0]  # the places stay as they are
    # Beyond the ends nothing is known; what is reached inside the list counts.
    wide = uncertain(4.0, 0.0, 1.0).known_variance
    torch.testing.assert_close(wide, tensor([(2.0 * score) ** 2, 0.0, score**2]))
    assert uncertain(0.0, 0.0, 0.0).known_variance.tolist() == [0.0] * 3


def test_failures_have_no_variance_of_their_own() -> None:
    outcomes = tensor([[1.0], [2.0], [-torch.inf], [3.0]])
    order = from_outcomes(line(4), outcomes, torch.full_like(outcomes, 0.04))
    variance = Records.from_order(order).known_variance
    assert variance[2] == 0.0
    assert (variance[[0, 1, 3]] > 0.0).all()


def test_a_subset_keeps_the_order_and_the_counts_among_all() -> None:
    records = complete(3, 0, 1, 4, 2)
    part = records.subset(torch.tensor([3, 1, 4]))
    assert part.level.tolist() == [2, 0, 1]
    assert part.item.tolist() == [3, 1, 4]
    assert torch.equal(part.start, records.start[[3, 1, 4]])
    torch.testing.assert_close(part.better, tensor([4, 0, 2]))
    assert part.num_points == 5


def test_a_subset_is_ranked_without_the_others() -> None:
    ranking, comparisons = from_outcomes(line(4), line(4)), torch.tensor([[0, 1], [1, 2]])
    records = Records.from_order(combine(ranking, from_comparisons(line(4), comparisons)))
    # Neighbours are new ones, while an answer about a record that is left out is lost.
    part = records.subset(torch.tensor([3, 0, 1, 5, 4]))
    assert counted(part.relations) == {(0, 2): 0.0, (2, 1): 0.0, (4, 3): 1.0}


def test_what_is_pending_has_a_place() -> None:
    records = complete(0, 1, 2, 3)
    more = records.insert(tensor([1.7, -0.5]), torch.zeros(6).double())
    assert more.item.tolist() == [0, 1, 2, 3, 4, 5]
    assert more.num_points == 6
    assert pairs(more.relations) == {(5, 0), (0, 1), (1, 4), (4, 2), (2, 3)}
    torch.testing.assert_close(more.better[4], tensor(2.7))  # the other new one is better, too


def test_what_is_expected_among_failures_is_one_of_them() -> None:
    outcomes = tensor([[1.0], [-torch.inf], [-torch.inf], [2.0]])
    records = Records.from_order(from_outcomes(line(4), outcomes))
    more = records.insert(tensor([2.6, 0.4]), torch.zeros(6).double())
    assert more.level[4] == more.level[1] == more.level[2]
    found = pairs(more.relations)
    assert {(0, 1), (0, 2), (0, 4)} < found
    assert len(found) == 5


def test_what_is_pending_comes_between_its_neighbours_among_answers() -> None:
    order = from_comparisons(line(3), torch.tensor([[0, 1], [1, 2]]))
    records = Records.from_order(order)
    utility = tensor([1.0, 0.0, -1.0, 0.5])
    more = records.insert(tensor([1.0]), utility)
    assert more.is_judged.all()
    assert counted(more.relations) == {(0, 1): 1.0, (1, 2): 1.0, (0, 3): 1.0, (3, 1): 1.0}


def test_what_is_pending_is_of_the_last_task() -> None:
    first, second = from_outcomes(line(3), line(3)), from_outcomes(line(3), -line(3))
    records = Records.from_order(combine(first, second))
    more = records.insert(tensor([0.0]), torch.zeros(7).double())
    assert more.task.tolist() == [0] * 3 + [1] * 4
    assert pairs(more.relations) == {(2, 1), (1, 0), (6, 3), (3, 4), (4, 5)}
    assert torch.equal(more.counts[:3], records.counts[:3])


def test_it_is_in_double_precision_and_moves_between_devices(device: torch.device) -> None:
    order = from_outcomes(line(4).float(), line(4).float())
    records = Records.from_order(order).to(device)
    assert records.better.dtype == records.start.dtype == torch.float64
    tensors = (records.level, records.start, records.known_variance, records.item, records.better)
    tensors += (records.relations.better, records.relations.answers)
    assert {values.device.type for values in tensors} == {device.type}
