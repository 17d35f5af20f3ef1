import math

import pytest
import torch
from botorch.exceptions import UnsupportedError

from botorch_popbo import PoissonRankModel
from botorch_popbo.acquisition.feasibility import RankedConstraint

X = torch.linspace(0.0, 1.0, 12, dtype=torch.double).unsqueeze(-1)


def constraint(slack: torch.Tensor) -> RankedConstraint:
    return RankedConstraint(PoissonRankModel(X, slack).fit())


def test_probability_is_that_of_the_utility_above_the_border() -> None:
    ranked = constraint(0.45 - X)
    posterior = ranked.model.rank_posterior(X)
    levels = posterior.ladder.rungs
    border = (levels[4] + levels[5]) / 2  # five points satisfy it
    normal = torch.distributions.Normal(0.0, 1.0)
    moments = ranked.model.rate.utility_moments(ranked.model.encode(X))
    expected = normal.cdf((moments[0] - border) / moments[1].clamp_min(1e-20).sqrt())
    torch.testing.assert_close(ranked.log_probability(X).exp(), expected, atol=1e-9, rtol=1e-6)


def test_it_lies_between_those_of_the_neighbouring_ranks() -> None:
    ranked = constraint(0.45 - X)
    points = torch.linspace(0.0, 1.0, 40, dtype=torch.double).reshape(-1, 1)
    posterior = ranked.model.rank_posterior(points)
    probability = ranked.log_probability(points).exp().unsqueeze(-1)
    counts = torch.tensor([4.0, 5.0], dtype=torch.double)
    low, high = posterior.cdf(counts).split(1, dim=-1)
    assert bool(((low <= probability) & (probability <= high)).all())


def test_measured_points_are_as_measured() -> None:
    slack = torch.sin(7.0 * X)
    ranked = constraint(slack)
    satisfied = (slack >= 0).squeeze(-1)
    assert torch.equal(ranked.is_satisfied(X), satisfied)
    assert not ranked.is_satisfied(X + 1e-9).any()
    assert torch.equal(ranked.log_probability(X).exp() > 0.5, satisfied)


def test_increasing_transforms_that_keep_the_sign_change_nothing() -> None:
    slack = 0.45 - X
    plain, warped = constraint(slack), constraint(slack**3 * 1e6)
    points = torch.rand(20, 1, generator=torch.Generator().manual_seed(0), dtype=torch.double)
    assert torch.equal(plain.log_probability(points), warped.log_probability(points))


def test_where_all_or_none_satisfy_it() -> None:
    points = torch.linspace(0.0, 1.0, 30, dtype=torch.double).unsqueeze(-1)
    assert torch.equal(constraint(2.0 - X).log_probability(points), torch.zeros(30).double())
    none = constraint(-0.1 - X).log_probability(points)
    assert none.isfinite().all()
    assert none.argmax() == 0  # nearest to being satisfied
    assert none.max() < math.log(0.5)


def test_it_is_differentiable() -> None:
    ranked = constraint(0.45 - X)
    points = torch.tensor([[0.13], [0.47], [0.88]], dtype=torch.double, requires_grad=True)
    assert torch.autograd.gradcheck(ranked.log_probability, (points,), atol=1e-4)


def test_a_network_is_refused() -> None:
    model = PoissonRankModel(X, X, preset="paper")
    with pytest.raises(UnsupportedError, match="from_constrained_outcomes"):
        RankedConstraint(model)
