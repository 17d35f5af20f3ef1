"""A search as a JSON file."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from botorch.exceptions import BotorchError, InputDataError

from botorch_popbo._plain import Value
from botorch_popbo._replacing import replacing

#: The kind and the format of the file that ``minimize`` writes.
RUN = "run of minimize", "minimize 2"
_NOT_SAVED = (KeyError, TypeError, ValueError, AttributeError, OverflowError, BotorchError)


def save(path: str | os.PathLike[str], content: dict[str, Any]) -> bytes:
    """Write a file whole or not at all: what it holds; raises OSError if it cannot be written."""
    written = json.dumps(content, indent=1, allow_nan=False).encode()
    with replacing(Path(path)) as partial:
        partial.write_bytes(written)
    return written


@contextmanager
def saved(path: str | os.PathLike[str], kind: str, number: object) -> Iterator[dict[str, Any]]:
    """Give the content of a JSON file; what it is found not to hold in the context is refused.

    Args:
        path: The file.
        kind: What it is to hold, such as the class that has written it.
        number: The format of the file.

    Raises:
        InputDataError: If the file, or what the context makes of it, is something else.
        OSError: If the file cannot be read.
    """
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8-sig"))
        if content["format"] != number:
            raise ValueError(f"format {content['format']!r}")
        yield content
    except (*_NOT_SAVED, RecursionError) as error:
        message = f"{path} is not a saved {kind} ({type(error).__name__}: {error})."
        raise InputDataError(f"{message} Pass another path.") from None


def difference(before: dict[str, Value], now: dict[str, Value]) -> str:
    """What differs first between the headers of two runs, in words; empty if nothing does."""
    one, other = _texts(before), _texts(now)
    name = next((name for name in one | other if one.get(name) != other.get(name)), "")
    if name in ("", "start"):  # of which there is a digest
        return name and "another start"
    return f"{name} {one.get(name)}, not {other.get(name)}"


def _texts(header: dict[str, Value]) -> dict[str, str]:
    """Texts, in which 1, 1.0 and true differ, of each parameter by itself."""
    space = header["space"] if isinstance(header.get("space"), dict) else {}
    parts = {f"space of {name}:": notation for name, notation in space.items()}
    order = [name for name, notation in space.items() if isinstance(notation, dict)]
    return {name: json.dumps(x) for name, x in (header | {"space": order} | parts).items()}
