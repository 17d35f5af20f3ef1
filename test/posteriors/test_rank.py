import torch

from botorch_popbo import GaussianProcessRate, PoissonRankModel, UtilityModel
from botorch_popbo.rank_counts import RankCounts, from_outcomes

X = torch.linspace(0, 1, 12, dtype=torch.float64).unsqueeze(-1)
Y = X.square()


def test_a_posterior_shows_a_few_counts_and_the_range_of_many() -> None:
    model = PoissonRankModel(X, Y).fit()
    shown = repr(model.posterior(X[:2]))
    assert shown.startswith("GaussianRankPosterior(2 x 1, counts among 12 points: ")
    assert shown.count("±") == 2
    mean = model.posterior(X).mean
    expected = f"mean from {float(mean.min()):.3g} to {float(mean.max()):.3g})"
    assert repr(model.posterior(X)).endswith(expected)


def test_a_model_shows_its_data_preset_and_hyperparameters() -> None:
    model = PoissonRankModel(X, Y, seed=3).fit()
    shown = repr(model)
    assert "preset='default', seed=3" in shown
    assert "12 points in 1 dimensions, 12 records" in shown
    assert isinstance(model.rate, GaussianProcessRate)
    lengthscale = model.rate.kernel.lengthscale.item()
    assert f"lengthscales=[{lengthscale:.3g}]" in shown
    assert "12 records, 0 set aside" in shown
    assert repr(UtilityModel(model)).count("GaussianProcessRate") == 1


def test_rank_counts_show_sizes_and_ranges() -> None:
    assert repr(from_outcomes(X, Y)) == (
        "RankCounts(12 records of 12 points in 1 dimensions: 0 to 11 of 11)"
    )
    none = RankCounts(X[:0], X[:0, 0], X[:0, 0])
    assert repr(none) == "RankCounts(0 records of 0 points in 1 dimensions)"
