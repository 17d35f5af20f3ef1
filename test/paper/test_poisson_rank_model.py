import math
from functools import partial
from typing import Any

import pytest
import torch
from botorch.acquisition.objective import ScalarizedPosteriorTransform
from botorch.exceptions import UnsupportedError
from contracts import ModelContract
from helpers.exact_poisson import ExactLaw
from helpers.toy import toy_data
from scipy.stats import kendalltau
from torch import Tensor

from botorch_popbo import NegatedRank, PoissonRankModel, RankCounts
from botorch_popbo.data import from_outcomes
from botorch_popbo.settings import PaperSettings

TEST_X = toy_data(7, seed=1)[0]


def mean(model: PoissonRankModel, X: Tensor = TEST_X) -> Tensor:
    return model.posterior(X).mean.detach()


class TestContract(ModelContract):
    linear_memory = True
    num_points, dim = 8, 3

    def make_model(self, train_X: Tensor, train_Y: Tensor, **options: Any) -> PoissonRankModel:
        options = {"input_transform": None, "settings": PaperSettings(num_steps=20)} | options
        return PoissonRankModel.paper(train_X, train_Y, **options).fit()


@pytest.mark.parametrize(
    ("num_points", "make", "is_truncated"),
    [
        (11, PoissonRankModel.paper, True),
        (12, PoissonRankModel.paper, False),
        (12, partial(PoissonRankModel.paper, settings=PaperSettings(untruncated_from=13)), True),
        (30, PoissonRankModel, True),
        (30, partial(PoissonRankModel, untruncated_from=30), False),
        (29, partial(PoissonRankModel, untruncated_from=30), True),
    ],
)
def test_the_number_of_observations_decides_between_the_laws(
    num_points: int, make: Any, is_truncated: bool
) -> None:
    model = make(*toy_data(num_points))
    assert model.posterior(TEST_X).limit == (num_points if is_truncated else math.inf)
    with torch.no_grad():
        model.rate.network[-1].bias.fill_(100.0)
    assert (mean(model) <= num_points).all() == is_truncated


@pytest.mark.filterwarnings("ignore:Data .* is not contained to the unit cube")  # on purpose
def test_a_new_point_is_ranked_among_all_evaluated_ones() -> None:
    X, Y = toy_data(15)
    model = PoissonRankModel(torch.cat([X, X]), torch.cat([Y, Y]), input_transform=None).fit()
    posterior = model.posterior(TEST_X)
    assert posterior.exposure == 15.0
    expected = 15.0 * model.rate(TEST_X).exp().unsqueeze(-1)
    torch.testing.assert_close(posterior.log_rate.exp(), expected)
    # A new point meets all points, each of those met the others.
    assert (model.rank_counts.exposure == 14.0).all()
    assert len(model.rank_counts) == 15


def test_rank_counts_take_the_place_of_outcomes() -> None:
    X, Y = toy_data(15)
    counts = RankCounts.from_order(from_outcomes(X, Y))
    by_counts = PoissonRankModel(rank_counts=counts, seed=2).fit()
    assert torch.equal(mean(by_counts), mean(PoissonRankModel(X, Y, seed=2).fit()))
    assert by_counts.order is None
    torch.testing.assert_close(by_counts.train_targets, -counts.counts / counts.exposure)


def test_pending_points_enter_at_their_predicted_ranks() -> None:
    model = PoissonRankModel(*toy_data(15), seed=1).fit()
    pending = toy_data(3, seed=7)[0]
    informed = model.with_pending(pending)
    data = informed.rank_counts
    assert data.num_points == 18
    assert torch.equal(data.X[15:], pending)
    assert kendalltau(data.counts[15:], mean(model, pending).squeeze(-1)).statistic == 1.0
    assert kendalltau(data.counts[:15], model.rank_counts.counts).statistic == 1.0
    assert torch.equal(mean(informed), mean(model.with_pending(pending)))


def test_a_state_of_another_number_of_points_loads() -> None:
    fitted = PoissonRankModel(*toy_data(15), seed=0).fit()
    larger = PoissonRankModel(*toy_data(40, seed=5), seed=1).eval()
    expected = mean(PoissonRankModel(*toy_data(40, seed=5), seed=1).fit())
    larger.load_state_dict(fitted.state_dict())
    # The same scale-free rate, bounding box included, at another exposure.
    rates = [m.posterior(TEST_X).log_rate.exp() / len(m.rank_counts) for m in (fitted, larger)]
    torch.testing.assert_close(rates[0], rates[1])
    # Fitting forgets it.
    assert torch.equal(mean(larger.fit()), expected)


def test_training_may_go_on_from_the_weights_of_another_model() -> None:
    data = X, Y = toy_data(16)
    before = PoissonRankModel(X[:15], Y[:15]).fit()
    model = PoissonRankModel(*data, settings=PaperSettings(num_steps=0))
    assert torch.equal(model.fit(before).rate(TEST_X), before.rate(TEST_X))
    kept = PoissonRankModel(*data).fit(before)
    assert kept.log_likelihood() > model.fit().log_likelihood()
    assert not torch.equal(mean(kept), mean(PoissonRankModel(*data).fit()))


def test_the_measure_of_the_space_may_take_the_place_of_the_number_of_points() -> None:
    data, settings = toy_data(15), PaperSettings(measure=2.0, num_steps=0)
    measured = PoissonRankModel(*data, settings=settings).fit()
    expected = 2.0 * measured.rate(measured.encode(TEST_X)).exp().unsqueeze(-1)
    torch.testing.assert_close(measured.posterior(TEST_X).log_rate.exp(), expected)
    assert measured.posterior(TEST_X).exposure == 15.0
    trained = PoissonRankModel(*data, settings=PaperSettings(measure=2.0)).fit()
    expected = trained.rank_counts.counts
    assert kendalltau(mean(trained, trained.known_X).squeeze(-1), expected).statistic > 0.8
    assert trained.log_likelihood() > measured.log_likelihood()


@pytest.mark.parametrize("transform", [None, ScalarizedPosteriorTransform(torch.ones(1).double())])
def test_what_would_maximise_counts_is_refused(
    long_model: PoissonRankModel, transform: ScalarizedPosteriorTransform | None
) -> None:
    with pytest.raises(UnsupportedError, match=r"Pass posterior_transform=NegatedRank\(\)"):
        long_model.posterior(TEST_X, posterior_transform=transform)
    negated = long_model.posterior(TEST_X, posterior_transform=NegatedRank())
    torch.testing.assert_close(negated.mean, -mean(long_model))


def test_what_needs_uncertainty_is_refused(long_model: PoissonRankModel) -> None:
    assert not long_model.has_uncertainty
    for call in (long_model.fantasize, long_model.condition_on_observations):
        with pytest.raises(UnsupportedError, match="use RankingGP"):
            call(TEST_X, None)


def test_a_point_that_met_none_is_not_recommended() -> None:
    X = toy_data(3)[0]
    counts, exposure = X.new_tensor([0.0, 0.0, 2.0]), X.new_tensor([0.0, 2.0, 2.0])
    model = PoissonRankModel(rank_counts=RankCounts(X, counts, exposure))
    assert torch.equal(model.incumbent, X[1])
    assert torch.equal(model.best_points(3), X[[1, 2, 0]])


@pytest.mark.filterwarnings("ignore:Data .* is not contained to the unit cube")  # on purpose
@pytest.mark.parametrize("num_points", [9, 11, 12, 15])
def test_the_log_likelihood_is_the_sum_of_the_log_probabilities(num_points: int) -> None:
    X, Y = toy_data(num_points)
    model = PoissonRankModel.paper(X, Y, input_transform=None)
    before = model.log_likelihood()
    model.fit()
    expected = 0.0
    for x, y in zip(X, Y, strict=True):
        count = int((y < Y).sum())
        log_rate = torch.log((num_points - 1.0) * model.rate(x.unsqueeze(0)).detach().exp())
        if num_points < 12:
            expected += float(ExactLaw(log_rate.item(), num_points - 1).log_prob(count))
        else:
            law = torch.distributions.Poisson(log_rate.exp())
            expected += law.log_prob(y.new_tensor(count)).item()
    assert model.log_likelihood().item() == pytest.approx(expected, rel=1e-12)
    # Each count is more probable than under one rate for all of them, the best constant.
    data = model.rank_counts
    constant = torch.distributions.Poisson(data.counts.mean()).log_prob(data.counts).sum()
    assert model.log_likelihood() > max(before, constant)
