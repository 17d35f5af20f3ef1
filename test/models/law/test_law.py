import torch
from helpers.gaussian import hyperparameters, ranked, unit_points

from botorch_popbo.models._law.law import condition_on_order

X = unit_points(12)


def test_a_new_point_is_ranked_between_the_records() -> None:
    outcomes = -(X - 0.3).square().sum(-1)
    search = hyperparameters(2)
    index = torch.arange(12)
    law = condition_on_order(X, ranked(outcomes), index, search, search.current())
    assert torch.equal(law.theta, search.current())
    falling = outcomes.argsort(descending=True)
    below = torch.special.ndtr(law.ranks.thresholds(X[falling], False))
    expected = below.sum(-1)
    assert (expected.diff() > 0.0).all()
    assert (expected - index - 0.5).abs().max() < 1.5
    # It is the utility whose law the predictor knows.
    torch.testing.assert_close(law.ranks.utility, law.ranks.utility.sort(descending=True).values)


def test_differences_are_prepared_once_a_reference() -> None:
    search = hyperparameters(2)
    law = condition_on_order(X, ranked(X[:, 0]), torch.arange(12), search, search.current())
    first = law.differences_from(X[0])
    assert law.differences_from(X[0].clone()) is first
    other = law.differences_from(X[1])
    assert other is not first
    mean, _, _ = other.moments(X[1:2])
    assert float(mean) == 0.0
