import torch
from helpers.toy import toy_data

from botorch_popbo import RankingGP
from botorch_popbo.acquisition._known_utilities import believing

X, Y = toy_data(14, seed=2)
NEW = toy_data(30, seed=3)[0].unsqueeze(-2)
PENDING = toy_data(2, seed=4)[0]


def test_it_is_the_model_conditioned_on_what_is_expected_of_known_points() -> None:
    model = RankingGP(X, Y).fit()
    for each in (model, model.with_pending(PENDING)):
        expected = each.posterior(each.known_X).mean.detach()
        noise = torch.full_like(expected, 1e-6)
        exact = each.condition_on_observations(each.known_X, expected, noise).posterior(NEW)
        law = believing(each.predictor)
        mean, variance = law.moments(each.encode(NEW))
        torch.testing.assert_close(mean, exact.mean.squeeze(-1), atol=1e-6, rtol=1e-6)
        torch.testing.assert_close(variance, exact.variance.squeeze(-1), atol=1e-4, rtol=1e-3)
        assert law.moments(each.encode(each.known_X))[1].max() < 1e-5
