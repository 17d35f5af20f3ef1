from dataclasses import replace
from unittest.mock import patch

import pytest
import torch
from helpers.toy import split_points, toy_data
from torch.autograd import gradcheck

from botorch_popbo import (
    LowerConfidenceBound,
    PoissonRankModel,
    RectifiedLowerConfidenceBound,
)

pytestmark = pytest.mark.usefixtures("only_known_points_are_near")


@pytest.mark.parametrize("beta", [0.0, 0.5, 1.0, 2.0])
def test_promising_points_have_the_negated_bound(model: PoissonRankModel, beta: float) -> None:
    X = split_points(model, q=0.6)[0].unsqueeze(-2)
    mean = model.posterior(X).mean.flatten()
    value = RectifiedLowerConfidenceBound(model, beta=beta)(X)
    torch.testing.assert_close(value, beta * mean.sqrt() - mean, rtol=1e-10, atol=1e-12)


def test_the_exact_deviation_is_used_where_the_preset_says_so(
    short_model: PoissonRankModel,
) -> None:
    X = split_points(short_model, q=0.6)[0].unsqueeze(-2)
    posterior = short_model.posterior(X)
    exact = replace(short_model.preset, poisson_deviation=False)
    with patch.object(short_model, "preset", exact):
        value = RectifiedLowerConfidenceBound(short_model, beta=2.0)(X)
    expected = (2.0 * posterior.variance.sqrt() - posterior.mean).flatten()
    torch.testing.assert_close(value, expected)


def test_gradient(model: PoissonRankModel) -> None:
    X = split_points(model, q=0.6)[0][:5].unsqueeze(-2).requires_grad_()
    assert gradcheck(RectifiedLowerConfidenceBound(model), X, eps=1e-6, atol=1e-7, rtol=1e-5)


def test_a_vanishing_rate_has_a_finite_gradient(
    long_model: PoissonRankModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(long_model.rate, "log_rate", lambda X: X.sum(-1) - 900.0)
    X = toy_data(4)[0].unsqueeze(-2) + 0.1
    X.requires_grad_()
    value = RectifiedLowerConfidenceBound(long_model)(X)
    assert value.isfinite().all()
    (gradient,) = torch.autograd.grad(value.sum(), X)
    assert gradient.isfinite().all()


@pytest.mark.parametrize("beta", [-0.1, -1.0])
def test_a_negative_weight_is_refused(model: PoissonRankModel, beta: float) -> None:
    with pytest.raises(ValueError, match=f"is not negative, but got {beta}"):
        RectifiedLowerConfidenceBound(model, beta=beta)


def test_without_rectification_no_point_is_random(model: PoissonRankModel) -> None:
    _, unpromising = split_points(model, q=0.6)
    plain = LowerConfidenceBound(model, beta=1.5)
    mean = model.posterior(unpromising.unsqueeze(-2)).mean.flatten()
    torch.testing.assert_close(plain(unpromising.unsqueeze(-2)), 1.5 * mean.sqrt() - mean)


def test_exact_preset_takes_the_exact_deviation() -> None:
    model = PoissonRankModel(*toy_data(9), preset="exact").fit()
    X = torch.cat(split_points(model, q=0.6)).unsqueeze(-2)
    posterior = model.posterior(X)
    expected = 2.0 * posterior.variance.sqrt() - posterior.mean
    torch.testing.assert_close(LowerConfidenceBound(model, beta=2.0)(X), expected.flatten())
