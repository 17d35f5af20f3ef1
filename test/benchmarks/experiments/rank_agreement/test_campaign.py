import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

from botorch_popbo.benchmarks.cli import main
from botorch_popbo.benchmarks.experiments.rank_agreement._campaign import (
    Fit,
    FitRecord,
    RankAgreement,
)
from botorch_popbo.benchmarks.experiments.rank_agreement._models import MODELS
from botorch_popbo.benchmarks.experiments.rank_agreement._observations import GRID, TRUE_VALUES

CAMPAIGN = ["--campaign", "paper-forrester", "--smoke", "--jobs", "1"]


@pytest.fixture
def evaluate(tmp_path: Path) -> Callable[[Fit], FitRecord]:
    def evaluated(fit: Fit) -> FitRecord:
        campaign = RankAgreement(
            design="uniform", noise=(), deviations=(), methods=(), seeds=1, jobs=1, output=tmp_path
        )
        (record,) = campaign.evaluate(fit, [], lambda: torch.random.fork_rng(enabled=False))
        return record

    return evaluated


@pytest.mark.parametrize("model", MODELS)
def test_the_same_seed_gives_the_same_result(
    model: str, evaluate: Callable[[Fit], FitRecord]
) -> None:
    fit = Fit("uniform", "gaussian", 0.1, model, seed=2)
    before = _global_states()
    first = evaluate(fit)
    assert _global_states() == before
    with torch.random.fork_rng():
        torch.manual_seed(99)
        assert evaluate(fit) == first
    assert len(first.ranks) == len(GRID)
    # The points of this seed leave no gap: whoever mistakes the direction is far below 0.
    assert first.tau > 0.5


def _global_states() -> tuple[object, ...]:
    numpy_state = np.random.get_state()[1].tolist()  # type: ignore[union-attr]  # noqa: NPY002
    return random.getstate(), numpy_state, torch.get_rng_state().tolist()


@pytest.mark.parametrize("sign", [1, -1])
def test_who_predicts_the_truth_agrees_with_it(
    sign: int, evaluate: Callable[[Fit], FitRecord], monkeypatch: pytest.MonkeyPatch
) -> None:
    oracle = replace(MODELS["gp"], predict=lambda *_: sign * TRUE_VALUES)
    monkeypatch.setitem(MODELS, "gp", oracle)
    assert evaluate(Fit("uniform", "gaussian", 0.1, "gp", seed=0)).tau == pytest.approx(sign)


def test_smoke_runs_once_and_a_report_says_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options = [*CAMPAIGN, "--methods", "gp", "popbo-default", "--output", str(tmp_path)]
    assert main(["compare", *options]) == 0
    printed = capsys.readouterr().out
    rows = pd.read_csv(tmp_path / "results.csv")
    assert list(rows) == ["design", "noise", "deviation", "model", "seed", "tau"]
    assert len(rows) == 2 * 2 * 2 * 2
    assert set(rows["deviation"]) == {0.0, 0.45}
    assert set(rows["noise"]) == {"gaussian", "outliers"}
    assert "missing" not in printed
    assert (tmp_path / "report.png").read_bytes().startswith(b"\x89PNG")
    page = (tmp_path / "report.html").read_text()
    assert "data:image/png;base64," in page
    assert "http" not in page
    (tmp_path / "report.html").unlink()
    monkeypatch.setattr(RankAgreement, "evaluate", None)
    assert main(["report", *options[:3], *options[5:]]) == 0
    assert capsys.readouterr().out == printed
    assert (tmp_path / "report.html").read_text() == page
    assert main(["compare", *options]) == 0, "what is on disk is not fitted again"


def test_a_failure_loses_its_own_result_and_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    calls: list[int] = []

    def predict(X: Any, Y: Any, seed: int, points: Any) -> torch.Tensor:
        calls.append(seed)
        if is_broken and seed == 0:
            raise ArithmeticError("not\npositive definite")
        return TRUE_VALUES

    is_broken = True
    monkeypatch.setitem(MODELS, "gp", replace(MODELS["gp"], predict=predict))
    options = [*CAMPAIGN, "--methods", "gp", "--output", str(tmp_path)]
    (tmp_path / "records").mkdir()
    assert main(["report", *options[:3], *options[5:]]) == 2, "there is nothing to report"
    assert "has no complete run of what is asked for" in capsys.readouterr().err
    assert main(["compare", *options]) == 1
    streams = capsys.readouterr()
    message = "failed: gp on gaussian 0, seed 0: ArithmeticError: not positive definite"
    assert message in streams.err
    assert "missing: 2 of 4 results of gp, outliers" in streams.out
    is_broken = False
    calls.clear()
    assert main(["compare", *options]) == 0
    assert calls == [0] * 4
