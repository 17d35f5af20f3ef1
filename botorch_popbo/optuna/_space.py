"""The parameters of a study, and which are asked for beside some values of others only."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.trial import FrozenTrial

from botorch_popbo.space import Parameter, Space

#: A trial's parameters by name, as numbers.
Row = Mapping[str, float]


def all_parameters(trials: Iterable[FrozenTrial]) -> dict[str, BaseDistribution]:
    """Every parameter that a trial asked for, as the last one did; without those of one value."""
    latest: dict[str, BaseDistribution] = {}
    for trial in trials:
        latest |= trial.distributions
    return {name: latest[name] for name in sorted(latest) if has_values(latest[name])}


def has_values(distribution: BaseDistribution) -> bool:
    """Whether a parameter has several values that Optuna tells apart."""
    if isinstance(distribution, CategoricalDistribution):
        return len(_told_apart(distribution)) > 1
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
    distributions: Mapping[str, BaseDistribution],
    completed: Iterable[FrozenTrial],
    max_listed: int,
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
    rows = [row for trial in completed if (row := places_of(trial.params, parameters))]
    listed = {name: p.places() for name, p in parameters.items() if p.size <= max_listed}
    return Space(parameters, _find_dependents(rows, listed))


def places_of(values: Mapping[str, Any], parameters: Mapping[str, Parameter]) -> Row | None:
    """Those values that are of the parameters, as numbers; ``None`` if one has no place."""
    try:
        row = {name: p.place(values[name]) for name, p in parameters.items() if name in values}
    except (ValueError, TypeError):  # trials that were added may be of other distributions
        return None
    return (
        row if all(map(math.isfinite, row.values())) else None
    )  # what is enqueued may be infinite


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
    for child in sorted({name for row in rows for name in row}):
        if all(child in row for row in rows):
            continue
        absent = {parent: _absent_beside(rows, parent, child) for parent in listed}
        deciding = [name for name in sorted(listed) if absent[name]]
        if not deciding:
            continue
        parent = min(deciding, key=lambda name: len(listed[name]))
        by_place = found.setdefault(parent, {})
        for place in listed[parent]:
            if place not in absent[parent]:
                by_place.setdefault(place, []).append(child)
    return found


def _absent_beside(rows: Sequence[Row], parent: str, child: str) -> set[float]:
    """The values beside which a parameter is missing; none if the other does not decide."""
    if parent == child or any(child in row and parent not in row for row in rows):
        return set()
    present = {row[parent] for row in rows if child in row}
    absent = {row[parent] for row in rows if parent in row and child not in row}
    number = sum(parent in row for row in rows)
    # Where each value was tried once, anything seems to depend on it.
    is_telling = number >= 2 * len(present | absent)
    return absent if is_telling and not present & absent else set()
