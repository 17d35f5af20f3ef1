from dataclasses import replace

import numpy as np
import pytest

from botorch_popbo.benchmarks.report import Summary, table
from botorch_popbo.benchmarks.report.text import warnings

from .conftest import BETTER, CURVE, SUMMARIES

BRANIN, DIGITS = SUMMARIES


def words(*summaries: Summary) -> str:
    """The table, single-spaced."""
    return " ".join(table(summaries).split())


ONE = replace(CURVE, seeds=(0,), traces=CURVE.traces[1:2], evaluated=CURVE.evaluated[1:2])


@pytest.mark.parametrize(
    ("summary", "expected"),
    [
        (BRANIN, "random 3/3 0.25 ± 0.12 0.188 ± 0.062 <0.001"),
        (BRANIN, "popbo 3/3 * 0.0625 ± 0.12 0.188 ± 0.062 1.250"),
        (BRANIN, "branin: 12 + 2 evaluations, regret in function value"),
        # A single seed shows no error.
        (replace(BRANIN, seeds=1, curves=(ONE,)), "random 1/1 * 0.25 0.188 <0.001"),
        (
            replace(BRANIN, curves=(replace(CURVE, evaluated=np.full((3, 3), np.nan)),)),
            "random 3/3 * 0.25 ± 0.12 - <0.001",
        ),
        # Lost replications do not compete.
        (replace(BRANIN, seeds=4), "popbo 3/4 0.0625 ± 0.12 0.188 ± 0.062 1.250"),
        (replace(BRANIN, without=("gp-logei",)), "gp-logei 0/3 no complete run - -"),
    ],
)
def test_the_table_has_a_row_for_each_method(summary: Summary, expected: str) -> None:
    assert expected in words(summary, DIGITS)


def test_the_best_is_the_highest_where_that_is_better() -> None:
    assert DIGITS.best == {"popbo"}
    assert replace(DIGITS, problem=replace(DIGITS.problem, minimize=False)).best == {"random"}
    lossy = replace(BETTER, seeds=(0, 2), traces=BETTER.traces[:2])
    assert replace(BRANIN, curves=(CURVE, lossy)).best == {"random"}


def test_fallbacks_and_mixed_versions_are_pointed_out() -> None:
    assert list(warnings(SUMMARIES)) == []
    odd = replace(CURVE, num_fallbacks=2, versions=("torch 1", "torch 2"))
    fallback, versions = warnings([replace(BRANIN, curves=(odd,))])
    assert fallback.startswith("warning: random on branin: 2 of 6 suggestions")
    assert "torch 1; torch 2" in versions


def test_the_table_ends_with_the_ranks_of_several_problems() -> None:
    title = "average rank over 2 problems [95 % bootstrap interval]: popbo 1.00 ["
    assert title in words(*SUMMARIES)
    assert "average rank" not in words(BRANIN)
