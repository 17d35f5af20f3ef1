import pytest
import torch

from botorch_popbo.benchmarks.experiments.rank_calibration._functions import LEVELS, draw, score


@pytest.mark.usefixtures("rng_untouched")
def test_a_seed_gives_the_same_function_and_errors_whatever_the_noise() -> None:
    exact, noisy, louder = (draw(2, 30, variance, 0.3, seed=4) for variance in (0.0, 0.25, 1.0))
    assert torch.equal(exact.X, noisy.X)
    assert torch.equal(exact.new_value, noisy.new_value)
    assert torch.equal(exact.new_outcome, exact.new_value)
    torch.testing.assert_close(2.0 * (noisy.Y - exact.Y), louder.Y - exact.Y)
    assert not torch.equal(exact.X, draw(2, 30, 0.0, 0.3, seed=5).X)
    assert exact.X.shape == (30, 2)
    assert exact.new_X.shape == (200, 2)


def test_a_longer_lengthscale_makes_smoother_functions() -> None:
    def roughness(lengthscale: float) -> float:
        sample = draw(1, 200, 0.0, lengthscale, seed=0)
        return float(sample.Y[sample.X[:, 0].argsort()].diff(dim=0).abs().sum())

    assert roughness(0.05) > 2.0 * roughness(0.5)


def test_the_right_law_scores_its_own_levels_and_entropy() -> None:
    probability = torch.tensor([0.1, 0.4, 0.2, 0.3]).double().expand(100_000, 4)
    generator = torch.Generator().manual_seed(0)
    count = torch.multinomial(probability[0], 100_000, replacement=True, generator=generator)
    found = score(probability, count, seed=1)
    assert found.coverage == pytest.approx(LEVELS, abs=0.01)
    entropy = float(torch.special.entr(probability[0]).sum())
    assert found.log_score == pytest.approx(-entropy, abs=0.01)


def test_a_law_that_is_too_narrow_or_too_wide_shows() -> None:
    count = torch.arange(10).repeat(500)
    narrow = torch.eye(10).double()[torch.full((5000,), 4)]
    assert score(narrow, count, seed=0).coverage[2] < 0.2
    assert score(narrow, count, seed=0).log_score < -10.0
    wide = torch.full((5000, 10), 0.1).double()
    assert score(wide, torch.full((5000,), 4), seed=0).coverage[0] == 1.0
