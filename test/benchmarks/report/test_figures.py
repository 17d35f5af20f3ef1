import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg

from botorch_popbo.benchmarks.report import figures

from .conftest import curve, summary


def test_a_problem_without_a_result_is_drawn() -> None:
    nothing = summary(curve("popbo", np.nan), minimize=False)
    figure = figures.draw([nothing, summary(curve("popbo", 1.0)), summary()])
    FigureCanvasAgg(figure).draw()
    assert [panel.get_yscale() for panel in figure.axes[::3]] == ["linear", "log", "linear"]
