from dataclasses import replace

import numpy as np
import pytest

from botorch_popbo.benchmarks.problems import PROBLEMS, Problem
from botorch_popbo.benchmarks.report.summary import best_evaluated, trace
from botorch_popbo.benchmarks.settings import TrialRecord

from .conftest import Numbers, records


def problem(name: str) -> Problem:
    """A problem, of which Branin has its optimum at 1, or, to be maximized, at 10."""
    found = PROBLEMS[name.removesuffix("-upwards")].load(None)
    if name == "sklearn-digits":
        return found
    upwards = name.endswith("-upwards")
    return replace(found, minimize=not upwards, optimal_value=10.0 if upwards else 1.0)


OBSERVED: Numbers = [5.0, 7.0, 3.0, 3.0, 4.0]
SCORES: Numbers = [6.0, 5.0, 8.0, 4.0, 2.0]
# The model is asked before trial 2 about trials 0 and 1, and never about trial 4.
HELD: Numbers = [None, None, 5.0, 6.0, 4.0]
NOISY, UPWARDS = "branin-gaussian", "branin-gaussian-upwards"
ALL_SCORED = records(OBSERVED, [6.0, 5.0, 8.0, 4.0, 4.5])
FAILED = records([None, 5.0, None, 4.0], [2.0, 5.0, 1.0, 4.0])


@pytest.mark.parametrize(
    ("name", "found", "expected"),
    [
        ("branin", records(OBSERVED, None, [None, None, 9.0, 9.0, 9.0]), [4, 4, 2, 2, 2]),
        ("branin-upwards", records(OBSERVED), [5, 3, 3, 3, 3]),
        ("sklearn-digits", records([0.5, 0.6, 0.4], [0.45, 0.6, 0.48]), [0.45, 0.45, 0.48]),
        (NOISY, records(OBSERVED, SCORES, HELD), [5, 4, 5, 3, 3]),
        (UPWARDS, records(OBSERVED, SCORES, HELD), [4, 5, 4, 6, 6]),
        # A trial without a verdict keeps the one before.
        (NOISY, records(OBSERVED, SCORES, [None, None, 5.0, None, 4.0]), [5, 4, 4, 3, 3]),
        # A failed trial is never the best.
        ("branin", FAILED, [1, 4, 4, 3]),
    ],
)
def test_the_trace_of_a_hand_computation(
    name: str, found: list[TrialRecord], expected: list[float]
) -> None:
    np.testing.assert_array_equal(trace(problem(name), found), expected)


@pytest.mark.parametrize(
    ("name", "found", "expected"),
    [
        (NOISY, ALL_SCORED, [5, 4, 4, 3, 3]),
        (UPWARDS, ALL_SCORED, [4, 4, 2, 2, 2]),
        ("sklearn-digits", ALL_SCORED, [6, 5, 5, 4, 4]),
        ("branin", FAILED, [np.nan, 4, 4, 3]),
        ("branin-upwards", FAILED, [np.nan, 5, 5, 5]),
    ],
)
def test_the_best_evaluated_is_the_best_score(
    name: str, found: list[TrialRecord], expected: list[float]
) -> None:
    np.testing.assert_array_equal(best_evaluated(problem(name), found), expected)
