from dataclasses import replace

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from botorch_popbo.benchmarks.report._png import draw

from .conftest import curve, summary


@pytest.mark.parametrize("names", [["popbo"], [f"popbo-independent-{i}" for i in range(8)]])
def test_the_legend_fits(names: list[str]) -> None:
    figure = draw([summary(*(curve(name, 1.0, 2.0, 3.0) for name in names))])
    FigureCanvasAgg(figure).draw()
    [legend] = figure.legends
    assert sorted(text.get_text() for text in legend.get_texts()) == names
    extent = legend.get_window_extent()
    assert extent.x0 >= 0.0
    assert extent.x1 <= figure.bbox.width


def test_a_problem_without_a_result_is_drawn() -> None:
    nothing = summary(curve("popbo", np.nan), minimize=False)
    figure = draw([nothing, summary(curve("popbo", 1.0))])
    FigureCanvasAgg(figure).draw()
    assert [panel.get_xscale() for panel in figure.axes] == ["linear", "linear", "linear", "log"]


def test_dollars_of_a_label_are_no_formula() -> None:
    found = summary(curve("popbo", 1.0, 2.0))
    label = "cost [$], after 5% tax [$]"
    figure = draw([replace(found, problem=replace(found.problem, label=label))])
    FigureCanvasAgg(figure).draw()
    assert figure.axes[0].get_ylabel() == f"regret in {label}"
