"""The parameters of a study, and which are asked for beside some values of others only."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.trial import FrozenTrial
from torch import Tensor

from botorch_popbo.models.input_transforms import Limit, SeenLimits
from botorch_popbo.space import Limits, Parameter, Space

Array = npt.NDArray[np.float64]
#: A trial's parameters by name, as numbers.
Row = Mapping[str, float]


def all_parameters(trials: Iterable[FrozenTrial]) -> dict[str, BaseDistribution]:
    """Every parameter that a trial asked for, without those of one value.

    It is as the last trial asked for it, or of all values where each trial has a range of its own.
    """
    seen: dict[str, list[BaseDistribution]] = {}
    for trial in trials:
        for name, distribution in trial.distributions.items():
            seen.setdefault(name, []).append(distribution)
    found = {name: _joined(seen[name]) for name in sorted(seen)}
    return {name: distribution for name, distribution in found.items() if has_values(distribution)}


def _joined(seen: Sequence[BaseDistribution]) -> BaseDistribution:
    """The last range, or that of all values where trials have ranges of their own."""
    last = seen[-1]
    if not isinstance(last, FloatDistribution | IntDistribution):
        return last
    same = [d for d in seen if type(d) is type(last) and getattr(d, "log", None) == last.log]
    if not _are_of_trials(same):
        return last
    low, high = min(d.low for d in same), max(d.high for d in same)
    return type(last)(low, high, log=last.log, step=last.step)  # type: ignore[arg-type]


def _are_of_trials(ranges: Sequence[Any]) -> bool:
    """Whether ranges came back, or are many: a user changes them once or twice, or long ago."""
    ends, last = [(d.low, d.high, d.step) for d in ranges], ranges[-1]
    changes = sum(one != other for one, other in pairwise(ends))
    number = len({(low, high) for low, high, _ in ends})
    # Others at their bounds give the same range a few times, or a single value.
    has_stayed = list(ranges[-number:]) == [last] * number and has_values(last)
    return changes > number or (number > 2 and not has_stayed)


def has_values(distribution: BaseDistribution) -> bool:
    """Whether a parameter has several values that Optuna tells apart."""
    if isinstance(distribution, CategoricalDistribution):
        return any(map(distribution.to_internal_repr, distribution.choices))  # past the first
    return not distribution.single()


def parameter_of(distribution: BaseDistribution) -> Parameter:
    """A parameter as it is searched.

    Raises:
        InputDataError: If the width of a range is no number.
    """
    if isinstance(distribution, CategoricalDistribution):
        return Parameter.of_choices(_told_apart(distribution), is_ordered=False)
    assert isinstance(distribution, FloatDistribution | IntDistribution)
    return Parameter(distribution.low, distribution.high, distribution.step, distribution.log)


def space_of(
    distributions: Mapping[str, BaseDistribution], completed: Iterable[FrozenTrial], max_listed: int
) -> Space:
    """The space of a study.

    Args:
        distributions: At least one parameter by name, with several values each.
        completed: Trials that show which parameters are asked for, and in which ranges.
        max_listed: Most values of a parameter by which others may be decided.

    Returns:
        The space.
    """
    parameters = {name: parameter_of(d) for name, d in distributions.items()}
    asked = [(t, row) for t in completed if (row := places_of(t.params, parameters))]
    listed = {name: p.places() for name, p in parameters.items() if p.size <= max_listed}
    dependents = _find_dependents([row for _, row in asked], listed)
    return Space(parameters, dependents, _find_limits(asked, parameters))


def places_of(values: Mapping[str, Any], parameters: Mapping[str, Parameter]) -> Row | None:
    """Those values that are of the parameters, as numbers; ``None`` if one has no place."""
    try:
        row = {name: p.place(values[name]) for name, p in parameters.items() if name in values}
    except (ValueError, TypeError):  # trials that were added may be of other distributions
        return None
    # What is enqueued may be infinite.
    return row if all(map(math.isfinite, row.values())) else None


def points_of(
    rows: Sequence[Row | None], space: Space, required: Collection[str]
) -> list[Tensor | None]:
    """Where trials of some places are, each of shape ``d``.

    ``None`` if one is of another space, or lacks one of the parameters that all have.
    """
    own = space.parameters.items()
    places = [[(row or {}).get(name, p.middle) for name, p in own] for row in rows]
    X = space.filled(torch.tensor(places, dtype=torch.double).reshape(len(rows), len(own)))
    there = [row is not None and bool(row) and row.keys() >= {*required} for row in rows]
    return [x if is_there else None for x, is_there in zip(X, there, strict=True)]


def _find_limits(
    trials: Sequence[tuple[FrozenTrial, Row]], parameters: Mapping[str, Parameter]
) -> Limits:
    """Find how ranges depend on parameters that are asked for before, which is said nowhere.

    Args:
        trials: Trials, each of which shows the ranges of what it asked for, with its places.
        parameters: All parameters.

    Returns:
        Limits that are affine in places without an exception, as those of a range from 0 to
        ``1 - a``, or those seen beside some places.
    """
    columns, middle = [*parameters], {name: p.middle for name, p in parameters.items()}
    # In the order of the last trial; what it did not ask for comes after that.
    asked = [*dict.fromkeys(n for trial, row in reversed(trials) for n in trial.params if n in row)]
    found: dict[str, Limit] = {}
    for number, name in enumerate(asked):
        showing = [(trial, row) for trial, row in trials if name in row]
        ranges: list[Any] = [trial.distributions[name] for trial, _ in showing]
        if parameters[name].choices is not None or not ranges or not _are_of_trials(ranges):
            continue
        rows = [{**middle, **row} for _, row in showing]
        ends = np.array([[*map(parameters[name].place, (d.low, d.high))] for d in ranges])
        numeric = [other for other in asked[:number] if parameters[other].choices is None]
        before = np.array([[1.0, *(row[other] for other in numeric)] for row in rows])
        if (weights := _affine(before, ends)) is not None:
            named = [
                dict(zip(["", *numeric], column, strict=False)) for column in weights.T.tolist()
            ]
            low, high = ([w[""], *(w.get(other, 0.0) for other in parameters)] for w in named)
            found[name] = (low, high)
        elif number:
            alone = [other for other in asked[:number] if _decides(other, rows, ends.tolist())]
            deciding = alone[:1] or asked[:number]
            places = [[row[other] for other in deciding] for row in rows]
            by = [*map(columns.index, deciding)]
            found[name] = SeenLimits(by, places, ends.tolist(), [math.inf] * len(rows))
    return found


def _decides(name: str, rows: Sequence[Row], ends: Sequence[Sequence[float]]) -> bool:
    """Whether the same place has the same limits, as far as places were tried several times."""
    of_place = {row[name]: end for row, end in zip(rows, ends, strict=True)}
    is_telling = len(rows) >= 2 * len(of_place)
    return is_telling and all(of_place[row[name]] == e for row, e in zip(rows, ends, strict=True))


def _affine(X: Array, Y: Array) -> Array | None:
    """Weights by which columns make others, ``d x k``, if there is no doubt about them.

    They are rounded: what is left of a user's own is exact.
    """
    solved, _, rank, _ = np.linalg.lstsq(X, Y)
    weights = solved.round(9).astype(np.float64)
    is_exact = np.abs(X @ weights - Y).max() <= 1e-8 * np.abs(Y).max()
    return weights if rank == X.shape[1] < len(X) and is_exact else None


def _told_apart(distribution: CategoricalDistribution) -> list[Any]:
    """Choices; Optuna keeps the first of equal ones, such as 1 and True."""
    choices = enumerate(distribution.choices)
    return [one for index, one in choices if distribution.to_internal_repr(one) == index]


def _find_dependents(
    rows: Sequence[Row], listed: Mapping[str, Sequence[float]]
) -> dict[str, dict[float, list[str]]]:
    """Find what decides whether a parameter is asked for, which an objective says nowhere.

    A parameter with listed values decides about another one if no trial contradicts that, and at
    one of its values the other is missing; of several the one of the fewest values does. Beside a
    value of which no trial tells, all is taken to be asked for. The result is a tree.
    """
    found: dict[str, dict[float, list[str]]] = {}
    names = sorted({name for row in rows for name in row})
    # By the number of a trial, of those that asked for it.
    places = {n: {i: row[n] for i, row in enumerate(rows) if n in row} for n in names}
    for child in names:
        if len(places[child]) == len(rows):
            continue
        absent = {
            parent: _absent_beside(places[parent], places[child].keys())
            for parent in listed.keys() & places.keys()
        }
        deciding = [name for name in sorted(absent) if absent[name]]
        if not deciding:
            continue
        parent = min(deciding, key=lambda name: len(listed[name]))
        by_place = found.setdefault(parent, {})
        for place in listed[parent]:
            if place not in absent[parent]:
                by_place.setdefault(place, []).append(child)
    return found


def _absent_beside(places: Mapping[int, float], asking: Set[int]) -> set[float]:
    """The places of a parameter beside which another is missing; none if it does not decide.

    Args:
        places: By the number of a trial the place of the parameter.
        asking: The numbers of the trials that asked for the other one.

    Returns:
        The places.
    """
    if not asking <= places.keys():
        return set()
    present = {places[number] for number in asking}
    absent = {places[number] for number in places.keys() - asking}
    # Where each value was tried once, anything seems to depend on it.
    is_telling = len(places) >= 2 * len(present | absent)
    return absent if is_telling and not present & absent else set()
