"""Read what an objective returned."""

import math
import warnings
from collections.abc import Mapping, Set
from typing import Any

from ax.api.types import TOutcome
from ax.exceptions.core import UserInputError

from botorch_popbo._plain import as_float

Outcome = Mapping[str, float | tuple[float, float]] | float
"""Metric name to mean, or to (mean, standard error), in the unit of the metric; or one mean."""


def read_outcome(returned: Any, metrics: Set[str]) -> TOutcome:
    """Bring the return value of an objective into the form of ``Client.complete_trial``.

    Args:
        returned: A number, if one metric is optimized, or a mapping from the name of each metric to
            a number or a pair of mean and standard error. Further metrics may be there; what is no
            number among them is left out, with a warning.
        metrics: Names of the metrics that are optimized or constrained.

    Returns:
        Metric name to mean, or to (mean, standard error).

    Raises:
        UserInputError: If a metric is missing: a mistake in the objective, not a failed trial.
        ValueError: If the value of an optimized metric is not a number, or not finite.
    """
    is_named = isinstance(returned, Mapping)
    values = returned if is_named else dict.fromkeys(metrics, returned)
    if missing := sorted(metrics - values.keys()):
        raise UserInputError(
            f"The objective returned {sorted(map(str, values))} without the metrics {missing}."
        )
    outcome: dict[str, float | tuple[float, float]] = {}
    for name, value in values.items():
        try:
            outcome[str(name)] = _reading(str(name), value)
        except ValueError as error:
            if name in metrics:
                raise
            warnings.warn(f"Left out: {error}", stacklevel=2)
    for name in sorted(metrics):
        _check_finite(name, outcome[name])
    if not is_named and len(metrics) != 1:
        raise UserInputError(
            f"The objective returned one number; return a mapping with {sorted(metrics)}."
        )
    return outcome


def _reading(name: str, value: Any) -> float | tuple[float, float]:
    if isinstance(value, (tuple, list)) and len(value) == 2:
        mean, sem = value
        if sem is not None:
            return _number(name, mean), _number(name, sem)
        value = mean  # as Ax writes an unknown standard error
    return _number(name, value)


def _number(name: str, value: Any) -> float:
    number = as_float(value)
    if number is None:
        raise ValueError(f"the value of {name} is not a number: {value!r}")
    return number


def _check_finite(name: str, value: float | tuple[float, float]) -> None:
    mean, sem = value if isinstance(value, tuple) else (value, 0.0)
    if not math.isfinite(mean):
        raise ValueError(f"the value of {name} is {mean}")
    if sem < 0:
        raise ValueError(f"the standard error of {name} is negative: {sem}")
    if math.isinf(sem):
        raise ValueError(f"the standard error of {name} is {sem}")
