from dataclasses import replace

import pytest

from botorch_popbo.benchmarks.report._verdict import verdict
from botorch_popbo.benchmarks.report.summary import Summary

from .conftest import curve, summary

GOOD, SAME, BAD = curve("popbo", 1.0, 2.0, 3.0), curve("sobol", 1.0, 2.1, 3.0), (5.0, 5.5, 6.0)


def named(name: str, found: Summary) -> Summary:
    return replace(found, problem=replace(found.problem, name=name))


def test_a_lead_is_called_only_outside_the_error_bars() -> None:
    first = named("easy", summary(GOOD, curve("random", *BAD)))
    second = named("level", summary(GOOD, SAME))
    third = named("both", summary(curve("random", *BAD), SAME, GOOD))
    assert verdict([first, second, third]) == (
        "in short: popbo ahead on easy; all level on level; popbo first on both, not ahead of sobol"
    )


def test_of_those_that_are_level_none_is_called_ahead() -> None:
    unsure = [curve(name, 1.5, 2.0, 9.0) for name in ("a", "b")]
    found = verdict([named("x", summary(GOOD, *unsure, curve("random", *BAD)))])
    assert found == "in short: popbo first on x, not ahead of a and b"


def test_a_method_without_a_success_is_not_ahead() -> None:
    failed = curve("random", 0.0, 0.0, 0.0, num_failed=1)
    assert "popbo ahead" in verdict([summary(GOOD, failed, curve("sobol", *BAD))])


def test_problems_with_one_outcome_share_a_clause() -> None:
    one = summary(GOOD, curve("random", *BAD))
    assert verdict([named("a", one), named("b", one)]) == "in short: popbo ahead on a, b"
    assert verdict([one] * 7) == ""


def test_large_values_win_where_they_are_good() -> None:
    assert "random ahead" in verdict([summary(GOOD, curve("random", *BAD), minimize=False)])


def test_the_difference_is_that_of_seeds_in_common() -> None:
    other = curve("random", 2.0, 3.0, 4.0)  # by one, whatever the seed
    assert "popbo ahead" in verdict([summary(GOOD, other)])
    assert "all level" in verdict([summary(GOOD, replace(other, seeds=(1, 0, 2)))])
    assert verdict([summary(GOOD, replace(other, seeds=(0, 7, 8)))]) == ""


def test_a_method_that_lost_the_hard_seeds_does_not_lead() -> None:
    lucky = curve("random", 1.1)  # of one seed, on which the other is better
    unlucky = replace(lucky, seeds=(2,), traces=lucky.traces, method="sobol")
    assert verdict([summary(GOOD, lucky, unlucky, curve("cmaes", *BAD))]) == (
        "in short: popbo ahead on branin"
    )


@pytest.mark.parametrize("curves", [(), (GOOD,), (curve("popbo", 1.0), curve("random", 2.0))])
def test_nothing_is_said_of_one_method_or_one_seed(curves: tuple[()]) -> None:
    assert verdict([summary(*curves)]) == ""


def test_ties_to_the_last_digit_are_level() -> None:
    assert "all level" in verdict([summary(GOOD, replace(GOOD, method="sobol"))])
