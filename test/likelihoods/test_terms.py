import pytest
import torch
from helpers.comparisons import chain, relate
from helpers.gaussian import unit_points
from torch import Tensor

from botorch_popbo.likelihoods.comparisons import Comparisons
from botorch_popbo.likelihoods.terms import Terms

NOISE = torch.tensor(0.3).double()
MIXED = relate(
    [(0, 1), (1, 2)],
    between=[(0, 3, 2), (0, 4, 2)],
    answers=[(5, 0, 2.0), (1, 5, 1.0)],
    equal=[(0, 6)],
)
KINDS = pytest.mark.parametrize(
    "comparisons",
    [
        chain([2, 0, 1]),
        relate([(2, 1)], equal=[(2, 0)]),
        MIXED,
        relate(answers=[(0, 1, 1.0), (1, 2, 3.0), (2, 0, 1.0)]),
    ],
)


def utilities(comparisons: Comparisons) -> Tensor:
    """In order where that is certain."""
    falling = torch.tensor([0.9, 0.7, 0.1, 0.5, 0.3, 0.8, 1.0]).double()
    return falling if comparisons.has_answers else falling[[1, 2, 0]]


@KINDS
def test_differences_follow_from_those_of_the_forest(comparisons: Comparisons) -> None:
    terms, values = Terms(comparisons, NOISE), utilities(comparisons)
    gaps = comparisons.forest.differences(values)
    torch.testing.assert_close(terms.differences(gaps), comparisons.differences(values))
    by_difference = unit_points(len(comparisons))[:, 0]
    expected = by_difference @ terms.differences(gaps)
    torch.testing.assert_close(terms.gather(by_difference) @ gaps, expected)


@KINDS
def test_slopes_and_curvatures_are_derivatives_of_the_density(comparisons: Comparisons) -> None:
    terms = Terms(comparisons, NOISE)
    gaps = comparisons.forest.differences(utilities(comparisons))

    def density(gaps: Tensor) -> Tensor:
        return terms.log_density(terms.differences(gaps))

    slope = torch.autograd.functional.jacobian(density, gaps)
    at = terms.differences(gaps)
    torch.testing.assert_close(terms.gather(terms.slope(at)), slope)
    hessian = -torch.autograd.functional.hessian(density, gaps)
    root = terms.root(at)
    root = root.diag() if root.ndim == 1 else root
    torch.testing.assert_close(root @ root.T, hessian)
    spread = unit_points(len(gaps), len(gaps))
    bending = terms.bending(at, spread @ spread.T, NOISE.log())
    torch.testing.assert_close(bending, (hessian * (spread @ spread.T)).sum())
