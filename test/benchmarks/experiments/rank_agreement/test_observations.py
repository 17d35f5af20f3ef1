import numpy as np
import pytest
import torch

from botorch_popbo.benchmarks.experiments.rank_agreement._observations import (
    GRID,
    NOISES,
    TRUE_VALUES,
    agreement,
    observe,
    ranking,
)
from botorch_popbo.benchmarks.problems._forrester import Forrester


def test_the_grid_is_the_papers() -> None:
    assert GRID.shape == (100, 1)
    assert (float(GRID.min()), float(GRID.max())) == (0.0, 0.8)
    assert GRID.diff(dim=0).numpy() == pytest.approx(0.8 / 99)
    assert torch.equal(TRUE_VALUES, Forrester()(GRID))


@pytest.mark.parametrize("noise", NOISES)
def test_a_seed_gives_the_same_points_and_errors_that_scale(noise: str) -> None:
    X, exact = observe("uniform", "gaussian", 0.0, seed=3)
    assert torch.equal(exact.squeeze(-1), Forrester()(X))
    assert ((X >= 0) & (X <= 0.8)).all()
    small, large = (observe("uniform", noise, deviation, seed=3) for deviation in (0.1, 0.3))
    assert torch.equal(small[0], X)
    assert torch.equal(large[0], X)
    gross = observe("uniform", noise, 0.0, seed=3)[1]
    torch.testing.assert_close(large[1] - gross, 3 * (small[1] - gross))
    assert not torch.equal(observe("uniform", noise, 0.1, seed=4)[0], X)


def test_an_even_design_has_the_same_errors() -> None:
    X, noisy = observe("even", "outliers", 0.3, seed=3)
    assert X.squeeze(-1).tolist() == pytest.approx([0.8 * i / 14 for i in range(15)])
    others, noisy_others = observe("uniform", "outliers", 0.3, seed=3)
    function = Forrester()
    torch.testing.assert_close(
        noisy.squeeze(-1) - function(X), noisy_others.squeeze(-1) - function(others)
    )


def test_the_noise_is_as_described() -> None:
    errors = [
        (observe("uniform", noise, 0.3, seed)[1] - observe("uniform", "gaussian", 0.0, seed)[1])
        .numpy()
        .ravel()
        for noise in ("gaussian", "outliers")
        for seed in range(200)
    ]
    gaussian, mixed = np.concatenate(errors[:200]), np.concatenate(errors[200:])
    assert gaussian.std() == pytest.approx(0.3, rel=0.05)
    is_outlier = np.abs(mixed) > 50
    assert is_outlier.mean() == pytest.approx(0.1, abs=0.02)
    assert mixed[~is_outlier] == pytest.approx(gaussian[~is_outlier])
    assert (mixed[is_outlier] > 0).mean() == pytest.approx(0.5, abs=0.1)
    extent = float(TRUE_VALUES.max() - TRUE_VALUES.min())
    assert np.abs(mixed - gaussian)[is_outlier] == pytest.approx(10 * extent)


def test_a_rank_is_the_number_of_better_points() -> None:
    assert ranking(torch.tensor([0.3, -2.0, 5.0, 0.1, 0.2])).tolist() == [3, 0, 4, 1, 2]
    assert ranking(torch.tensor([1.0, 0.0, 1.0])).tolist() == [1, 0, 1]
    with pytest.raises(ValueError, match="not a number"):
        ranking(torch.tensor([1.0, torch.nan]))


def test_agreement_counts_pairs_in_the_right_and_in_the_wrong_order() -> None:
    best = TRUE_VALUES.argsort()[:2]
    swapped = TRUE_VALUES.clone()
    swapped[best] = swapped[best.flip(0)]
    # Of 4950 pairs one is in the wrong order.
    for scores, expected in (
        (TRUE_VALUES.exp(), 1.0),
        (-TRUE_VALUES, -1.0),
        (swapped, 1 - 2 / 4950),
        (torch.zeros(100), 0.0),
    ):
        assert agreement(ranking(scores)) == pytest.approx(expected)
