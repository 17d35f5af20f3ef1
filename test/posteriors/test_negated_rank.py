import pytest
import torch
from botorch.acquisition import qLogExpectedImprovement
from botorch.exceptions import UnsupportedError
from helpers.toy import toy_data

from botorch_popbo import NegatedRank, PoissonRankModel, RankingGP, RankModel

X = toy_data(6, seed=1)[0].reshape(2, 3, 2)


def test_counts_are_negated_and_nothing_else(model: RankModel) -> None:
    counts = model.rank_posterior(X)
    negated = NegatedRank()(counts)
    torch.testing.assert_close(negated.mean, -counts.mean)
    torch.testing.assert_close(negated.variance, counts.variance)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        draws = negated.rsample(torch.Size([4]))
        torch.manual_seed(0)
        torch.testing.assert_close(draws, -counts.rsample(torch.Size([4])))
    assert torch.equal(NegatedRank().evaluate(counts.mean), -counts.mean.squeeze(-1))
    assert NegatedRank.scalarize


def test_improvement_over_a_rank_is_largest_for_the_best(long_model: PoissonRankModel) -> None:
    ends = long_model.best_points(20)[[0, -1]].unsqueeze(-2)
    acquisition = qLogExpectedImprovement(long_model, -1.0, posterior_transform=NegatedRank())
    best, worst = acquisition(ends)
    assert best > worst


def test_a_utility_is_not_negated(gaussian_model: RankingGP) -> None:
    with pytest.raises(UnsupportedError, match="leave out the transform"):
        gaussian_model.posterior(X, posterior_transform=NegatedRank())
