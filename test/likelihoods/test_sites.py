import pytest
import torch
from helpers.gaussian import unit_points
from helpers.relations import chain, relate
from torch import Tensor

from botorch_popbo.likelihoods._sites import Sites
from botorch_popbo.likelihoods.relations import Relations

NOISE = torch.tensor(0.3).double()
MIXED = relate([(0, 1), (1, 2)], between=[(0, 3, 2), (1, 4, 2)], answers=[(5, 0, 2.0)])
KINDS = pytest.mark.parametrize(
    "relations", [chain([2, 0, 1]), MIXED, relate(answers=[(0, 1, 1.0), (1, 2, 3.0)])]
)


def gaps(relations: Relations) -> Tensor:
    """Differences, those of answers of either sign."""
    values = 0.1 + unit_points(len(relations))[:, 0]
    return values.where(~relations.is_answer, values - 0.6)


@KINDS
def test_slopes_and_curvatures_are_derivatives_of_the_density(relations: Relations) -> None:
    sites, at = Sites(relations, NOISE), gaps(relations)

    def density(differences: Tensor) -> Tensor:
        gap = ~relations.is_answer & ~relations.is_side
        first, second = relations.intervals
        said = relations.answers[relations.is_answer].double() @ torch.special.log_ndtr(
            differences[relations.is_answer] / NOISE.sqrt()
        )
        inside = (1.0 / differences[first] + 1.0 / differences[second]).log().sum()
        return said + differences[gap].log().sum() - inside

    slope = torch.autograd.functional.jacobian(density, at)
    torch.testing.assert_close(sites.slope(at), slope)
    hessian = -torch.autograd.functional.hessian(density, at)
    own, across = sites.curvature(at, NOISE.log())
    first, second = relations.intervals
    torch.testing.assert_close(own, hessian.diagonal())
    torch.testing.assert_close(across, hessian[first, second])
    root = sites.root(at).times(torch.eye(len(at)).to(at))
    torch.testing.assert_close(root @ root.T, hessian)


@KINDS
def test_a_step_closes_no_gap(relations: Relations) -> None:
    sites, at = Sites(relations, NOISE), gaps(relations)
    length = sites.step_length(at, -5.0 * at.abs())
    reached = at - 5.0 * length * at.abs()
    assert 0.0 < length <= 1.0
    assert (reached[~relations.is_answer] > 0.0).all()
    assert sites.step_length(at, at.abs()) == 1.0
