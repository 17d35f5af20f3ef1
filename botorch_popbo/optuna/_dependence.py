"""Which parameters are asked for beside some values of others only, as far as trials show."""

from collections.abc import Mapping, Sequence

#: A trial's parameters by name, as numbers.
Row = Mapping[str, float]
#: For each parameter that others depend on, by its value, those that are asked for there.
Dependents = dict[str, dict[float, list[str]]]


def find_dependents(rows: Sequence[Row], listed: Mapping[str, Sequence[float]]) -> Dependents:
    """Find what decides whether a parameter is asked for.

    An objective of Optuna says nowhere when it asks for a parameter. A parameter with listed values
    decides about another one if no trial contradicts that, and at one of its values the other
    is missing; of several the one of the fewest values does. Beside a value of which no trial
    tells, all is taken to be asked for.

    Args:
        rows: The trials.
        listed: The values of each parameter that has a list of them.

    Returns:
        What depends on what, which is a tree; what depends on nothing found is left out.
    """
    found: Dependents = {}
    for child in sorted({name for row in rows for name in row}):
        if all(child in row for row in rows):
            continue
        answers = {parent: _absent_beside(rows, parent, child) for parent in listed}
        deciding = [name for name in sorted(listed) if answers[name]]
        if not deciding:
            continue
        parent = min(deciding, key=lambda name: len(listed[name]))
        by_value = found.setdefault(parent, {})
        for value in listed[parent]:
            if value not in (answers[parent] or ()):
                by_value.setdefault(value, []).append(child)
    return found


def _absent_beside(rows: Sequence[Row], parent: str, child: str) -> set[float] | None:
    """The values beside which a parameter is missing; ``None`` if the other does not decide."""
    if parent == child or any(child in row and parent not in row for row in rows):
        return None
    present = {row[parent] for row in rows if child in row}
    absent = {row[parent] for row in rows if parent in row and child not in row}
    number = sum(parent in row for row in rows)
    # Where each value was tried once, anything seems to depend on it.
    is_telling = number >= 2 * len(present | absent)
    return absent if absent and is_telling and not present & absent else None
