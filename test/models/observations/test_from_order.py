import torch
from helpers.comparisons import counted, is_gap, pairs
from helpers.ranking import line, tensor

from botorch_popbo.data import combine, from_comparisons, from_groups, from_outcomes
from botorch_popbo.models._observations.from_order import observations_of


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


def test_it_is_in_double_precision_and_moves_between_devices(device: torch.device) -> None:
    order = from_outcomes(line(4).float(), line(4).float())
    records = observations_of(order).to(device)
    assert records.better.dtype == records.start.dtype == torch.float64
    tensors = (records.level, records.start, records.known_variance, records.item, records.better)
    tensors += (records.comparisons.better, records.comparisons.answers)
    assert {values.device.type for values in tensors} == {device.type}
