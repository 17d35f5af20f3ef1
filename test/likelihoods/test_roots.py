import pytest
import torch
from helpers.gaussian import unit_points
from torch import Tensor

from botorch_popbo.likelihoods._roots import IntervalRoot, Root

OWN = 0.5 + unit_points(5)[:, 0]
ACROSS = torch.tensor([-0.3, 0.2]).double()
FIRST, SECOND = torch.tensor([0, 3]), torch.tensor([2, 4])
INTERVALS = OWN.diag().index_put((SECOND, FIRST), ACROSS)
EACH_ROOT = pytest.mark.parametrize(
    ("root", "dense"),
    [(Root(OWN), OWN.diag()), (IntervalRoot(OWN, ACROSS, FIRST, SECOND), INTERVALS)],
)
VECTOR = unit_points(5, seed=1)[:, 0].contiguous()


@EACH_ROOT
def test_it_multiplies_and_solves_like_a_matrix(root: Root, dense: Tensor) -> None:
    rows = unit_points(5, seed=2)
    for values in (rows, VECTOR):
        torch.testing.assert_close(root.times(values), dense @ values)
        torch.testing.assert_close(root.transposed_times(values), dense.T @ values)
    torch.testing.assert_close(root.solve(VECTOR), torch.linalg.solve(dense, VECTOR))
    torch.testing.assert_close(root.transposed_solve(VECTOR), torch.linalg.solve(dense.T, VECTOR))


@EACH_ROOT
def test_it_goes_around_a_symmetric_matrix(root: Root, dense: Tensor) -> None:
    matrix = unit_points(5, 5) + unit_points(5, 5).T
    torch.testing.assert_close(root.around(matrix), dense.T @ matrix @ dense)
    torch.testing.assert_close(root.inside(matrix), dense @ matrix @ dense.T)


@EACH_ROOT
def test_what_is_left_open_is_the_conditional_covariance(root: Root, dense: Tensor) -> None:
    factor = unit_points(5, 5, seed=3)
    prior, curvature = factor @ factor.T, dense @ dense.T
    expected = torch.linalg.inv(torch.linalg.inv(prior) + curvature)
    inverse = torch.linalg.inv(torch.eye(5).double() + dense.T @ prior @ dense)
    own, cross = root.left_open(inverse)
    torch.testing.assert_close(own, expected.diagonal(), rtol=1e-6, atol=1e-8)
    pairs = expected[FIRST, SECOND] if isinstance(root, IntervalRoot) else expected[:0, 0]
    torch.testing.assert_close(cross, pairs, rtol=1e-6, atol=1e-8)
