import torch
from helpers.comparisons import chain, counted, is_gap, is_side, pairs, relate
from helpers.gaussian import unit_points

RELATIONS = relate([(0, 1), (1, 2)], between=[(0, 3, 2), (1, 4, 2)], answers=[(5, 0, 2.0)])


def test_they_are_a_sparse_matrix() -> None:
    design = RELATIONS.differences(torch.eye(6).double())
    assert design.sum(-1).tolist() == [0.0] * 7
    assert pairs(RELATIONS, is_gap(RELATIONS)) == {(0, 1), (1, 2)}
    values = unit_points(6)
    torch.testing.assert_close(RELATIONS.differences(values), design @ values)
    rows = unit_points(7)
    torch.testing.assert_close(RELATIONS.scatter(rows, 6), design.T @ rows)
    matrix = values @ values.T
    torch.testing.assert_close(RELATIONS.covariance(matrix), design @ matrix @ design.T)


def test_an_interval_has_two_sides_that_know_each_other() -> None:
    both = chain([5, 4]).join(RELATIONS)  # positions are counted anew
    sides = is_side(both)
    assert pairs(both, sides) == {(0, 3), (3, 2), (1, 4), (4, 2)}
    other = both.other_side
    assert torch.equal(other[other], torch.arange(len(both)))
    upper = sides & (torch.arange(len(both)) < other)
    assert torch.equal(both.worse[upper], both.better[other[upper]])


def test_answers_about_some_records_have_their_places() -> None:
    answers = relate(answers=[(0, 1, 1.0), (3, 1, 2.0), (2, 3, 0.5)])
    assert counted(answers.among(torch.tensor([3, 1, 0]), 4)) == {(2, 1): 1.0, (0, 1): 2.0}
