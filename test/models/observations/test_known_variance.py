import torch
from helpers.ranking import line, tensor

from botorch_popbo.data import from_outcomes
from botorch_popbo.models._observations.from_order import observations_of
from botorch_popbo.models._observations.observations import Observations

ICDF = torch.distributions.Normal(0.0, 1.0).icdf


def uncertain(*variances: float) -> Observations:
    """Three outcomes a standard error of one apart, the best last."""
    order = from_outcomes(line(3), line(3), tensor(variances).unsqueeze(-1))
    return observations_of(order)


def test_known_variances_are_carried_over_to_the_utility() -> None:
    # A standard error reaches half the way to the next of the normal scores, at most.
    score = float(ICDF(tensor(5.0 / 6.0)))
    records = uncertain(0.25, 0.25, 0.25)
    expected = tensor([(0.5 * score) ** 2] * 3)
    torch.testing.assert_close(records.known_variance, expected)
    assert records.level.tolist() == [2, 1, 0]  # the places stay as they are
    # Beyond the ends nothing is known; what is reached inside the list counts.
    wide = uncertain(4.0, 0.0, 1.0).known_variance
    torch.testing.assert_close(wide, tensor([(2.0 * score) ** 2, 0.0, score**2]))
    both = uncertain(0.0, 25.0, 0.0).known_variance
    torch.testing.assert_close(both, tensor([0.0, score**2, 0.0]))
    assert uncertain(0.0, 0.0, 0.0).known_variance.tolist() == [0.0] * 3


def test_failures_have_no_variance_of_their_own() -> None:
    outcomes = tensor([[1.0], [2.0], [-torch.inf], [3.0]])
    order = from_outcomes(line(4), outcomes, torch.full_like(outcomes, 0.04))
    variance = observations_of(order).known_variance
    assert variance[2] == 0.0
    assert (variance[[0, 1, 3]] > 0.0).all()


def test_differences_may_be_larger_than_any_number() -> None:
    Y = tensor([[-1.5e308], [0.0], [1.5e308]])
    near, far = (
        observations_of(from_outcomes(line(3), Y * scale, torch.full_like(Y, (1e308 * scale) ** 2)))
        for scale in (1e-200, 1e-154)
    )
    torch.testing.assert_close(far.known_variance, near.known_variance)
    huge = observations_of(from_outcomes(line(3), Y, torch.full_like(Y, 1e300))).known_variance
    assert huge.isfinite().all()
