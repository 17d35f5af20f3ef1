import math

import pytest
import torch
from helpers.exact_poisson import ExactLaw
from helpers.toy import toy_data

from botorch_popbo import PoissonRankModel, RankingGP, RankLogLikelihood


@pytest.mark.filterwarnings("ignore:Data .* is not contained to the unit cube")  # on purpose
@pytest.mark.parametrize("num_points", [9, 11, 12, 15])
def test_it_is_the_sum_of_the_log_probabilities(num_points: int) -> None:
    X, Y = toy_data(num_points)
    model = PoissonRankModel.paper(X, Y, input_transform=None).fit()
    expected = 0.0
    for x, y in zip(X, Y, strict=True):
        count = int((y < Y).sum())
        log_rate = torch.log((num_points - 1.0) * model.rate(x.unsqueeze(0)).detach().exp())
        if num_points < 12:
            expected += float(ExactLaw(log_rate.item(), num_points - 1).log_prob(count))
        else:
            law = torch.distributions.Poisson(log_rate.exp())
            expected += law.log_prob(y.new_tensor(count)).item()
    assert RankLogLikelihood(model)().item() == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("num_points", [9, 15])
def test_fitting_raises_it(num_points: int) -> None:
    model = PoissonRankModel.paper(*toy_data(num_points))
    likelihood = RankLogLikelihood(model)
    before = likelihood().item()
    model.fit()
    # Each count is at least as probable as under one rate for all of them, the best constant.
    data = model.rank_counts
    constant = torch.distributions.Poisson(data.counts.mean()).log_prob(data.counts).sum()
    assert likelihood().item() > before
    assert likelihood().item() > constant.item()


def test_it_is_the_same_in_both_modes_and_reaches_the_weights() -> None:
    likelihood = RankLogLikelihood(PoissonRankModel.paper(*toy_data(9)))
    value = likelihood.train()()
    assert value.shape == ()
    assert likelihood.eval()() == value
    value.backward()
    assert all(p.grad is not None and p.grad.isfinite().all() for p in likelihood.parameters())


def test_for_a_gaussian_process_it_is_the_evidence_of_the_order() -> None:
    model = RankingGP(*toy_data(9))
    likelihood = RankLogLikelihood(model)
    before = likelihood().item()
    # Every one of 9! orders has the same probability where points are unrelated.
    chance = -math.lgamma(10.0)
    model.fit()
    assert likelihood().item() > before
    assert likelihood().item() > chance + 3.0
    assert likelihood().item() < 0.0
