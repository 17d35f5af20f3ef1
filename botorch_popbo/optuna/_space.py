"""The parameters of a study, and which are asked for beside some values of others only."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from copy import copy
from itertools import chain, pairwise
from typing import Any

import torch
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.trial import FrozenTrial
from torch import Tensor

from botorch_popbo.space import Parameter, Space

Range = FloatDistribution | IntDistribution
#: A trial's parameters by name, as numbers.
Row = Mapping[str, float]


class Share(FloatDistribution):
    """How a parameter is searched whose range is another one for each trial."""


def all_parameters(trials: Iterable[FrozenTrial]) -> dict[str, BaseDistribution]:
    """Every parameter as the last trial asked for it, without those of one value."""
    last = {name: d for trial in trials for name, d in trial.distributions.items()}
    return {name: last[name] for name in sorted(last) if has_values(last[name])}


def in_shares(trials: Sequence[FrozenTrial]) -> list[FrozenTrial]:
    """Trials as they are searched: of a range of the trial's own with the share below its value."""
    ranges: dict[str, list[Range]] = {}
    ended = (trial.distributions.items() for trial in trials if trial.state.is_finished())
    for name, distribution in chain.from_iterable(ended):
        if isinstance(distribution, Range):
            ranges.setdefault(name, []).append(distribution)
    names = {name for name, found in ranges.items() if _are_of_trials(found)}
    return [_in_shares(trial, names & trial.params.keys()) if names else trial for trial in trials]


def _in_shares(trial: FrozenTrial, names: Set[str]) -> FrozenTrial:
    shares = {name: _share(trial.params[name], trial.distributions[name]) for name in names}
    trial = copy(trial)
    trial.params = trial.params | shares
    trial.distributions = trial.distributions | {name: Share(0.0, 1.0) for name in names}
    return trial


def _share(value: Any, distribution: BaseDistribution) -> float:
    if not has_values(distribution):
        return 0.5
    parameter = parameter_of(distribution)
    start, end = parameter.outer_ends
    return (parameter.place(value) - start) / (end - start)


def value_at(share: float, distribution: BaseDistribution) -> Any:
    """The value below which a share of all values lies."""
    if not has_values(distribution):  # but choices that are equal, such as 1 and True
        return distribution.to_external_repr(0)
    parameter = parameter_of(distribution)
    return parameter.value(parameter.at(share))


def _are_of_trials(ranges: Sequence[Range]) -> bool:
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
        # Optuna keeps the first of equal ones, such as 1 and True.
        choices = enumerate(distribution.choices)
        different = [one for index, one in choices if distribution.to_internal_repr(one) == index]
        return Parameter.of_choices(different, is_ordered=False)
    assert isinstance(distribution, FloatDistribution | IntDistribution)
    return Parameter(distribution.low, distribution.high, distribution.step, distribution.log)


def space_of(
    distributions: Mapping[str, BaseDistribution], completed: Iterable[FrozenTrial], max_listed: int
) -> Space:
    """The space of a study.

    Args:
        distributions: At least one parameter by name, with several values each.
        completed: Trials that show which parameters are asked for.
        max_listed: Most values of a parameter by which others may be decided.

    Returns:
        The space.
    """
    parameters = {name: parameter_of(d) for name, d in distributions.items()}
    rows = [row for t in completed if (row := places_of(t.params, parameters))]
    listed = {name: p.places() for name, p in parameters.items() if p.size <= max_listed}
    return Space(parameters, _find_dependents(rows, listed))


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
