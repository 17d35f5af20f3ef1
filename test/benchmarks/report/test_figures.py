from dataclasses import replace

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg

from botorch_popbo.benchmarks.report import figures

from .conftest import CURVE, SUMMARIES, curve, spread, summary


def test_regret_is_drawn_on_a_logarithmic_axis_with_a_floor() -> None:
    branin, digits = SUMMARIES
    assert figures.scale(branin).is_log
    assert not figures.scale(digits).is_log
    solved = replace(CURVE, traces=spread([4.0, 1.0, 0.0], [1.0, 3.0, 0.125]))
    axis = figures.scale(replace(branin, curves=(solved,)))
    line, low, high = figures.band(solved, axis)
    np.testing.assert_allclose(line, [4, 1, 10**-0.5])
    np.testing.assert_allclose(low, [3, 10**-0.5, 10**-0.5])
    np.testing.assert_allclose(high, [5, 4, 10**-0.5])


def test_a_problem_without_a_result_is_drawn() -> None:
    nothing = summary(curve("popbo", np.nan), minimize=False)
    figure = figures.draw([nothing, summary(curve("popbo", 1.0)), summary()])
    FigureCanvasAgg(figure).draw()
    assert [panel.get_yscale() for panel in figure.axes[::3]] == ["linear", "log", "linear"]
