"""Our parameters as Optuna's distributions, and back; the space of a study."""

import math
from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import pairwise

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

#: The places of a trial's parameters by name; none if one of its values has no place.
Row = Mapping[str, float]


class Share(FloatDistribution):
    """How a parameter is searched whose range is another one for each trial."""


def distribution_of(parameter: Parameter) -> BaseDistribution:
    """The distribution of a range; of choices, that of their indices."""
    low, high, log = parameter.low, parameter.high, parameter.is_log
    if isinstance(low, int) and isinstance(parameter.step, int):
        return IntDistribution(low, int(high), log=log, step=parameter.step)
    return FloatDistribution(low, high, log=log, step=parameter.step)


def parameter_of(distribution: BaseDistribution) -> Parameter:
    """A parameter as it is searched.

    Raises:
        InputDataError: If the width of a range is not a number.
    """
    if isinstance(distribution, CategoricalDistribution):
        # Optuna keeps the first of equal ones, such as 1 and True.
        choices = enumerate(distribution.choices)
        different = [one for index, one in choices if distribution.to_internal_repr(one) == index]
        return Parameter.of_choices(different, is_ordered=False)
    assert isinstance(distribution, FloatDistribution | IntDistribution)
    return Parameter(distribution.low, distribution.high, distribution.step, distribution.log)


def has_values(distribution: BaseDistribution) -> bool:
    """Whether a parameter has several values that Optuna distinguishes."""
    if isinstance(distribution, CategoricalDistribution):
        return any(map(distribution.to_internal_repr, distribution.choices))  # past the first
    return not distribution.single()


def share_of(value: object, distribution: BaseDistribution) -> float:
    """The share of all values of a range that lies below one of them."""
    if not has_values(distribution):
        return 0.5
    parameter = parameter_of(distribution)
    start, end = parameter.outer_ends
    return (parameter.place(value) - start) / (end - start)


def value_at(share: float, distribution: BaseDistribution) -> object:
    """The value below which a share of all values lies."""
    if not has_values(distribution):  # but choices that are equal, such as 1 and True
        return distribution.to_external_repr(0)
    parameter = parameter_of(distribution)
    return parameter.value(parameter.at(share))


def all_parameters(
    trials: Iterable[FrozenTrial], with_shares: bool = False
) -> dict[str, BaseDistribution]:
    """Every parameter that has several values, as the last trial asked for it.

    Args:
        trials: The trials.
        with_shares: Whether a range that is another one for each trial becomes a :class:`Share`.

    Returns:
        The distributions by name, in the order of the names.
    """
    asked: dict[str, list[BaseDistribution]] = {}
    for trial in trials:
        for name, distribution in trial.distributions.items():
            asked.setdefault(name, []).append(distribution)
    found = {}
    for name in sorted(asked):
        is_share = with_shares and _is_of_each_trial(asked[name])
        found[name] = Share(0.0, 1.0) if is_share else asked[name][-1]
    return {name: distribution for name, distribution in found.items() if has_values(distribution)}


def _is_of_each_trial(asked: Sequence[BaseDistribution]) -> bool:
    """Whether ranges came back, or are many: a user changes them once or twice, or long ago."""
    ranges = [one for one in asked if isinstance(one, FloatDistribution | IntDistribution)]
    changes = sum(
        (one.low, one.high, one.step) != (other.low, other.high, other.step)
        for one, other in pairwise(ranges)
    )
    number = len({(one.low, one.high) for one in ranges})
    if number <= 2:
        return changes > number
    # Others at their bounds give the same range a few times, or a single value.
    last = ranges[-1]
    has_stayed = ranges[-number:] == [last] * number and has_values(last)
    return changes > number or not has_stayed


def place_trials(
    values: Sequence[Mapping[str, object]],
    is_telling: Sequence[bool],
    distributions: Mapping[str, BaseDistribution],
    max_listed: int,
) -> tuple[Space, dict[int, Tensor]]:
    """The space of a study, and where its trials are.

    Args:
        values: The values of each trial's parameters by name.
        is_telling: Whether each trial shows which parameters are asked for.
        distributions: At least one parameter by name, with several values each.
        max_listed: Most values of a parameter by which others may be decided.

    Returns:
        The space, and by its index the point of each trial, of shape ``d``. Trials of another
        space, and those that lack one of the parameters that all telling ones have, have none.
    """
    parameters = {name: parameter_of(d) for name, d in distributions.items()}
    rows = [places_of(given, parameters) for given in values]
    telling = [row for row, tells in zip(rows, is_telling, strict=True) if row and tells]
    listed = {name: p.places() for name, p in parameters.items() if p.size <= max_listed}
    space = Space(parameters, _find_dependents(telling, listed))
    required = {*parameters}.intersection(*telling)
    places = [[row.get(name, p.middle) for name, p in parameters.items()] for row in rows]
    X = space.filled(torch.tensor(places, dtype=torch.double).reshape(len(rows), len(parameters)))
    has_point = [bool(row) and row.keys() >= required for row in rows]
    return space, {index: x for index, x in enumerate(X) if has_point[index]}


def places_of(values: Mapping[str, object], parameters: Mapping[str, Parameter]) -> Row:
    """The places of those values that are of the parameters; none if one has no place."""
    try:
        row = {name: p.place(values[name]) for name, p in parameters.items() if name in values}
    except (ValueError, TypeError):  # trials that were added may be of other distributions
        return {}
    # What is enqueued may be infinite.
    return row if all(map(math.isfinite, row.values())) else {}


def _find_dependents(
    rows: Sequence[Row], listed: Mapping[str, Sequence[float]]
) -> dict[str, dict[float, list[str]]]:
    """Find what decides whether a parameter is asked for, which an objective says nowhere.

    A parameter with listed values decides about another one if no trial contradicts that, and at
    one of its values the other is missing; of several the one of the fewest values does. Beside a
    value that no trial has, all is taken to be asked for. The result is a tree.
    """
    dependents: dict[str, dict[float, list[str]]] = {}
    names = sorted({name for row in rows for name in row})
    parents = [name for name in names if name in listed]
    for child in names:
        asking = [row for row in rows if child in row]
        others = [row for row in rows if child not in row]
        absent = {name: _absent_places(name, asking, others) for name in parents}
        deciding = [name for name in parents if absent[name]]
        if not deciding:
            continue
        parent = min(deciding, key=lambda name: len(listed[name]))
        for there in listed[parent]:
            if there not in absent[parent]:
                dependents.setdefault(parent, {}).setdefault(there, []).append(child)
    return dependents


def _absent_places(parent: str, asking: Sequence[Row], others: Sequence[Row]) -> Set[float]:
    """The places of a parameter beside which another is missing; none if it does not decide.

    Args:
        parent: The name of the parameter.
        asking: Trials that asked for the other one.
        others: Trials that did not.

    Returns:
        The places.
    """
    if not others or not all(parent in row for row in asking):
        return set()
    present = {row[parent] for row in asking}
    without = [row[parent] for row in others if parent in row]
    # Where each value was tried once, anything seems to depend on it.
    is_telling = len(asking) + len(without) >= 2 * len(present.union(without))
    return set(without) if is_telling and present.isdisjoint(without) else set()
