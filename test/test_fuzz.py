"""A short run of ``fuzz.py``, and that it notices."""

import fuzz
import pytest
import torch
from botorch.exceptions import InputDataError

from botorch_popbo import ExpectedRankingImprovement, RankingGP


@pytest.mark.parametrize("first", range(0, 30, 10))
def test_no_case_breaks_a_promise(first: int) -> None:
    assert fuzz.run(first, 10) == []


def test_a_case_can_be_repeated() -> None:
    (first, X), (second, same) = (fuzz.draw(5) for _ in range(2))
    assert torch.equal(X, same)
    assert torch.equal(first.posterior(X).mean, second.posterior(X).mean)


def test_what_is_not_finite_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    forward = ExpectedRankingImprovement.forward
    monkeypatch.setattr(
        ExpectedRankingImprovement, "forward", lambda self, X: forward(self, X) / 0.0
    )
    [line] = fuzz.run(1, 1)
    assert line == "case 1: AssertionError: ExpectedRankingImprovement is not finite"


def test_only_documented_errors_of_our_own_are_refusals() -> None:
    X = torch.zeros(3, 1).double()
    with pytest.raises(InputDataError) as ours:
        RankingGP(X, X)
    assert fuzz.is_refused_by_us(ours.value)
    with pytest.raises(RuntimeError) as theirs:
        torch.linalg.cholesky(-torch.eye(2))
    assert not fuzz.is_refused_by_us(theirs.value)


@pytest.mark.slow
@pytest.mark.parametrize("first", [0, 12])  # the corner of a curved range, in batches
def test_no_study_breaks_a_promise(first: int) -> None:
    assert fuzz.run(first, 3, check=fuzz.check_study) == []


@pytest.mark.slow
def test_no_experiment_breaks_a_promise() -> None:
    assert fuzz.run(0, 3, check=fuzz.check_experiment) == []
