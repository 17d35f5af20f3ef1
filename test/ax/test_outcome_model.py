from copy import deepcopy
from itertools import pairwise

import pytest
import torch
from botorch.posteriors import GPyTorchPosterior

from botorch_popbo import PoissonRankModel, RankingGP, RankModel
from botorch_popbo.models.outcome_model import OutcomeModel

EACH_MODEL = pytest.mark.parametrize("model_class", [RankingGP, PoissonRankModel])


def make_model(model_class: type[RankModel], num_points: int = 9) -> RankModel:
    generator = torch.Generator().manual_seed(0)
    X = torch.rand(num_points, 2, generator=generator, dtype=torch.float64)
    return model_class(X, 100.0 - X.sum(-1, keepdim=True)).fit()


@EACH_MODEL
def test_moments_match_the_law_of_the_rank_on_order_statistics(
    model_class: type[RankModel],
) -> None:
    model = make_model(model_class)
    X = torch.tensor([[0.2, 0.7]], dtype=torch.float64)
    falling = model.train_targets.sort(descending=True).values.tolist()
    levels = [falling[0], *((a + b) / 2 for a, b in pairwise(falling))]
    levels.append(falling[-1])
    law = model.rank_law(model.encode(X))
    p = [law.log_prob(torch.tensor(float(k))).exp().item() for k in range(10)]
    assert abs(sum(p) - 1.0) < 1e-12
    mean = sum(q * level for q, level in zip(p, levels, strict=True))
    variance = sum(q * (level - mean) ** 2 for q, level in zip(p, levels, strict=True))
    posterior = OutcomeModel(model).posterior(X)
    assert isinstance(posterior, GPyTorchPosterior)
    torch.testing.assert_close(posterior.mean.item(), mean)
    torch.testing.assert_close(posterior.variance.item(), variance)


@EACH_MODEL
@pytest.mark.parametrize("unit", [1e-8, 1e8])
def test_predictions_are_in_the_unit_of_the_outcomes(
    unit: float, model_class: type[RankModel]
) -> None:
    X = torch.rand(9, 2, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    Y = X.sum(-1, keepdim=True)
    known, other = (OutcomeModel(model_class(X, u * Y).fit()).posterior(X) for u in (1.0, unit))
    torch.testing.assert_close(other.mean, unit * known.mean, rtol=1e-9, atol=0.0)
    torch.testing.assert_close(other.variance, unit**2 * known.variance, rtol=1e-6, atol=0.0)


def test_a_column_has_the_lengthscale_of_the_kernel_along_it() -> None:
    model = make_model(RankingGP)
    model.covar_module.rotation = torch.tensor([[0.6, -0.8], [0.8, 0.6]]).double()
    model.covar_module.lengthscale = torch.tensor([0.4, 1.5]).double()
    points = torch.tensor([[0.0, 0.0], [0.3, 0.0], [0.0, 0.7]], dtype=torch.float64)
    covariance = model.covar_module(points).to_dense()[0]
    straight = deepcopy(model.covar_module)
    straight.rotation = None
    straight.lengthscale = OutcomeModel(model).covar_module.lengthscale
    torch.testing.assert_close(straight(points).to_dense()[0], covariance)


@EACH_MODEL
@pytest.mark.parametrize("penalty", [1e160, 1.7e308, torch.inf])
def test_a_huge_penalty_leaves_predictions_numbers(
    model_class: type[RankModel], penalty: float
) -> None:
    X = torch.linspace(0.0, 1.0, 9, dtype=torch.float64).unsqueeze(-1)
    Y = -X.clone()
    Y[-2:] = -penalty
    posterior = OutcomeModel(model_class(X, Y).fit()).posterior(X)
    assert posterior.mean.isfinite().all()
    assert posterior.variance.isfinite().all()
    assert posterior.mean.min() >= max(-penalty, -1.7e308)
