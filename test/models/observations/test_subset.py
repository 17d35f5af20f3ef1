import torch
from helpers.gaussian import ranked

from botorch_popbo.models._observations.observations import Observations
from botorch_popbo.models._observations.subset import Subset, subset_of
from botorch_popbo.settings import ModelSettings


def falling(number: int) -> Observations:
    return ranked(-torch.arange(number).double())


def test_representatives_are_the_best_half_and_some_others() -> None:
    records = falling(20)
    assert subset_of(records, 8).tolist() == [0, 1, 2, 3, 4, 9, 14, 19]
    assert subset_of(records, 20).tolist() == list(range(20))


def test_sources_share_what_stands_for_them() -> None:
    settings = ModelSettings(num_conditioned=4, num_of_sources=6)
    data = Subset.choose(falling(9), [falling(7), falling(2)], settings)
    assert data.of_target.item.tolist() == [0, 1, 2, 8]
    # Items of the sources follow those of the target, all of them.
    assert data.records.item.tolist() == [0, 1, 2, 8, 9, 10, 15, 16, 17]
    assert data.records.source.tolist() == [0, 0, 0, 0, 1, 1, 1, 2, 2]
    assert len(data.joint) == 14
