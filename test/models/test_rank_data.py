import torch
from helpers.toy import toy_data

from botorch_popbo.models.rank_data import RankData
from botorch_popbo.rank_counts import RankCounts, from_outcomes


def test_outcomes_are_kept_beside_their_ranks() -> None:
    X, Y = toy_data(6)
    data = RankData.from_outcomes(torch.cat([X, X]), torch.cat([Y, Y]))
    assert data.train_X.shape == (12, 2)
    assert torch.equal(data.train_Y, torch.cat([Y, Y]).flatten())
    assert data.num_points == 6
    assert torch.equal(data.records.counts, from_outcomes(X, Y).counts)


def test_records_alone_stand_in_for_outcomes() -> None:
    counts, exposure = torch.tensor([0.0, 1.0]).double(), torch.tensor([2.0, 4.0]).double()
    data = RankData(RankCounts(torch.eye(2).double(), counts, exposure))
    assert data.train_Y.tolist() == [0.0, -0.25]
    assert torch.equal(data.train_X, torch.eye(2).double())


def test_data_follow_the_model_but_not_its_state() -> None:
    data = RankData.from_outcomes(*toy_data(6)).to(torch.float32)
    assert {buffer.dtype for buffer in data.buffers()} == {torch.float32}
    assert data.state_dict() == {}


def test_equal_outcomes_say_nothing() -> None:
    X, Y = toy_data(6)
    assert RankData.from_outcomes(X, torch.ones_like(Y)).says_nothing
    assert not RankData.from_outcomes(X, Y).says_nothing
