import torch
from helpers.gaussian import hyperparameters, ranked, unit_points

from botorch_popbo.models._law import condition_on_order

X = unit_points(12)


def test_the_thresholds_are_the_utilities_of_the_records() -> None:
    outcomes = -(X - 0.3).square().sum(-1)
    search = hyperparameters(2)
    law = condition_on_order(X, ranked(outcomes), search, search.current())
    falling = outcomes.argsort(descending=True)
    assert law.thresholds.values.shape == (12,)
    assert (law.thresholds.values.diff() < 0).all()
    assert law.thresholds.total == 12.0
    # A point of the best outcome's utility ranks among the first two.
    best = law.predictor.mean(X[falling[:1]])
    assert law.thresholds.count(best).item() <= 1.0
    assert torch.equal(law.theta, search.current())
