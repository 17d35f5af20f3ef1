import pytest
import torch
from torch import Tensor

from botorch_popbo.models import RankingGP
from botorch_popbo.search.answers import Interview
from botorch_popbo.settings import Settings
from botorch_popbo.space import Space

SPACE = Space.read({"x": (-10.0, 10.0), "switch": [0, 1], "milk": ["a", "b", "c", "d"]})
X = SPACE.draw(20, seed=0)


@pytest.fixture(scope="module")
def model() -> RankingGP:
    utility = X[:, :1] / 10.0 + X[:, 1:2]
    return RankingGP(X, utility, input_transform=SPACE.input_transform()).fit()


def challengers(model: RankingGP, number: int, turn: int = 0, seed: int = 0) -> Tensor:
    interview = Interview(SPACE, (), Settings(), seed, 1)
    vars(interview)["model"] = model
    return interview.challengers(X[0], number, turn, X[:1])


@pytest.mark.parametrize("turn", [0, 1])
def test_challengers_are_other_points_of_the_space_near_the_champion(
    model: RankingGP, turn: int
) -> None:
    found = challengers(model, 5, turn)
    assert found.shape == (5, 3)
    assert len(torch.cat([found, X[:1]]).unique(dim=0)) == 6
    assert torch.equal(found[:, 1:], found[:, 1:].round())
    assert bool(((found >= SPACE.bounds[0]) & (found <= SPACE.bounds[1])).all())
    assert bool(((found - X[0])[:, 0].abs() <= 0.25 * 20.0 + 1e-9).all())


def test_the_first_promises_to_be_better(model: RankingGP) -> None:
    mean = model.posterior(torch.cat([challengers(model, 1), X[:1]])).mean
    assert mean[0] > mean[1]
