import math
from typing import Any

import pytest
import torch

from botorch_popbo import RankingGP
from botorch_popbo.acquisition._slack_constraint import SlackConstraint
from botorch_popbo.data import combine, from_outcomes

X = torch.linspace(0.0, 1.0, 12, dtype=torch.double).unsqueeze(-1)
GRID = torch.linspace(0.0, 1.0, 40, dtype=torch.double).reshape(-1, 1, 1)
#: Of the objective.
NOT_EVALUATED = torch.zeros(12, dtype=torch.bool)
#: Five points satisfy it, and the border is nearest to the sixth.
SLACK = 0.45 - X


def constraint(slack: torch.Tensor) -> SlackConstraint:
    return SlackConstraint(RankingGP(X, slack).fit())


def test_probability_is_that_of_the_difference_to_the_border() -> None:
    model = RankingGP(X, SLACK).fit()
    worst, best = SLACK[4:6].flatten().tolist()
    better, worse = model.posterior(X[4:6]).mean.flatten().tolist()
    ahead = best / (best - worst) * (better - worse)
    law = model.posterior(torch.cat([GRID, X[5].expand(40, 1, 1)], dim=-2))
    sides = torch.tensor([1.0, -1.0]).double()
    variance = law.distribution.covariance_matrix @ sides @ sides
    assert model.warp is not None
    variance = variance + ahead**2 / model.warp.concentration
    expected = torch.special.ndtr((law.mean.squeeze(-1) @ sides - ahead) / variance.sqrt()).detach()
    found = SlackConstraint(model)(GRID).exp().squeeze(-1)
    torch.testing.assert_close(found, expected, atol=1e-4, rtol=1e-4)


def test_measured_points_are_as_measured() -> None:
    slack = torch.sin(7.0 * X)
    ranked = constraint(slack)
    satisfied = (slack >= 0).squeeze(-1)
    assert torch.equal(ranked.is_satisfied(X, NOT_EVALUATED), satisfied)
    assert not ranked.is_satisfied(X + 1e-9, NOT_EVALUATED).any()
    assert torch.equal(ranked(X).exp() > 0.5 - 1e-9, satisfied)  # the first lies on the border


PARTS = torch.randperm(12, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize(
    ("parts", "slacks"),
    [
        ((PARTS[:6], PARTS[6:]), (0.45, 0.45)),
        ((PARTS[:9], PARTS[6:]), (0.45, 0.45)),
        ((range(12), range(4, 12)), (0.45, 0.5)),  # violated in one of them
    ],
)
def test_a_point_of_several_tasks_satisfies_it_in_all(parts: Any, slacks: Any) -> None:
    orders = [from_outcomes(X[part], s - X[part]) for part, s in zip(parts, slacks, strict=True)]
    ranked = SlackConstraint(RankingGP(order=combine(*orders)).fit())
    assert torch.equal(ranked.is_satisfied(X, NOT_EVALUATED), (X < 0.45).squeeze(-1))


@pytest.mark.parametrize("slack", [SLACK, -0.1 - X])
def test_the_unit_of_the_slack_changes_nothing(slack: torch.Tensor) -> None:
    torch.testing.assert_close(constraint(slack)(GRID), constraint(1e6 * slack)(GRID))


def test_where_all_or_none_satisfy_it() -> None:
    assert (constraint(2.0 - X)(GRID) == 0.0).all()
    none = constraint(-0.1 - X)(GRID)
    assert none.isfinite().all()
    assert none.argmax() == 0  # nearest to being satisfied
    assert none.max() < math.log(0.5)


def test_what_is_expected_of_pending_points_is_known() -> None:
    pending = torch.tensor([[0.2], [0.38], [0.7]], dtype=torch.double)
    ranked = SlackConstraint(RankingGP(X, SLACK).fit(), pending)
    expected = torch.cat([SLACK, 0.45 - pending]) >= 0.0
    assert torch.equal(ranked(torch.cat([X, pending])).exp() > 0.5, expected.squeeze(-1))
    assert torch.equal(ranked.is_satisfied(pending, NOT_EVALUATED[:3]), torch.zeros(3).bool())


def test_it_is_differentiable() -> None:
    points = torch.tensor([[0.13], [0.47], [0.88]], dtype=torch.double, requires_grad=True)
    assert torch.autograd.gradcheck(constraint(SLACK), (points,), atol=1e-4)
