"""Options that are refused where they are given, in words that name them."""

from collections.abc import Iterable

from ax.exceptions.core import UserInputError

from botorch_popbo._plain import whole


def check_whole(name: str, value: object, least: int) -> int:
    """Refuse what is not a whole number, or too small.

    Args:
        name: Name of the option.
        value: Its value.
        least: The smallest value allowed.

    Returns:
        The value as Python's own whole number: those of NumPy cannot be stored.

    Raises:
        UserInputError: If it is not a whole number, too small, or of more than 63 bits.
    """
    number = whole(value)
    if number is None or not least <= number < 2**63:  # which a seed of PyTorch is below
        raise UserInputError(
            f"{name} must be a whole number of at least {least}, below 2**63; got {value!r}."
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
