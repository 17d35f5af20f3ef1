import pytest
import torch
from botorch.exceptions import InputDataError
from botorch.models.transforms.input import Normalize
from botorch.sampling.pathwise import draw_matheron_paths
from botorch.utils.sampling import draw_sobol_samples, manual_seed
from scipy.stats import kendalltau
from torch import Tensor

from botorch_popbo import LogExpectedUtilityImprovement, RankingGP
from botorch_popbo.data import Order, from_outcomes
from botorch_popbo.models._fit.priors import TaskCorrelation
from botorch_popbo.settings import ModelSettings

BOX = torch.tensor([[0.0, 0.0], [1.0, 1.0]], dtype=torch.float64)
EVERYWHERE = draw_sobol_samples(BOX, n=64, q=1, seed=9).squeeze(1)


def points(number: int, seed: int) -> Tensor:
    return draw_sobol_samples(BOX, n=number, q=1, seed=seed).squeeze(1)


def hill(X: Tensor) -> Tensor:
    return -(X - torch.tensor([0.3, 0.6])).square().sum(-1, keepdim=True)


SOURCE_X, X = points(32, 1), points(6, 2)
GOOD = from_outcomes(SOURCE_X, hill(SOURCE_X).exp())
REVERSED = from_outcomes(SOURCE_X, -hill(SOURCE_X))


def shuffled() -> Order:
    place = torch.randperm(32, generator=torch.Generator().manual_seed(3))
    return from_outcomes(SOURCE_X, hill(SOURCE_X)[place])


def model(*sources: Order, number: int = 6) -> RankingGP:
    transform = Normalize(d=2, bounds=BOX)
    found = RankingGP(X[:number], hill(X[:number]), input_transform=transform, sources=sources)
    return found.fit()


def agreement(found: RankingGP) -> float:
    mean = found.posterior(EVERYWHERE).mean.detach()
    return float(kendalltau(mean, hill(EVERYWHERE)).statistic)


def test_a_source_of_the_same_order_helps() -> None:
    found = model(GOOD)
    assert agreement(found) > agreement(model()) + 0.1
    assert float(found.correlation) > 0.5


def test_a_worthless_source_is_found_out_and_ignored() -> None:
    with_source, without = model(shuffled()), model()
    assert with_source.correlation.tolist() == [0.0]
    found, expected = (m.posterior(EVERYWHERE) for m in (with_source, without))
    torch.testing.assert_close(found.mean, expected.mean)
    torch.testing.assert_close(found.variance, expected.variance)
    rank = with_source.rank_posterior(EVERYWHERE).mean
    torch.testing.assert_close(rank, without.rank_posterior(EVERYWHERE).mean)


def test_a_source_of_the_opposite_order_is_hardly_listened_to() -> None:
    found = model(REVERSED)
    assert float(found.correlation) < 0.3
    assert agreement(found) > 0.6


def test_a_good_source_survives_a_worthless_one() -> None:
    both = model(shuffled(), GOOD)
    assert (both.correlation > 0.0).tolist() == [False, True]
    torch.testing.assert_close(
        both.posterior(EVERYWHERE).mean, model(GOOD).posterior(EVERYWHERE).mean
    )


def test_everything_but_predictions_is_about_the_target() -> None:
    found = model(GOOD)
    assert found.known_X.shape == (6, 2)
    assert len(found.records) == 6
    assert found.is_outlier.tolist() == [False] * 6
    assert (found.incumbent == X).all(-1).any()
    assert float(found.rank_posterior(EVERYWHERE).mean.max()) <= 6.0
    assert "1 sources" in repr(found)
    assert found.with_order(found.order).correlation.shape == (0,)


def test_the_scale_of_a_source_does_not_matter() -> None:
    other = from_outcomes(SOURCE_X, 7.0 - hill(SOURCE_X).pow(2))
    assert torch.equal(
        model(GOOD).posterior(EVERYWHERE).mean, model(other).posterior(EVERYWHERE).mean
    )


def test_a_single_point_is_enough() -> None:
    found = model(GOOD, number=1)
    assert agreement(found) > 0.8
    assert torch.equal(found.incumbent, X[0])
    values = LogExpectedUtilityImprovement(found)(EVERYWHERE.unsqueeze(1))
    best = EVERYWHERE[values.argmax()]
    assert float(hill(best)) > float(hill(X[0]))
    pending = found.with_pending(EVERYWHERE[:2])
    assert pending.known_X.shape == (3, 2)
    torch.testing.assert_close(pending.correlation, found.correlation)


def test_no_point_is_not_enough() -> None:
    with pytest.raises(InputDataError, match="train_X holds 0"):
        RankingGP(X[:0], hill(X[:0]), sources=[GOOD])


def test_a_source_that_is_set_aside_stays_so_beside_pending_points() -> None:
    pending = model(shuffled()).with_pending(EVERYWHERE[:2])
    assert pending.correlation.tolist() == [0.0]
    expected = model().with_pending(EVERYWHERE[:2]).posterior(EVERYWHERE).mean
    torch.testing.assert_close(pending.posterior(EVERYWHERE).mean, expected)


@pytest.mark.parametrize("number", [1, 2])
def test_sample_paths_have_the_moments_of_the_posterior(number: int) -> None:
    found = model(*number * [GOOD], number=4)
    assert bool((found.correlation > 0.0).all())
    with manual_seed(0):
        paths = draw_matheron_paths(found, torch.Size([4096]))
    drawn = paths(EVERYWHERE[:4])
    law = found.posterior(EVERYWHERE[:4])
    differences = drawn - drawn[..., :1]
    mean = law.mean.squeeze(-1)
    torch.testing.assert_close(differences.mean(0), mean - mean[0], atol=0.1, rtol=0.1)
    covariance = law.distribution.covariance_matrix
    variance = covariance.diagonal() + covariance[0, 0] - 2.0 * covariance[0]
    torch.testing.assert_close(differences.var(0)[1:], variance[1:], atol=0.0, rtol=0.1)


def test_a_state_dict_carries_what_was_found_out() -> None:
    fitted, other = model(shuffled(), GOOD), RankingGP(X, hill(X), sources=[shuffled(), GOOD])
    other.load_state_dict(fitted.state_dict())
    torch.testing.assert_close(other.correlation, fitted.correlation)
    assert torch.equal(other.posterior(EVERYWHERE).mean, fitted.posterior(EVERYWHERE).mean)


def test_a_target_differs_from_its_sources_however_many_agree() -> None:
    between = TaskCorrelation(50, ModelSettings()).matrix.detach()
    assert float(torch.linalg.eigvalsh(between).min()) > 0.0
    explained = between[0, 1:] @ torch.linalg.solve(between[1:, 1:], between[1:, 0])
    assert 0.5 < float(explained) < 0.65
