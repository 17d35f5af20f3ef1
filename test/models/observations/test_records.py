"""An order as ranked records, by itself and beside pending points."""

import math

import torch
from helpers.comparisons import counted, is_gap, pairs
from helpers.gaussian import ranked
from helpers.ranking import line, tensor

from botorch_popbo.data import combine, from_comparisons, from_groups, from_outcomes
from botorch_popbo.models._observations.from_order import observations_of
from botorch_popbo.models._observations.observations import Observations
from botorch_popbo.models._observations.pending import insert_pending


def test_failures_are_worse_than_the_worst_success() -> None:
    outcomes = tensor([[1.0], [-torch.inf], [0.5], [-torch.inf], [3.0]])
    records = observations_of(from_outcomes(line(5), outcomes))
    assert pairs(records.comparisons) == {(4, 0), (0, 2), (2, 1), (2, 3)}
    assert is_gap(records.comparisons).all()
    # However good the best of them might have been.
    assert records.start[1] == records.start[3] < records.start[2]


def test_a_judges_tie_is_half_a_loss() -> None:
    wins, ties = torch.tensor([[0, 1]]), torch.tensor([[2, 3], [2, 1], [2, 0], [2, 3]])
    records = observations_of(from_comparisons(line(4), wins, ties))
    assert records.counts.tolist() == [0.5, 1.5, 2.0, 1.0]
    assert records.exposure.tolist() == [2.0, 2.0, 4.0, 2.0]
    assert int(records.better.argmin()) == 0
    halves = {(2, 3): 1.0, (3, 2): 1.0, (2, 1): 0.5, (1, 2): 0.5, (2, 0): 0.5, (0, 2): 0.5}
    assert counted(records.comparisons) == {(0, 1): 1.0} | halves


def test_a_point_of_several_tasks_has_a_record_of_each() -> None:
    first, second = from_outcomes(line(3), line(3)), from_outcomes(line(3), -line(3))
    records = observations_of(combine(first, second))
    assert records.item.tolist() == [0, 1, 2] * 2
    assert records.level.tolist() == [2, 1, 0, 3, 4, 5]  # those of a task follow each other
    assert records.num_points == 3
    assert pairs(records.comparisons) == {(2, 1), (1, 0), (3, 4), (4, 5)}
    within = observations_of(from_groups(line(4), line(4), torch.tensor([0, 0, 1, 1])))
    assert pairs(within.comparisons) == {(1, 0), (3, 2)}


def test_a_ranking_and_answers_stand_side_by_side() -> None:
    comparisons = from_comparisons(line(3), torch.tensor([[0, 1], [0, 2], [0, 1]]))
    records = observations_of(combine(from_outcomes(line(3), line(3)), comparisons))
    assert records.is_judged.tolist() == [False] * 3 + [True] * 3
    assert counted(records.comparisons) == {(2, 1): 0.0, (1, 0): 0.0, (3, 4): 2.0, (3, 5): 1.0}


ICDF = torch.distributions.Normal(0.0, 1.0).icdf


def complete(*counts: float) -> Observations:
    """Of outcomes that leave so many points above each."""
    return ranked(-tensor(counts))


def test_utilities_start_as_normal_scores() -> None:
    expected = -ICDF(tensor([0.1, 0.3, 0.5, 0.7, 0.9]))
    torch.testing.assert_close(complete(0, 1, 2, 3, 4).start, expected)


def test_a_subset_is_ranked_without_the_others() -> None:
    ranking, comparisons = from_outcomes(line(4), line(4)), torch.tensor([[0, 1], [1, 2]])
    records = observations_of(combine(ranking, from_comparisons(line(4), comparisons)))
    # Neighbours are new ones, while an answer about a record that is left out is lost.
    part = records.subset(torch.tensor([3, 0, 1, 5, 4]))
    assert counted(part.comparisons) == {(0, 2): 0.0, (2, 1): 0.0, (4, 3): 1.0}


def test_a_random_order_has_the_probability_of_one_among_all() -> None:
    values = torch.tensor([3.0, 1.0, 2.0, 1.0]).double().unsqueeze(-1)
    records = observations_of(from_outcomes(line(4), values))
    assert math.isclose(records.log_chance, math.log(2.0 / 24.0))
    groups = torch.tensor([0, 0, 1, 1])
    two_lists = observations_of(from_groups(line(4), values, groups))
    assert math.isclose(two_lists.log_chance, math.log(1.0 / 4.0))


def uncertain(*variances: float) -> Observations:
    """Three outcomes a standard error of one apart, the best last."""
    order = from_outcomes(line(3), line(3), tensor(variances).unsqueeze(-1))
    return observations_of(order)


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
    both = uncertain(0.0, 25.0, 0.0).known_variance
    torch.testing.assert_close(both, tensor([0.0, score**2, 0.0]))
    assert uncertain(0.0, 0.0, 0.0).known_variance.tolist() == [0.0] * 3


def test_differences_may_be_larger_than_any_number() -> None:
    Y = tensor([[-1.5e308], [0.0], [1.5e308]])
    near, far = (
        observations_of(from_outcomes(line(3), Y * scale, torch.full_like(Y, (1e308 * scale) ** 2)))
        for scale in (1e-200, 1e-154)
    )
    torch.testing.assert_close(far.known_variance, near.known_variance)
    huge = observations_of(from_outcomes(line(3), Y, torch.full_like(Y, 1e300))).known_variance
    assert huge.isfinite().all()


def test_what_is_pending_has_a_place() -> None:
    records = ranked(-tensor([0, 1, 2, 3]))
    more = insert_pending(records, tensor([1.7, -0.5]), torch.zeros(6).double())
    assert more.item.tolist() == [0, 1, 2, 3, 4, 5]
    assert more.num_points == 6
    assert pairs(more.comparisons) == {(5, 0), (0, 1), (1, 4), (4, 2), (2, 3)}
    torch.testing.assert_close(more.better[4], tensor(2.7))  # the other new one is better, too


def test_what_is_expected_among_failures_is_one_of_them() -> None:
    outcomes = tensor([[1.0], [-torch.inf], [-torch.inf], [2.0]])
    records = observations_of(from_outcomes(line(4), outcomes))
    more = insert_pending(records, tensor([2.6, 0.4]), torch.zeros(6).double())
    assert more.level[4] == more.level[1] == more.level[2]
    found = pairs(more.comparisons)
    assert {(0, 1), (0, 2), (0, 4)} < found
    assert len(found) == 5


def test_what_is_pending_comes_between_its_neighbours_among_answers() -> None:
    order = from_comparisons(line(3), torch.tensor([[0, 1], [1, 2]]))
    records = observations_of(order)
    utility = tensor([1.0, 0.0, -1.0, 0.5])
    more = insert_pending(records, tensor([1.0]), utility)
    assert more.is_judged.all()
    assert counted(more.comparisons) == {(0, 1): 1.0, (1, 2): 1.0, (0, 3): 1.0, (3, 1): 1.0}


def test_among_several_tasks_a_place_is_one_of_the_last_task() -> None:
    first, second = from_outcomes(line(6), line(6)), from_outcomes(line(3), line(3))
    records = observations_of(combine(first, second))
    last = (records.task == records.task.max()).nonzero().squeeze(-1)
    utility = torch.zeros(len(records) + 1).double()
    utility[last] = tensor([-1.0, 0.0, 1.0])
    utility[-1] = 0.5
    # Of all six points four may be better, of the last task's three only one is.
    more = insert_pending(records, tensor([4.0]), utility)
    assert more.counts[-1] == 1.0
    assert more.counts[last].argsort().tolist() == records.counts[last].argsort().tolist()
