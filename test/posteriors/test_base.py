import torch

from botorch_popbo import PoissonRankModel, RankingGP

X = torch.linspace(0, 1, 12, dtype=torch.float64).unsqueeze(-1)
Y = X.square()


def test_a_posterior_shows_a_few_counts_and_the_range_of_many() -> None:
    model = RankingGP(X, Y)
    shown = repr(model.rank_posterior(X[:2]))
    assert shown.startswith("GaussianRankPosterior(2 x 1, counts among 12 points: ")
    assert shown.count("±") == 2
    mean = model.rank_posterior(X).mean
    expected = f"mean from {float(mean.min()):.3g} to {float(mean.max()):.3g})"
    assert repr(model.rank_posterior(X)).endswith(expected)
    assert repr(PoissonRankModel(X, Y).posterior(X)).startswith("PoissonRankPosterior(12 x 1")
