from dataclasses import replace

import numpy as np
import pytest

from botorch_popbo.benchmarks.problems import PROBLEMS, Problem
from botorch_popbo.benchmarks.report._trace import best_evaluated, best_known, trace
from botorch_popbo.benchmarks.settings import TrialRecord

from ..conftest import trial

Numbers = list[float | None]


def records(
    observed: Numbers, scores: Numbers, incumbents: Numbers | None = None
) -> list[TrialRecord]:
    held = [None] * len(observed) if incumbents is None else incumbents
    return [
        trial(index, value, score, incumbent_score=incumbent)
        for index, (value, score, incumbent) in enumerate(zip(observed, scores, held, strict=True))
    ]


@pytest.fixture
def branin() -> Problem:
    return replace(PROBLEMS["branin"].load(None), optimal_value=1.0)


@pytest.fixture
def noisy() -> Problem:
    return replace(PROBLEMS["branin-gaussian"].load(None), optimal_value=1.0)


@pytest.fixture
def digits() -> Problem:
    return PROBLEMS["sklearn-digits"].load(None)


OBSERVED = [5.0, 7.0, 3.0, 3.0, 4.0]


def test_a_noise_free_trace_is_the_running_best(branin: Problem) -> None:
    found = records(OBSERVED, [*OBSERVED], [None, None, 9.0, 9.0, 9.0])
    np.testing.assert_array_equal(trace(branin, found), [4, 4, 2, 2, 2])
    upwards = replace(branin, minimize=False, optimal_value=10.0)
    np.testing.assert_array_equal(trace(upwards, found), [5, 3, 3, 3, 3])


def test_a_noisy_trace_scores_the_best_observed_point(digits: Problem) -> None:
    found = trace(digits, records([0.5, 0.6, 0.4, 0.4], [0.45, None, 0.48, None]))
    np.testing.assert_array_equal(found, [0.45, 0.45, 0.48, 0.48])


def test_a_noisy_trace_scores_what_the_model_held_for_the_best(noisy: Problem) -> None:
    scores: Numbers = [6.0, 5.0, 8.0, 4.0, 2.0]
    found = trace(noisy, records(OBSERVED, scores, [None, None, 5.0, 6.0, 4.0]))
    # The model is asked before trial 2 about trials 0 and 1, and never about trial 4.
    np.testing.assert_array_equal(found, [5, 4, 5, 3, 3])
    upwards = replace(noisy, minimize=False, optimal_value=10.0)
    found = trace(upwards, records(OBSERVED, scores, [None, None, 5.0, 6.0, 4.0]))
    np.testing.assert_array_equal(found, [4, 5, 4, 6, 6])


def test_a_trial_without_a_verdict_keeps_the_one_before(noisy: Problem) -> None:
    scores: Numbers = [6.0, 5.0, 8.0, 4.0, 2.0]
    found = trace(noisy, records(OBSERVED, scores, [None, None, 5.0, None, 4.0]))
    np.testing.assert_array_equal(found, [5, 4, 4, 3, 3])


def test_later_trials_do_not_change_a_trace(noisy: Problem) -> None:
    rng = np.random.default_rng(0)
    observed, scores, held = rng.random((3, 20)).tolist()
    whole = trace(noisy, records(observed, scores, held))
    for length in range(2, 20):
        part = trace(noisy, records(observed[:length], scores[:length], held[:length]))
        np.testing.assert_array_equal(part[:-1], whole[: length - 1])


def test_the_best_evaluated_is_the_best_score(noisy: Problem, digits: Problem) -> None:
    scores: Numbers = [6.0, 5.0, 8.0, 4.0, 4.5]
    assert best_evaluated(noisy, records(OBSERVED, scores)) == 3
    upwards = replace(noisy, minimize=False, optimal_value=10.0)
    assert best_evaluated(upwards, records(OBSERVED, scores)) == 2
    assert best_evaluated(digits, records(OBSERVED, scores)) == 4


def test_the_best_evaluated_needs_every_score(digits: Problem) -> None:
    assert np.isnan(best_evaluated(digits, records([0.5, 0.6], [0.45, None])))


def test_a_failed_trial_is_never_the_best(branin: Problem) -> None:
    found = records([None, 5.0, None, 4.0], [2.0, 5.0, 1.0, 4.0])
    np.testing.assert_array_equal(trace(branin, found), [1, 4, 4, 3])
    assert best_evaluated(branin, found) == 3.0
    assert best_known(branin, found) == {"x": 3}
    upwards = replace(branin, minimize=False, optimal_value=10.0)
    assert best_known(upwards, found) == {"x": 1}
    assert np.isnan(best_evaluated(branin, found[:1]))
