from dataclasses import replace

import numpy as np
import pytest
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


@pytest.mark.parametrize("names", [["popbo"], [f"popbo-independent-{i}" for i in range(8)]])
def test_the_legend_names_every_method_once(names: list[str]) -> None:
    figure = figures.draw([summary(*(curve(name, 1.0, 2.0, 3.0) for name in names))] * 2)
    FigureCanvasAgg(figure).draw()
    [legend] = figure.legends
    assert sorted(text.get_text() for text in legend.get_texts()) == names


def test_a_problem_without_a_result_is_drawn() -> None:
    nothing = summary(curve("popbo", np.nan), minimize=False)
    figure = figures.draw([nothing, summary(curve("popbo", 1.0)), summary()])
    FigureCanvasAgg(figure).draw()
    assert [panel.get_yscale() for panel in figure.axes[::3]] == ["linear", "log", "linear"]


def test_the_last_step_of_a_curve_is_seen() -> None:
    panel = figures.draw([summary(curve("popbo", 1.0, 2.0, 3.0))]).axes[0]
    [line] = panel.get_lines()
    # Twelve initial points and one suggestion, after which the curve goes on.
    x, y = line.get_data()
    assert x[-2] == 13 < x[-1] < panel.get_xlim()[1]
    assert y[-1] == y[-2]
