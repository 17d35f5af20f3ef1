import math

import torch
from helpers.comparisons import counted
from helpers.gaussian import ranked
from helpers.ranking import line, tensor

from botorch_popbo.data import combine, from_comparisons, from_groups, from_outcomes
from botorch_popbo.models._observations.from_order import observations_of
from botorch_popbo.models._observations.observations import Observations

ICDF = torch.distributions.Normal(0.0, 1.0).icdf


def complete(*counts: float) -> Observations:
    """Of outcomes that leave so many points above each."""
    return ranked(-tensor(counts))


def test_utilities_start_as_normal_scores() -> None:
    expected = -ICDF(tensor([0.1, 0.3, 0.5, 0.7, 0.9]))
    torch.testing.assert_close(complete(0, 1, 2, 3, 4).start, expected)


def test_a_subset_keeps_the_order_and_the_counts_among_all() -> None:
    records = complete(3, 0, 1, 4, 2)
    part = records.subset(torch.tensor([3, 1, 4]))
    assert part.level.tolist() == [2, 0, 1]
    assert part.item.tolist() == [3, 1, 4]
    assert torch.equal(part.start, records.start[[3, 1, 4]])
    torch.testing.assert_close(part.better, tensor([4, 0, 2]))
    assert part.num_points == 5


def test_a_subset_of_all_is_the_ranking_itself() -> None:
    records = complete(3, 0, 1, 4, 2)
    assert records.subset(torch.arange(5)) is records
    assert records.subset(torch.tensor([1, 0, 2, 3, 4])).item.tolist() == [1, 0, 2, 3, 4]


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
