import pytest
import torch
from botorch.exceptions import BotorchTensorDimensionError, InputDataError

from botorch_popbo.data import RankCounts
from botorch_popbo.data._questions import Answers

ITEMS = torch.tensor([[0.0], [1.0], [2.0]]).double()


def test_the_chosen_one_beats_each_of_the_others() -> None:
    answers = Answers(1)
    answers.add(ITEMS, 1)
    answers.add(ITEMS[[0, 2]], None)
    counts = RankCounts.from_order(answers.order())
    assert counts.X.flatten().tolist() == [0, 1, 2]
    assert counts.counts.flatten().tolist() == [1.5, 0.0, 1.5]
    assert torch.equal(answers.X, ITEMS[[0, 1, 2, 0, 2]])
    assert torch.equal(answers.last_choice, ITEMS[0])


def test_bad_answers_are_named() -> None:
    answers = Answers(1)
    with pytest.raises(BotorchTensorDimensionError, match="m x 1"):
        answers.add(ITEMS.T, 0)
    with pytest.raises(BotorchTensorDimensionError, match="m >= 2"):
        answers.add(ITEMS[:1], 0)
    for winner in (3, -1, True, 0.0):
        with pytest.raises(InputDataError, match="0 to 2, or None"):
            answers.add(ITEMS, winner)  # type: ignore[arg-type]
    with pytest.raises(InputDataError, match="different points"):
        answers.add(ITEMS[[0, 0]], 0)
    with pytest.raises(InputDataError, match="finite"):
        answers.add(torch.tensor([[0.0], [torch.nan]]), 0)
    assert len(answers) == 0
