"""Where trials are, as all workers read it from the storage.

A running trial has those parameters only that its objective has asked for already, and a failed one
those that it had asked for until then. Others were suggested, or enqueued, which goes first.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from optuna.distributions import BaseDistribution, CategoricalDistribution
from optuna.study import Study
from optuna.trial import FrozenTrial

_KEY = "popbo:point"
# Databases hold values of up to 2048 characters.
_LENGTH = 2000


def share_point(
    study: Study,
    trial: FrozenTrial,
    parameters: Mapping[str, Any],
    distributions: Mapping[str, BaseDistribution],
) -> None:
    """Keep what was suggested for a trial beside it.

    Args:
        study: The study.
        trial: The trial.
        parameters: What was suggested.
        distributions: The parameters' distributions.
    """
    numbers = {n: distributions[n].to_internal_repr(value) for n, value in parameters.items()}
    text = json.dumps(numbers)
    for part, start in enumerate(range(0, len(text), _LENGTH)):
        study._storage.set_trial_system_attr(
            trial._trial_id, f"{_KEY}:{part}", text[start : start + _LENGTH]
        )


def shared_point(
    trial: FrozenTrial, distributions: Mapping[str, BaseDistribution]
) -> dict[str, Any]:
    """What is known of a trial: what it asked for, and what was enqueued or suggested beside.

    Args:
        trial: The trial.
        distributions: The parameters' distributions.

    Returns:
        Parameters by name.
    """
    if distributions.keys() <= trial.params.keys():  # as most completed trials
        return trial.params
    parts: list[str] = []
    while (part := trial.system_attrs.get(f"{_KEY}:{len(parts)}")) is not None:
        parts.append(part)
    numbers: dict[str, float] = {}
    # Another process may be in the middle of writing, and a trial that is tried again may have
    # parts of a longer text left.
    with suppress(ValueError):
        numbers, _ = json.JSONDecoder().raw_decode("".join(parts))
    known = {
        name: distribution.to_external_repr(numbers[name])
        for name, distribution in distributions.items()
        if name in numbers and _is_meant(distribution, numbers[name])
    }
    return known | _enqueued(trial, distributions) | trial.params


def _is_meant(distribution: BaseDistribution, number: float) -> bool:
    """Whether a value is none of other choices, as a trial of another study may have."""
    return not isinstance(distribution, CategoricalDistribution) or distribution._contains(number)


def _enqueued(trial: FrozenTrial, distributions: Mapping[str, BaseDistribution]) -> dict[str, Any]:
    """What the trial gets as soon as it asks, be it out of range; without what is no value."""
    found = {}
    for name, value in trial.system_attrs.get("fixed_params", {}).items():
        if distribution := distributions.get(name):
            with suppress(ValueError, TypeError, OverflowError):
                number = distribution.to_internal_repr(value)
                found[name] = distribution.to_external_repr(number)
    return found
