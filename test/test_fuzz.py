"""A short run of ``fuzz.py``, and that it notices."""

import fuzz
import pytest

from botorch_popbo import ExpectedRankingImprovement


@pytest.mark.parametrize("first", range(0, 20, 10))
def test_no_case_breaks_a_promise(first: int) -> None:
    assert fuzz.run(first, 10) == []


def test_what_is_not_finite_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    forward = ExpectedRankingImprovement.forward
    monkeypatch.setattr(
        ExpectedRankingImprovement, "forward", lambda self, X: forward(self, X) / 0.0
    )
    [line] = fuzz.run(1, 1)
    assert line == "case 1: AssertionError: ExpectedRankingImprovement is not finite"


@pytest.mark.slow
@pytest.mark.parametrize("first", [0, 12])  # the corner of a curved range, in batches
def test_no_study_breaks_a_promise(first: int) -> None:
    assert fuzz.run(first, 3, check=fuzz.check_study) == []


def test_no_optimizer_breaks_a_promise() -> None:
    assert fuzz.run(1, 3, check=fuzz.check_optimizer) == []


@pytest.mark.slow
def test_no_experiment_breaks_a_promise() -> None:
    assert fuzz.run(0, 3, check=fuzz.check_experiment) == []
