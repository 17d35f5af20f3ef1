import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from botorch.exceptions import InputDataError
from optuna.distributions import IntDistribution
from optuna.trial import TrialState
from optuna.visualization import plot_pareto_front

from botorch_popbo import Optimizer, minimize
from botorch_popbo.minimization import Result
from botorch_popbo.optuna import plot_result, study_of

SPACE: dict[str, Any] = {
    "rate": (1e-4, 1.0, "log"),
    "layers": {"range": (1, 5), "step": 2},
    "kernel": ["rbf", "poly"],
    "width": {"range": [0, 2], "step": 0.5},
    "epochs": 10,
}
LEGEND = "★ recommended, ✕ failed, line: best so far."
PAST = {"rate": 2.0, "layers": 7, "kernel": "rbf", "width": 1.0, "value": -9.0}


def function(rate: float, layers: int, kernel: str, width: float, epochs: int) -> float:
    if kernel == "poly" and rate > 0.01:
        raise ValueError("diverged, at last")
    return -((math.log10(rate) + 2) ** 2) - layers - width


@pytest.fixture(scope="module")
def result() -> Result:
    return minimize(function, SPACE, 20, direction="maximize", start=PAST, progress=False)


def test_a_study_tells_the_same(result: Result) -> None:
    study = study_of(result)
    assert study.best_value == result.best_observed.value
    assert len(study.trials) == len(result.history) == 21
    for trial, e in zip(study.trials, result.history, strict=True):
        assert trial.params | {"epochs": 10} == e.parameters
        ranges = [IntDistribution(1, high, step=2) for high in (5, 7)]  # a past one is wider
        assert trial.distributions["layers"] in ranges
        assert trial.state == (TrialState.COMPLETE if e.status == "completed" else TrialState.FAIL)
        assert trial.user_attrs["reason"] == e.reason
        if e.status == "completed":
            assert trial.value == e.value
    assert {trial.state for trial in study.trials} == {TrialState.COMPLETE, TrialState.FAIL}


def test_what_was_stopped_is_pruned_and_keeps_its_parts() -> None:
    def parts(x: float) -> Iterator[float]:
        yield from [x, x, x, x, x + 0.1]

    result = minimize(parts, {"x": (0.0, 1.0)}, 16, progress=False)
    states = {"completed": TrialState.COMPLETE, "stopped": TrialState.PRUNED}
    assert {e.status for e in result.history} == {*states}
    for trial, e in zip(study_of(result).trials, result.history, strict=True):
        assert trial.state == states[e.status]
        assert [*trial.intermediate_values.values()] == [*e.parts]
    line, points, *_ = plot_result(result).data
    for y, symbol, e in zip(points.y, points.marker.symbol, result.history, strict=True):
        is_whole = e.status == "completed"
        assert (y, symbol) == ((e.value, "circle") if is_whole else (e.parts[-1], "circle-open"))
    assert line.y[-1] == result.best_observed.value


def test_a_picture_shows_failures_in_red_and_parameters_under_the_pointer(
    result: Result, tmp_path: Path
) -> None:
    figure = plot_result(result)
    figure.write_html(tmp_path / "result.html")
    best, *panels = figure.data
    assert len(panels) == 2 * (1 + 4)  # the points and a star
    assert best.y[-1] == result.best_observed.value
    assert list(best.y) == sorted(best.y)
    values = [e.value for e in result.history if e.status == "completed"]
    beyond = min(values) - 0.1 * (max(values) - min(values))
    for panel in panels[::2]:
        for number, e in enumerate(result.history):
            is_lost = e.status == "failed"
            assert (panel.marker.color[number] == "red") == is_lost
            assert panel.y[number] == (pytest.approx(beyond) if is_lost else e.value)
            assert f"layers = {e.parameters['layers']}" in panel.hovertext[number]
            assert ("ValueError: diverged" in panel.hovertext[number]) == is_lost
    for name, star in zip(["rate", "layers", "kernel", "width"], panels[3::2], strict=True):
        assert (star.x[0], star.y[0]) == (result.best.parameters[name], result.best.value)
    layout = figure.layout
    assert [a.text for a in layout.annotations] == ["evaluation", *SPACE][:5]
    assert layout.xaxis2.type == "log"
    assert layout.xaxis3.tickvals == (1, 3, 5)
    assert layout.yaxis.title.text == "value"
    assert "failed" in layout.title.text
    lines = layout.title.subtitle.text.split("<br>")
    assert " ".join(lines) == f"{LEGEND} {result.inferred}"
    assert max(map(len, lines)) <= 60  # of 450 pixels
    assert layout.height > 2 * 230
    steep = minimize(lambda x: 9.0**x, {"x": (0.0, 3.0)}, 12, progress=False)
    assert plot_result(steep).layout.yaxis.type == "log"


def test_an_optimizer_of_one_objective_is_a_result() -> None:
    optimizer = Optimizer([{"a": a, "b": b} for a in (1, 10, None) for b in "xy"], "maximize")
    optimizer.tell({"a": None, "b": "x"}, 0.5)  # an empty cell
    for place, point in enumerate(optimizer.ask(5)):
        optimizer.tell(point, None if place == 2 else place, standard_error=0.0)
    points, star = plot_result(optimizer).data[1:3]
    assert points.y == (0.5, 0.0, 1.0, -0.4, 3.0, 4.0)
    assert points.marker.symbol == (*3 * ["circle"], "x", *2 * ["circle"])
    assert star.y == (4.0,)
    study = study_of(optimizer)
    assert study.best_params == optimizer.best
    assert [trial.user_attrs["standard_error"] for trial in study.trials[1:]] == [0.0] * 5


def test_a_named_objective_keeps_its_name() -> None:
    optimizer = Optimizer({"x": (0.0, 1.0)}, {"yield": "maximize"})
    for point in optimizer.ask(2):
        optimizer.tell(point, point["x"])
    assert study_of(optimizer).metric_names == ["yield"]
    assert plot_result(optimizer).layout.yaxis.title.text == "yield"


def test_a_study_of_an_optimizer_has_its_objectives_and_constraints() -> None:
    space, ways = {"x": (0.0, 4.0)}, {"gain": "maximize", "waste": "minimize"}
    optimizer = Optimizer(space, ways, constraints={"heat": (1, 3)})  # type: ignore[arg-type]
    for x in (0.0, 2.0, 3.0, 4.0):
        optimizer.tell({"x": x}, {"gain": x, "waste": x * x, "heat": x})
    optimizer.tell({"x": 1.0}, {"gain": 5.0, "waste": 1.0})  # a limited outcome is missing
    optimizer.tell({"x": 0.5}, None)
    study = study_of(optimizer)
    assert [t.values for t in study.trials[1:3]] == [[2.0, 4.0], [3.0, 9.0]]
    assert [t.state for t in study.trials] == 5 * [TrialState.COMPLETE] + [TrialState.FAIL]
    assert [t.params["x"] for t in study.best_trials] == [1.0]
    assert study.metric_names == ["gain", "waste"]
    assert study.trials[0].user_attrs["reason"] == ""
    infeasible, *_ = plot_pareto_front(study).data
    assert [*infeasible.x] == [0.0, 4.0]
    with pytest.raises(InputDataError, match=r"plot_pareto_front\(study_of\(optimizer\)\)"):
        plot_result(optimizer)


def test_what_violates_a_constraint_is_open_and_is_not_the_best_so_far() -> None:
    optimizer = Optimizer({"x": (0.0, 4.0)}, constraints={"heat": (1, None)})
    for x in (0.0, 3.0, 0.5, 2.0):
        optimizer.tell({"x": x}, {"value": x, "heat": x}, standard_error=0.0)
    figure = plot_result(optimizer)
    line, points, star = figure.data[:3]
    ring, dot = "triangle-up-open", "circle"
    assert points.marker.symbol == (ring, dot, ring, dot)
    assert points.y == (0.0, 3.0, 0.5, 2.0)
    assert [*line.y[1:]] == [3.0, 3.0, 2.0]
    assert star.y == (2.0,)
    assert points.hovertext[2] == "0.5, infeasible at x = 0.5".replace(", ", "<br>")
    assert "△ infeasible" in figure.layout.title.subtitle.text
    alone = Optimizer({"x": (0.0, 4.0)}, constraints={"heat": (9, None)})
    alone.tell({"x": 1.0}, {"value": 1.0, "heat": 1.0})
    assert plot_result(alone).data[1].marker.symbol == (ring,)


def test_choices_stand_in_their_order_and_are_shortened() -> None:
    space = {"size": {"ordered": ["S", "medium-sized", "L"]}, "units": [64, 16, 32], "n": (1, 4)}
    space |= {"heat": (5, 60), "batch": (1, 100, "log")}
    result = minimize(
        lambda size, units, **numbers: len(size) + units + sum(numbers.values()),
        space,  # type: ignore[arg-type]
        8,
        progress=False,
    )
    layout = plot_result(result).layout
    assert layout.xaxis2.categoryarray == ("S", "medium-sized", "L")
    assert layout.xaxis2.labelalias == {"medium-sized": "medium…"}
    assert layout.xaxis3.categoryarray == ("16", "32", "64")
    assert layout.xaxis4.tickvals == (1, 2, 3, 4)
    assert layout.xaxis5.tickvals is None  # many, of which Plotly finds round ones
    assert layout.xaxis6.tickvals[::2] == (1, 100)
    for plot in (plot_result, study_of):
        for wrong in (study_of(result), None):
            with pytest.raises(TypeError, match=r"or an Optimizer.*optuna\.visualization"):
                plot(wrong)  # type: ignore[operator]
