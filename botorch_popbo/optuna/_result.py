"""The result of :func:`~botorch_popbo.minimize` as a study, and as a picture."""

from dataclasses import replace
from itertools import accumulate
from math import isnan, nan
from textwrap import wrap
from typing import TYPE_CHECKING

import optuna
from botorch.exceptions import InputDataError
from optuna.distributions import BaseDistribution, CategoricalDistribution
from optuna.trial import TrialState, create_trial

from botorch_popbo._evaluation import Evaluation, Result
from botorch_popbo.optimizer import Optimizer
from botorch_popbo.optuna._distributions import distribution_of
from botorch_popbo.space import Parameter

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

_COLUMNS = 3
_STATES = {"completed": TrialState.COMPLETE, "stopped": TrialState.PRUNED}
# How an evaluation is drawn, by its status.
_COLORS = {"completed": "royalblue", "stopped": "gray", "failed": "red"}
_SYMBOLS = {"completed": "circle", "stopped": "circle-open", "failed": "x"}
_STAR = {"color": "orange", "symbol": "star", "size": 14}


def study_of(result: Result | Optimizer) -> optuna.Study:
    """A study of all evaluations, for :mod:`optuna.visualization`.

    Args:
        result: What :func:`~botorch_popbo.minimize` returned, or an
            :class:`~botorch_popbo.Optimizer` of one objective without constraints.

    Returns:
        A study in memory. Parts are intermediate values, and an evaluation that was stopped is
        pruned. Standard errors and reasons of failures are attributes of its trials; constants are
        left out.

    Raises:
        InputDataError: If an optimizer has several objectives, or constraints.
        RuntimeError: If nothing of an optimizer has succeeded.
        TypeError: If it is something else, such as a study.

    Example:
        >>> plot_param_importances(study_of(result)).write_html("importances.html")
    """
    result = _result_of(result)
    study = optuna.create_study(direction=result.direction)
    for e in result.history:
        each = ((n, p, e.parameters.get(n)) for n, p in result.space.parameters.items())
        ranges = {n: _distribution(p, v) for n, p, v in each if v is not None}
        trial = create_trial(
            state=_STATES.get(e.status, TrialState.FAIL),
            value=e.value if e.status == "completed" else None,
            intermediate_values=dict(enumerate(e.parts)),
            params={name: e.parameters[name] for name in ranges},
            distributions=ranges,
            user_attrs={"standard_error": e.standard_error, "reason": e.reason},
        )
        study.add_trial(trial)
    return study


def plot_result(result: Result | Optimizer) -> "Figure":
    """Values one after another, and over each parameter.

    A star marks the evaluation that the model recommends. Failures are red crosses at the worst
    value. Stopped evaluations are open circles at their last part; Optuna draws all parts by
    ``plot_intermediate_values(study_of(result))``. What is under the pointer shows its parameters.

    Args:
        result: What :func:`~botorch_popbo.minimize` returned, or an
            :class:`~botorch_popbo.Optimizer` of one objective without constraints.

    Returns:
        A figure of Plotly, whose title says how the model understood the values. Its
        ``write_html("result.html")`` writes it to a file.

    Raises:
        ImportError: If Plotly is not installed.
        InputDataError: If an optimizer has several objectives, or constraints.
        RuntimeError: If nothing of an optimizer has succeeded.
        TypeError: If it is something else, such as a study.
    """
    from plotly.subplots import make_subplots

    result = _result_of(result)
    parameters, history = result.space.parameters, result.history
    best_of, worst_of = (max, min) if result.direction == "maximize" else (min, max)
    shown = [e.parts[-1] if e.status == "stopped" else e.value for e in history]
    worst = worst_of(value for value in shown if not isnan(value))
    y = [worst if isnan(value) else value for value in shown]
    whole = [worst if isnan(e.value) else e.value for e in history]
    points: dict[str, object] = {
        "y": y,
        "mode": "markers",
        "marker_color": [_COLORS[e.status] for e in history],
        "marker_symbol": [_SYMBOLS[e.status] for e in history],
        "hovertext": [str(e).replace(", ", "<br>") for e in history],
        "hoverinfo": "text",
    }
    best = history.index(result.best)
    star = {"y": [y[best]], "marker": _STAR, "hoverinfo": "skip"}
    columns = [[*range(len(y))], *([e.parameters.get(n) for e in history] for n in parameters)]
    axes: list[dict[str, object]] = [{}, *map(_axis, parameters.values())]
    rows = -(-len(axes) // _COLUMNS)
    # Above the panels no label of a tick, which may be slanted, reaches the names.
    layout = {"subplot_titles": ["evaluation", *parameters], "vertical_spacing": 0.36 / rows}
    fig = make_subplots(rows, _COLUMNS, shared_yaxes=True, **layout)
    fig.add_scatter(y=list(accumulate(whole, best_of)), mode="lines", line_shape="hv", row=1, col=1)
    for place, (x, axis) in enumerate(zip(columns, axes, strict=True)):
        cell = {"row": place // _COLUMNS + 1, "col": place % _COLUMNS + 1}
        fig.add_scatter(x=x, **points, **cell).add_scatter(x=[x[best]], **star, **cell)
        fig.update_xaxes(**axis, **cell)
    kind = "log" if 0.0 < min(y) < max(y) / 100.0 else "linear"
    fig.update_annotations(font_size=12).update_xaxes(tickfont_size=11, exponentformat="e")
    fig.update_yaxes(title="value", col=1).update_yaxes(type=kind, exponentformat="e")
    head, *_ = str(result).splitlines()
    stopped = ", ○ stopped (last part)" if any(e.status == "stopped" for e in history) else ""
    legend = f"★ recommended, ✕ failed{stopped}, line: best so far."
    lines = "<br>".join(wrap(f"{legend} {result.inferred}", 60))
    title = {"text": head, "subtitle_text": lines, "y": 1.0, "yanchor": "top", "pad_t": 30}
    margin = {"t": 125, "b": 40, "l": 60, "r": 20}
    return fig.update_layout(showlegend=False, title=title, margin=margin, height=165 + 230 * rows)


def _result_of(given: Result | Optimizer) -> Result:
    """A result as it is, or what an optimizer of one outcome has found."""
    if isinstance(given, Result):
        return given
    if not isinstance(given, Optimizer):
        raise TypeError("Pass what minimize returned; for a study there is optuna.visualization.")
    if len(given.objectives) > 1 or given.constraints:
        raise InputDataError("With several objectives or constraints, plot optimizer.to_frame().")
    [(name, way)], at = given.objectives.items(), given.best
    history = []
    for o in given.observations:
        status, error = "completed" if o.outcomes else "failed", o.standard_error
        value, error = o.outcomes.get(name, nan), nan if error is None else error
        history.append(Evaluation(o.parameters, status, value, error))
    by_value = sorted(history, key=lambda e: e.value, reverse=way == "maximize")
    observed = [e for e in by_value if e.status == "completed"]
    best = next(e for e in observed if e.parameters == at)
    return Result(best, observed[0], history, way, "", given.space, given.outlook)


def _axis(parameter: Parameter) -> dict[str, object]:
    """What Plotly draws below the values of a parameter."""
    if (names := parameter.choices) is None:
        kind = "log" if parameter.is_log else "linear"
        ticks = sorted({parameter.value(parameter.at(unit)) for unit in (0.0, 0.5, 1.0)})
        return {"type": kind, "nticks": 4, "tickvals": ticks if parameter.step else None}
    ends, short = [-0.5, len(names) - 0.5], {n: f"{n:.6}…" for n in map(str, names) if len(n) > 7}
    return {"type": "category", "range": ends, "categoryarray": names, "labelalias": short}


def _distribution(parameter: Parameter, value: float) -> BaseDistribution:
    """The distribution that a value was drawn from, or a wider one if it lies outside."""
    if parameter.choices is not None:  # of those in an order, too, a study tells the choice
        return CategoricalDistribution(parameter.choices)
    low, high = min(parameter.low, value), max(parameter.high, value)
    return distribution_of(replace(parameter, low=low, high=high))
