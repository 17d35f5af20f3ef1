from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from botorch_popbo.benchmarks.page import write_page
from botorch_popbo.benchmarks.png import write_png

from botorch_popbo.benchmarks.problems import PROBLEMS
from botorch_popbo.benchmarks.report import _palette as palette
from botorch_popbo.benchmarks.report import figures
from botorch_popbo.benchmarks.report._table import table, warnings
from botorch_popbo.benchmarks.report.summary import Curve, Summary

CURVE = Curve(
    method="random",
    num_seeds=3,
    mean=np.array([4.0, 2.0, 0.25]),
    error=np.array([1.0, 3.0, 0.125]),
    best_evaluated=0.1875,
    best_evaluated_error=0.0625,
    seconds=np.array([0.0, 1e-4, 2e-4]),
    num_fallbacks=0,
    versions=("torch 2",),
    ends=(),
)
BETTER = replace(CURVE, method="sobol", mean=CURVE.mean / 4, seconds=np.array([0.0, 1.0, 2.5]))


@pytest.fixture
def summaries() -> list[Summary]:
    problems = [PROBLEMS[name].load(None) for name in ("branin", "sklearn-digits")]
    return [Summary(problem, 12, 2, 3, (CURVE, BETTER), ()) for problem in problems]


def lines(summaries: list[Summary]) -> list[str]:
    """The lines of the table, single-spaced."""
    return [" ".join(line.split()) for line in table(summaries).splitlines()]


def test_the_table_has_a_row_for_each_method(summaries: list[Summary]) -> None:
    rows = lines(summaries)
    assert "branin random 3/3 0.25 ± 0.12 0.188 ± 0.062 <0.001" in rows
    assert "branin sobol 3/3 0.0625 ± 0.12 * 0.188 ± 0.062 1.250" in rows
    assert "branin: regret in function value after 12 initial points and 2 evaluations" in rows


def test_a_single_seed_shows_no_error(summaries: list[Summary]) -> None:
    single = replace(CURVE, num_seeds=1, error=np.full(3, np.nan), best_evaluated_error=np.nan)
    text = table([replace(summaries[0], seeds=1, curves=(single,))])
    assert "nan" not in text
    assert "0.25 *" in text


def test_a_best_that_is_unknown_is_a_dash(summaries: list[Summary]) -> None:
    unknown = replace(CURVE, best_evaluated=np.nan, best_evaluated_error=np.nan)
    rows = lines([replace(summaries[0], curves=(unknown,))])
    assert "branin random 3/3 0.25 ± 0.12 * - <0.001" in rows


def test_the_best_is_the_highest_where_that_is_better(summaries: list[Summary]) -> None:
    digits = summaries[1]
    assert digits.best == {"sobol"}
    upwards = replace(digits, problem=replace(digits.problem, minimize=False))
    assert upwards.best == {"random"}


def test_lost_replications_are_shown_and_do_not_compete(summaries: list[Summary]) -> None:
    lossy = replace(BETTER, num_seeds=2)
    summary = replace(summaries[0], curves=(CURVE, lossy), without=("gp-logei",))
    assert summary.best == {"random"}
    rows = lines([summary])
    assert "branin sobol 2/3 0.0625 ± 0.12 0.188 ± 0.062 1.250" in rows
    assert "branin gp-logei 0/3 no complete run - -" in rows


def test_fallbacks_and_mixed_versions_are_pointed_out(summaries: list[Summary]) -> None:
    assert warnings(summaries) == []
    odd = replace(CURVE, num_fallbacks=2, versions=("torch 1", "torch 2"))
    fallback, versions = warnings([replace(summaries[0], curves=(odd,))])
    assert fallback.startswith("warning: random on branin: 2 of 6 suggestions")
    assert "torch 1; torch 2" in versions


def test_nothing_complete_is_said_and_drawn(summaries: list[Summary], tmp_path: Path) -> None:
    empty = [replace(summary, curves=(), without=("random",)) for summary in summaries]
    assert "no complete run" in table(empty)
    write_png(empty, tmp_path / "a.png")
    write_page(empty, tmp_path / "a.html")
    assert (tmp_path / "a.png").stat().st_size > 10_000


def test_regret_is_drawn_on_a_logarithmic_axis_that_shows_zero(summaries: list[Summary]) -> None:
    branin, digits = summaries
    axis = figures.scale(branin)
    assert axis.is_log
    assert not axis.has_zeros
    assert not figures.scale(digits).is_log
    solved = replace(CURVE, mean=np.array([4.0, 1.0, 0.0]))
    axis = figures.scale(replace(branin, curves=(solved,)))
    assert axis.has_zeros
    line, low, high = figures.band(solved, axis)
    np.testing.assert_allclose(line, [4, 1, 10**-0.5])
    np.testing.assert_allclose(low, [3, 10**-0.5, 10**-0.5])
    np.testing.assert_allclose(high, [5, 4, 10**-0.5])


def test_the_picture_has_a_row_for_each_problem(summaries: list[Summary], tmp_path: Path) -> None:
    from matplotlib.image import imread

    write_png(summaries, tmp_path / "two.png")
    write_png(summaries[:1], tmp_path / "one.png")
    two, one = (imread(tmp_path / name) for name in ("two.png", "one.png"))
    assert two.shape[0] > 1.6 * one.shape[0]
    for picture in (one, two):
        for method in ("random", "sobol"):
            shade = [int(palette.color(method)[i : i + 2], 16) / 255 for i in (1, 3, 5)]
            assert (np.abs(picture[..., :3] - shade).max(axis=-1) < 0.01).sum() > 200
    assert not list(tmp_path.glob("*.part"))
