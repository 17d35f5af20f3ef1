import torch
from helpers.comparisons import counted, pairs
from helpers.gaussian import ranked
from helpers.ranking import line, tensor

from botorch_popbo.data import combine, from_comparisons, from_outcomes, from_top_k
from botorch_popbo.models._observations.from_order import observations_of
from botorch_popbo.models._observations.pending import insert_pending


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


def test_what_is_pending_is_of_the_last_task() -> None:
    first, second = from_outcomes(line(3), line(3)), from_outcomes(line(3), -line(3))
    records = observations_of(combine(first, second))
    more = insert_pending(records, tensor([0.0]), torch.zeros(7).double())
    assert more.task.tolist() == [0] * 3 + [1] * 4
    assert pairs(more.comparisons) == {(2, 1), (1, 0), (6, 3), (3, 4), (4, 5)}
    assert torch.equal(more.counts[:3], records.counts[:3])


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


def test_what_is_expected_among_the_rest_of_a_list_is_one_of_the_rest() -> None:
    records = observations_of(from_top_k(line(5), torch.tensor([0, 1]), torch.arange(2, 5)))
    more = insert_pending(records, tensor([4.0]), torch.zeros(6).double())
    assert more.level[5] == more.level[2] == more.level[4]
    assert more.exposure[5] == more.exposure[4]
