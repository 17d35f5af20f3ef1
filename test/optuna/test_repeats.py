import torch

from botorch_popbo.optuna._repeats import Repeats

POINTS = torch.tensor([[0.0, 0.3, 7.0], [0.0, 0.3, 8.0], [1.0, 0.5, 9.0]])


def test_what_agrees_in_all_that_was_asked_for_is_the_first_such_trial() -> None:
    repeats = Repeats([(POINTS[0], [0, 1]), (POINTS[1], [0, 1]), (POINTS[2], [0])])
    X = torch.tensor([[0.0, 0.3, 1.0], [0.0, 0.4, 7.0], [1.0, 0.3, 1.0], [2.0, 0.5, 9.0]])
    expected = torch.stack([POINTS[0], X[1], POINTS[2], X[3]])
    assert torch.equal(repeats(X), expected)
    assert torch.equal(repeats(X[:0]), X[:0])


def test_points_are_left_as_they_are() -> None:
    X = torch.tensor([[1.0, 0.3, 1.0]])
    Repeats([(POINTS[2], [0])])(X)
    assert X.tolist() == [[1.0, torch.tensor(0.3).item(), 1.0]]
