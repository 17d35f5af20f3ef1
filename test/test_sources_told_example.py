import numpy as np
import pytest
from helpers.examples import import_example


def test_sources_that_agree_with_the_target_know_its_optimum(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    example = import_example(monkeypatch, "sources_told")
    target = np.random.default_rng(0).permutation(120).reshape(10, 12).astype(float)
    assert example.least_regrets(target, [target, target**3]) == [0.0] * 5
    # Sources that say the opposite know it last.
    assert example.least_regrets(target, [-target, -(target**3)]) == [
        119.0,
        117.0,
        110.0,
        90.0,
        20.0,
    ]
