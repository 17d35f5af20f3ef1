from dataclasses import replace

import numpy as np
import pytest
from botorch_popbo.benchmarks.rank_agreement.results import Result
from botorch_popbo.benchmarks.rank_agreement.study import Setting, Study
from botorch_popbo.benchmarks.rank_agreement.summary import make_curves, table


def test_mean_and_standard_error_over_the_seeds(study: Study) -> None:
    study = replace(study, models=("gp",), seeds=3)
    taus = {0.0: (0.2, 0.4, 0.9), 0.3: (0.1,)}
    results = [
        Result(Setting("uniform", "gaussian", deviation, "gp", seed), tau, ())
        for deviation, values in taus.items()
        for seed, tau in enumerate(values)
    ]
    (curve,) = make_curves(study, results)
    assert curve.mean == pytest.approx([0.5, 0.1])
    assert curve.error[0] == pytest.approx(np.sqrt(0.13 / 3))
    assert np.isnan(curve.error[1])
    lines = table(study, [curve]).splitlines()
    assert lines[2].split() == ["gaussian", "0", "0.5", "±", "0.21"]
    assert lines[3].split() == ["gaussian", "0.3", "0.1"]
    assert "missing: 2 of 6 results of gp, gaussian" in lines


def test_equal_results_have_no_error(study: Study) -> None:
    taus = {"gp": 0.1, "popbo-default": 0.7}
    settings = replace(study, seeds=20).settings()
    results = [Result(setting, taus[setting.model], ()) for setting in settings]
    assert [curve.error.tolist() for curve in make_curves(study, results)] == [[0.0, 0.0]] * 2


def test_a_model_without_a_result_is_a_dash(study: Study) -> None:
    curves = make_curves(study, [])
    assert [np.isnan(curve.mean).all() for curve in curves] == [True, True]
    assert table(study, curves).splitlines()[2].split() == ["gaussian", "0", "-", "-"]
