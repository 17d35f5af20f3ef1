from dataclasses import replace

import numpy as np

from botorch_popbo.benchmarks.methods import METHODS
from botorch_popbo.benchmarks.report import figures

from .conftest import CURVE, SUMMARIES, curve, spread, summary


def test_regret_is_drawn_on_a_logarithmic_axis_that_shows_zero() -> None:
    branin, digits = SUMMARIES
    axis = figures.scale(branin)
    assert axis.is_log
    assert not axis.has_zeros
    assert not figures.scale(digits).is_log
    solved = replace(CURVE, traces=spread([4.0, 1.0, 0.0], [1.0, 3.0, 0.125]))
    axis = figures.scale(replace(branin, curves=(solved,)))
    assert axis.has_zeros
    line, low, high = figures.band(solved, axis)
    np.testing.assert_allclose(line, [4, 1, 10**-0.5])
    np.testing.assert_allclose(low, [3, 10**-0.5, 10**-0.5])
    np.testing.assert_allclose(high, [5, 4, 10**-0.5])


def test_the_front_is_what_no_other_method_beats_twice() -> None:
    curves = (
        curve("popbo", 1.0, seconds=3.0),
        curve("sobol", 5.0, seconds=1.0),
        curve("random", 6.0, seconds=0.5),
        curve("gp-ucb", 4.0, seconds=4.0),
        curve("gp-logei", 5.0, seconds=2.0),
    )
    lossy = curve("popbo-eri", 0.0, 0.0, seconds=0.1)
    front = figures.pareto_front(summary(*curves, lossy, seeds=1))
    assert [c.method for c in front] == ["random", "sobol", "popbo"]
    upwards = figures.pareto_front(summary(*curves, minimize=False, seeds=1))
    assert [c.method for c in upwards] == ["random"]


def test_methods_differ_in_how_they_are_drawn() -> None:
    assert len({(figures.color(name), figures.dash(name)) for name in METHODS}) == len(METHODS)
    assert len({figures.color(name) for name in list(METHODS)[:30]}) == min(len(METHODS), 30)
