from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from botorch_popbo.benchmarks.experiments.rank_agreement._campaign import RankAgreement
from botorch_popbo.benchmarks.experiments.rank_agreement._report import average, table

Taus = dict[tuple[str, float], list[float]]


def averaged(taus: Taus, seeds: int) -> tuple[pd.DataFrame, list[str]]:
    """Averages and table of models at deviations 0 and 0.3."""
    settings: dict[str, Any] = {"design": "uniform", "noise": ("gaussian",), "jobs": 1}
    settings |= {"deviations": (0.0, 0.3), "methods": tuple(dict.fromkeys(m for m, _ in taus))}
    campaign = RankAgreement(**settings, seeds=seeds, output=Path())
    rows = [
        ("gaussian", deviation, model, seed, tau)
        for (model, deviation), values in taus.items()
        for seed, tau in enumerate(values)
    ]
    results = pd.DataFrame(rows, columns=["noise", "deviation", "model", "seed", "tau"])
    found = average(campaign, results)
    return found, table(campaign, found).splitlines()


def test_mean_and_standard_error_over_the_seeds() -> None:
    found, lines = averaged({("gp", 0.0): [0.2, 0.4, 0.9], ("gp", 0.3): [0.1]}, seeds=3)
    assert found["mean"].tolist() == pytest.approx([0.5, 0.1])
    assert found["sem"].tolist() == pytest.approx([np.sqrt(0.13 / 3), np.nan], nan_ok=True)
    assert lines[2].split() == ["gaussian", "0", "0.5", "±", "0.21"]
    assert lines[3].split() == ["gaussian", "0.3", "0.1"]
    assert "missing: 2 of 6 results of gp, gaussian" in lines


def test_equal_results_have_no_error() -> None:
    models = {"gp": 0.1, "popbo": 0.7}
    taus = {(model, x): [tau] * 20 for model, tau in models.items() for x in (0.0, 0.3)}
    found, lines = averaged(taus, seeds=20)
    assert found["sem"].tolist() == [0.0] * 4
    assert not any("missing" in line for line in lines)


def test_a_model_without_a_result_is_a_dash() -> None:
    found, lines = averaged({("gp", 0.0): [], ("popbo", 0.0): [0.5]}, seeds=1)
    assert found["mean"].isna().sum() == 3
    assert lines[2].split() == ["gaussian", "0", "-", "0.5"]
    assert "missing: 2 of 2 results of gp, gaussian" in lines
