from dataclasses import replace

import numpy as np
import pytest

from botorch_popbo.benchmarks.problems import PROBLEMS
from botorch_popbo.benchmarks.report import figures, table
from botorch_popbo.benchmarks.report._ranking import rank_methods
from botorch_popbo.benchmarks.report.summary import Curve, End, Summary


def curve(method: str, *results: float, seconds: float = 1.0) -> Curve:
    return Curve(
        method=method,
        num_seeds=len(results),
        mean=np.array([9.0, float(np.mean(results))]),
        error=np.zeros(2),
        best_evaluated=0.0,
        best_evaluated_error=0.0,
        seconds=np.array([0.0, seconds]),
        num_fallbacks=0,
        versions=(),
        ends=tuple(End(seed, result, result, seconds) for seed, result in enumerate(results)),
    )


def summary(*curves: Curve, minimize: bool = True) -> Summary:
    problem = PROBLEMS["branin"].load(None)
    if not minimize:
        problem = replace(problem, minimize=False, optimal_value=None)
    return Summary(problem, 12, 1, 3, curves, ())


FIRST = summary(curve("popbo", 1, 1, 2), curve("random", 3, 2, 1), curve("sobol", 2, 2, 3))
SECOND = summary(
    curve("popbo", 7.0, 8.0), curve("random", 8.0, 9.0), curve("sobol", 9.0, 9.0), minimize=False
)


def test_ranks_are_those_of_a_hand_computation() -> None:
    found = {rank.method: rank.mean for rank in rank_methods([FIRST, SECOND]).ranks}
    # First: popbo 1, 1, 2; random 3, 2.5, 1; sobol 2, 2.5, 3. Second, where high is good:
    # popbo 3, 3; random 2, 1.5; sobol 1, 1.5.
    assert found == pytest.approx(
        {
            "popbo": (4 / 3 + 3) / 2,
            "random": (6.5 / 3 + 1.75) / 2,
            "sobol": (7.5 / 3 + 1.25) / 2,
        }
    )
    assert list(found.values()) == sorted(found.values())


def test_ranks_sum_to_that_of_all_places_and_lie_in_their_intervals() -> None:
    ranking = rank_methods([FIRST, SECOND])
    assert sum(rank.mean for rank in ranking.ranks) == pytest.approx(6)
    assert all(1 <= rank.low <= rank.mean <= rank.high <= 3 for rank in ranking.ranks)
    assert rank_methods([FIRST, SECOND]) == ranking


def test_the_interval_is_that_of_all_resamples() -> None:
    # One problem and two seeds, ranked (1, 2) and (2, 1): a quarter of the resamples has the mean
    # 1, a quarter 2 and half of them 1.5, so that both tails of 2.5 % end at the extremes.
    first, second = rank_methods([summary(curve("popbo", 1, 2), curve("random", 2, 1))]).ranks
    assert (first.mean, first.low, first.high) == (second.mean, second.low, second.high)
    assert (first.mean, first.low, first.high) == (1.5, 1.0, 2.0)
    sure = rank_methods([summary(curve("popbo", 1, 1), curve("random", 2, 2))] * 3).ranks
    assert [(rank.low, rank.high) for rank in sure] == [(1.0, 1.0), (2.0, 2.0)]


def test_a_method_without_a_run_is_not_ranked() -> None:
    lacking = summary(curve("popbo", 1, 2), curve("sobol", 2, 1), curve("gp-ucb", 3, 3))
    ranking = rank_methods([FIRST, lacking])
    assert {rank.method for rank in ranking.ranks} == {"popbo", "sobol"}
    assert ranking.without == ("random", "gp-ucb")
    assert rank_methods([summary(curve("popbo", 1.0))]).ranks == ()
    assert rank_methods([]).ranks == ()


def test_seeds_that_a_method_lost_do_not_count() -> None:
    lost = curve("random", 3, 2, 1)
    lost = replace(lost, ends=lost.ends[:1])
    found = rank_methods([summary(curve("popbo", 1, 9, 9), lost)]).ranks
    assert [(rank.method, rank.mean) for rank in found] == [("popbo", 1), ("random", 2)]
    apart = replace(lost, ends=(replace(lost.ends[0], seed=7),))
    assert rank_methods([summary(curve("popbo", 1, 9, 9), apart)]).ranks == ()


def test_the_table_ends_with_the_ranks_of_several_problems() -> None:
    assert "average rank over 2 problems [95 % bootstrap interval]: sobol 1.88 [" in table(
        [FIRST, SECOND]
    )
    assert "average rank" not in table([FIRST])


def test_the_front_is_what_no_other_method_beats_twice() -> None:
    curves = (
        curve("popbo", 1.0, seconds=3.0),
        curve("sobol", 5.0, seconds=1.0),
        curve("random", 6.0, seconds=0.5),
        curve("gp-ucb", 4.0, seconds=4.0),
        curve("gp-logei", 5.0, seconds=2.0),
    )
    lossy = curve("gp-eri", 0.0, 0.0, seconds=0.1)
    front = figures.pareto_front(replace(summary(*curves, lossy), seeds=1))
    assert [c.method for c in front] == ["random", "sobol", "popbo"]
    upwards = figures.pareto_front(replace(summary(*curves, minimize=False), seeds=1))
    assert [c.method for c in upwards] == ["random"]
