"""How well models rank new points, and how sure they are of it."""

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
import torch

from botorch_popbo.benchmarks.experiments import rank_agreement as agreement
from botorch_popbo.benchmarks.experiments import rank_calibration as calibration
from botorch_popbo.benchmarks.experiments.rank_agreement import TRUE_VALUES, RankAgreement
from botorch_popbo.benchmarks.experiments.rank_calibration import (
    LEVELS,
    RankCalibration,
    draw,
    score,
)


@pytest.mark.usefixtures("rng_untouched")
@pytest.mark.parametrize("model", agreement.MODELS)
def test_the_same_seed_gives_the_same_result(model: str, tmp_path: Path) -> None:
    settings: Any = {"noise": (), "deviations": (), "methods": ()}
    campaign = RankAgreement(**settings, seeds=1, jobs=1, output=tmp_path)
    fit = agreement.Fit("gaussian", 0.1, model, seed=2)
    first = campaign.measure(fit, nullcontext)
    with torch.random.fork_rng():
        torch.manual_seed(99)
        assert campaign.measure(fit, nullcontext) == first
    # The points of this seed leave no gap: whoever mistakes the direction is far below 0.
    assert first["tau"] > 0.5


def test_agreement_counts_pairs_in_the_right_and_in_the_wrong_order() -> None:
    with pytest.raises(ValueError, match="nan"):
        agreement.agreement(torch.where(TRUE_VALUES > 0.0, TRUE_VALUES, torch.nan))
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
        assert agreement.agreement(scores) == pytest.approx(expected)


@pytest.mark.usefixtures("rng_untouched")
@pytest.mark.parametrize("model", calibration.MODELS)
def test_every_model_gives_both_laws(model: str, tmp_path: Path) -> None:
    settings: Any = {"dims": (1,), "sizes": (12,), "variances": (0.0,)}
    campaign = RankCalibration(**settings, methods=(model,), seeds=1, jobs=1, output=tmp_path)
    cell = calibration.Fit(1, 12, 0.0, model, seed=0)
    found = campaign.measure(cell, nullcontext)
    for ranked in ("outcome", "value"):
        assert found[f"{ranked} log score"] > -4.0  # far above the floor


@pytest.mark.usefixtures("rng_untouched")
def test_a_seed_gives_the_same_function_and_errors_whatever_the_noise() -> None:
    exact, noisy, louder = (draw(2, 30, variance, seed=4) for variance in (0.0, 0.25, 1.0))
    assert torch.equal(exact.X, noisy.X)
    assert torch.equal(exact.new_value, noisy.new_value)
    assert torch.equal(exact.new_outcome, exact.new_value)
    torch.testing.assert_close(2.0 * (noisy.Y - exact.Y), louder.Y - exact.Y)
    assert not torch.equal(exact.X, draw(2, 30, 0.0, seed=5).X)


def test_the_right_law_scores_its_own_levels_and_entropy() -> None:
    probability = torch.tensor([0.1, 0.4, 0.2, 0.3]).double().expand(100_000, 4)
    generator = torch.Generator().manual_seed(0)
    count = torch.multinomial(probability[0], 100_000, replacement=True, generator=generator)
    *coverage, log_score = score(probability, count, seed=1).values()
    assert coverage == pytest.approx(LEVELS, abs=0.01)
    entropy = float(torch.special.entr(probability[0]).sum())
    assert log_score == pytest.approx(-entropy, abs=0.01)
    narrow = torch.eye(10).double()[torch.full((5000,), 4)]
    assert score(narrow, torch.arange(10).repeat(500), seed=0)["95%"] < 0.2
