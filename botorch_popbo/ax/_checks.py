"""Options that are refused where they are given, in words that name them."""

from collections.abc import Iterable, Mapping
from math import isclose
from typing import Any

import torch
from ax.core.search_space import SearchSpaceDigest
from ax.exceptions.core import UserInputError
from botorch.exceptions import CandidateGenerationError

from botorch_popbo._plain import whole


def check_whole(name: str, value: Any, least: int) -> int:
    """Refuse what is no whole number, or too small.

    Args:
        name: Name of the option.
        value: Its value.
        least: The smallest value allowed.

    Returns:
        The value as Python's own whole number: those of NumPy cannot be stored.

    Raises:
        UserInputError: If it is no whole number, too small, or of more than 63 bits.
    """
    number = whole(value)
    if number is None or not least <= number < 2**63:  # which a seed of PyTorch is below
        raise UserInputError(
            f"{name} is a whole number of at least {least}, below 2**63; got {value!r}."
        )
    return number


def check_name(option: str, name: object, known: Iterable[str]) -> None:
    """Refuse an unknown name.

    Args:
        option: What is named.
        name: The name.
        known: All names there are.

    Raises:
        UserInputError: If it is none of them.
    """
    if name not in [*known]:
        raise UserInputError(f"Unknown {option} {name!r}; known: {', '.join(known)}.")


def check_device(device: Any) -> None:
    """Refuse a device that is unknown or not there.

    Args:
        device: A device or its name; ``None`` for the CPU.

    Raises:
        UserInputError: If it is so, or has no double precision.
    """
    try:
        torch.empty(0, dtype=torch.double, device=device or "cpu")
    except (RuntimeError, AssertionError, TypeError, NotImplementedError) as error:
        raise UserInputError(
            f"Unknown device {device!r}, or not usable on this machine; known are, for example, "
            "'cpu' and 'cuda:0'."
        ) from error


def check_fixed(fixed_features: Mapping[int, float], digest: SearchSpaceDigest) -> None:
    """Refuse fixed parameters outside of the space, which some optimizers move into it.

    Where parameters depend on others, all are refused: Ax then completes the fixed ones to a point,
    with the middle of each other range, and nothing would be left to search.

    Args:
        fixed_features: Value by column.
        digest: The search space.

    Raises:
        CandidateGenerationError: If there is one.
    """
    if fixed_features and digest.hierarchical_dependencies:
        raise CandidateGenerationError(
            "Where some parameters depend on others, Ax fixes all as soon as one is fixed or "
            "disabled. Leave out fixed_parameters, and attach points of your own: "
            "client.attach_trial(point)."
        )
    for column, value in fixed_features.items():
        low, high = digest.bounds[column]
        slack = 1e-9 * (high - low)
        choices = digest.discrete_choices.get(column, [value])
        is_choice = any(isclose(value, choice, abs_tol=1e-9) for choice in choices)
        if not (is_choice and low - slack <= value <= high + slack):
            raise CandidateGenerationError(
                f"Parameter {digest.feature_names[column]!r} is fixed at a value outside of the "
                "search space."
            )
