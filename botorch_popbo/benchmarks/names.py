"""Names that do not exist, and those like them."""

from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path

from botorch_popbo._errors import UsageError

_MOST_ALIKE, _MOST_LISTED = 3, 25  # names in a message


def unknown(
    what: str, name: str, known: Iterable[str], others: str = "", owner: str = "there is"
) -> UsageError:
    """The error about a name that does not exist: the names like it, or else all there are.

    Args:
        what: The kind of thing that is named.
        name: The name.
        known: The names that exist.
        others: What else there is, for the end of a list of all names.
        owner: The beginning of the message, such as "my.py has".

    Returns:
        The error, to be raised.
    """
    names = list(known)
    # A part of a name, such as tpe of optuna-tpe, is not alike by its letters.
    parts = [one for one in names if name.lower() in one.lower().split("-")]
    alike = " or ".join(map(repr, [*get_close_matches(name, names), *parts][:_MOST_ALIKE]))
    stem, _, member = name.replace(":", ".").partition(".")
    if member not in ("", "py") and Path(f"{stem}.py").is_file():  # as Python itself would name it
        alike = f"'{stem}.py:{member}'"
    listed = names if len(names) <= _MOST_LISTED else [*names[:_MOST_LISTED], "…"]
    hint = f"did you mean {alike}?" if alike else f"known: {', '.join(listed)}{others}"
    return UsageError(f"{owner} no {what} {name!r}; {hint}")
