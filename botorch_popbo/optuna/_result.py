"""The result of :func:`~botorch_popbo.minimize` as a study, and as a picture."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import accumulate
from math import isnan, nan
from textwrap import wrap
from typing import TYPE_CHECKING
from warnings import catch_warnings

import optuna
from botorch.exceptions import InputDataError
from optuna.distributions import BaseDistribution, CategoricalDistribution
from optuna.exceptions import ExperimentalWarning
from optuna.trial import TrialState, create_trial

from botorch_popbo._evaluation import Direction, Evaluation, Parameters, Result
from botorch_popbo.optimizer import Optimizer
from botorch_popbo.optuna._distributions import distribution_of
from botorch_popbo.space import Parameter

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

_COLUMNS = 3
# What an evaluation is in a study, and how it is drawn, by its status.
_LOOKS = {
    "completed": (TrialState.COMPLETE, "royalblue", "circle"),
    "stopped": (TrialState.PRUNED, "gray", "circle-open"),
    "infeasible": (TrialState.COMPLETE, "gray", "triangle-up-open"),
    "failed": (TrialState.FAIL, "red", "x"),
}
_LEGEND = {"failed": "✕ failed", "infeasible": "△ infeasible", "stopped": "○ stopped (last part)"}
_STAR = {"color": "orange", "symbol": "star", "size": 14}


def study_of(result: Result | Optimizer) -> optuna.Study:
    """A study of all evaluations, for :mod:`optuna.visualization`.

    Args:
        result: What :func:`~botorch_popbo.minimize` returned, or an
            :class:`~botorch_popbo.Optimizer`.

    Returns:
        A study in memory. Parts are intermediate values, and an evaluation that was stopped is
        pruned. Values are in the order of an optimizer's objectives, and its constraints are those
        of the trials. Standard errors and reasons of failures are attributes of its trials;
        constants are left out.

    Raises:
        TypeError: If it is something else, such as a study.

    Example:
        >>> plot_param_importances(study_of(result)).write_html("importances.html")
        >>> plot_pareto_front(study_of(optimizer)).write_html("front.html")
    """
    named = _objectives(result)
    study, parameters = optuna.create_study(directions=[*named.values()]), result.space.parameters
    if [*named] != ["value"]:
        with catch_warnings(action="ignore", category=ExperimentalWarning):
            study.set_metric_names([*named])
    for e, values, excess in _ended(result):
        params = _values(e, parameters)
        trial = create_trial(
            state=_LOOKS[e.status][0],
            values=values,
            intermediate_values=dict(enumerate(e.parts)),
            params=params,
            distributions={n: _distribution(parameters[n], v) for n, v in params.items()},
            user_attrs={"standard_error": e.standard_error, "reason": e.reason},
            system_attrs={"constraints": excess} if excess else {},
        )
        study.add_trial(trial)
    return study


def plot_result(result: Result | Optimizer) -> "Figure":
    """Values one after another, and over each parameter.

    A star marks the evaluation that the model recommends. Failures are red crosses beyond the worst
    value, and what violates a constraint is an open triangle. Stopped evaluations are open circles
    at their last part; Optuna draws all parts by ``plot_intermediate_values(study_of(result))``.
    What is under the pointer shows its parameters.

    Args:
        result: What :func:`~botorch_popbo.minimize` returned, or an
            :class:`~botorch_popbo.Optimizer` of one objective.

    Returns:
        A figure of Plotly, whose title says how the model understood the values. Its
        ``write_html("result.html")`` writes it to a file.

    Raises:
        ImportError: If Plotly is not installed.
        InputDataError: If an optimizer has several objectives.
        RuntimeError: If nothing of an optimizer has succeeded.
        TypeError: If it is something else, such as a study.
    """
    from plotly.subplots import make_subplots

    value = next(iter(_objectives(result)))
    result = _result_of(result)
    parameters, history = result.space.parameters, result.history
    y, line, kind = _heights(result)
    points: dict[str, object] = {
        "y": y,
        "mode": "markers",
        "marker_color": [_LOOKS[e.status][1] for e in history],
        "marker_symbol": [_LOOKS[e.status][2] for e in history],
        "hovertext": [_described(e).replace(", ", "<br>") for e in history],
        "hoverinfo": "text",
    }
    best = history.index(result.best)
    star = {"y": [y[best]], "marker": _STAR, "hoverinfo": "skip"}
    values = [_values(e, parameters) for e in history]
    columns = [[*range(len(y))]]
    for name, parameter in parameters.items():
        text = str if parameter.choices else (lambda value: value)
        columns.append([text(v[name]) if name in v else None for v in values])
    axes: list[dict[str, object]] = [{}, *map(_axis, parameters.values())]
    rows = -(-len(axes) // _COLUMNS)
    # Above the panels no label of a tick, which may be slanted, reaches the names.
    layout = {"subplot_titles": ["evaluation", *parameters], "vertical_spacing": 0.36 / rows}
    fig = make_subplots(rows, _COLUMNS, shared_yaxes=True, **layout)
    fig.add_scatter(y=line, mode="lines", line_shape="hv", row=1, col=1)
    for place, (x, axis) in enumerate(zip(columns, axes, strict=True)):
        cell = {"row": place // _COLUMNS + 1, "col": place % _COLUMNS + 1}
        fig.add_scatter(x=x, **points, **cell).add_scatter(x=[x[best]], **star, **cell)
        fig.update_xaxes(**axis, **cell)
    fig.update_annotations(font_size=12).update_xaxes(tickfont_size=11, exponentformat="e")
    fig.update_yaxes(title=value, col=1).update_yaxes(type=kind, nticks=6, exponentformat="e")
    margin, height = {"t": 125, "b": 40, "l": 60, "r": 20}, 165 + 230 * rows
    return fig.update_layout(showlegend=False, title=_title(result), margin=margin, height=height)


def _heights(result: Result) -> tuple[list[float], list[float], str]:
    """Where evaluations are drawn, and the best one so far; and the kind of their axis."""
    best_of, worst_of = (max, min) if result.direction == "maximize" else (min, max)
    history = result.history
    shown = [e.parts[-1] if e.status == "stopped" else e.value for e in history]
    known = [value for value in shown if not isnan(value)]
    top, worst = best_of(known), worst_of(known)
    kind = "log" if 0.0 < min(known) < max(known) / 100.0 else "linear"
    beyond = worst * (worst / top) ** 0.1 if kind == "log" else worst + 0.1 * (worst - top)
    whole = [e.value if e.status == "completed" else nan for e in history]
    line = [*accumulate(whole, lambda a, b: b if isnan(a) else best_of(a, b))]
    return [beyond if isnan(value) else value for value in shown], line, kind


def _title(result: Result) -> dict[str, object]:
    """How many evaluations there were, what the signs mean, and what the values are taken for."""
    head, *_ = str(result).splitlines()
    statuses = {e.status for e in result.history}
    others = [text for status, text in _LEGEND.items() if status in statuses]
    legend = f"{', '.join(['★ recommended', *others, 'line: best so far'])}."
    lines = "<br>".join(wrap(f"{legend} {result.inferred}", 60))
    return {"text": head, "subtitle_text": lines, "y": 1.0, "yanchor": "top", "pad_t": 30}


def _objectives(given: Result | Optimizer) -> Mapping[str, Direction]:
    """The direction of each objective by its name; raises TypeError."""
    if not isinstance(given, Result | Optimizer):
        raise TypeError("Pass a Result or an Optimizer; a study has optuna.visualization.")
    return given.objectives if isinstance(given, Optimizer) else {"value": given.direction}


def _ended(
    given: Result | Optimizer,
) -> Iterator[tuple[Evaluation, list[float] | None, list[float]]]:
    """Evaluations that have ended, with the values of objectives, and the excess over limits."""
    if isinstance(given, Result):
        for e in given.history:
            yield e, [e.value] if e.status == "completed" else None, []
        return
    for o in given.observations:
        error = nan if o.standard_error is None else o.standard_error
        if not o.outcomes:
            yield Evaluation(o.parameters, "failed", standard_error=error), None, []
            continue
        values = [o.outcomes[name] for name in given.objectives]
        excess = [-slack for slack in given.slack(o.outcomes) if not isnan(slack)]
        status = "infeasible" if max(excess, default=0.0) > 0.0 else "completed"
        yield Evaluation(o.parameters, status, values[0], error), values, excess


def _result_of(given: Result | Optimizer) -> Result:
    """A result as it is, or what an optimizer of one objective has found."""
    if isinstance(given, Result):
        return given
    history = [e for e, _, _ in _ended(given)]
    if len(given.objectives) > 1:
        front = "optuna.visualization.plot_pareto_front(study_of(optimizer))"
        raise InputDataError(f"Of several objectives, {front} draws the front.")
    [way], at = given.objectives.values(), given.best
    sign, ended = -1.0 if way == "maximize" else 1.0, [e for e in history if e.status != "failed"]
    observed = sorted(ended, key=lambda e: (e.status == "infeasible", sign * e.value))
    best = next(e for e in observed if e.parameters == at)
    return Result(best, observed[0], history, way, "", given.space, given.outlook)


def _described(evaluation: Evaluation) -> str:
    """An evaluation in words, which if it is infeasible has a value, too."""
    if evaluation.status != "infeasible":
        return str(evaluation)
    return str(replace(evaluation, reason=f"{evaluation.value:.6g}, infeasible"))


def _values(evaluation: Evaluation, parameters: Mapping[str, Parameter]) -> Parameters:
    """The value of each parameter that has one; ``None`` is one among choices only."""
    has_none = {name for name, p in parameters.items() if None in (p.choices or ())}
    given = {n: v for n, v in evaluation.parameters.items() if n in parameters}
    return {name: v for name, v in given.items() if v is not None or name in has_none}


def _axis(parameter: Parameter) -> dict[str, object]:
    """What Plotly draws below the values of a parameter."""
    if (names := parameter.choices) is None:
        kind = "log" if parameter.is_log else "linear"
        # Plotly finds round numbers, but of whole ones odd places on a logarithmic scale.
        units = (0.0, 0.5, 1.0) if parameter.is_log and parameter.step else ()
        places = parameter.places() if parameter.size <= 5 else map(parameter.at, units)
        return {"type": kind, "nticks": 4, "tickvals": [*map(parameter.value, places)] or None}
    # Plotly leaves out what is None.
    texts, ends = [*map(str, names)], [-0.5, len(names) - 0.5]
    short = {text: f"{text:.6}…" for text in texts if len(text) > 7}
    return {"type": "category", "range": ends, "categoryarray": texts, "labelalias": short}


def _distribution(parameter: Parameter, value: float) -> BaseDistribution:
    """The distribution that a value was drawn from, or a wider one if it lies outside."""
    if parameter.choices is not None:  # of those in an order, too, a study tells the choice
        return CategoricalDistribution(parameter.choices)
    low, high = min(parameter.low, value), max(parameter.high, value)
    return distribution_of(replace(parameter, low=low, high=high))
