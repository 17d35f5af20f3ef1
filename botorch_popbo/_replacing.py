"""Write a file whole or not at all."""

import errno
import glob
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex

_ABANDONED = 3600.0  # seconds; nothing takes that long to write


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give the name of a file beside another, which it replaces when the context ends.

    If the context raises, the other file is as it was. Of several at the same time each has a file
    of its own, and the last one stays. What a killed process left is removed an hour later.

    Args:
        path: The file to replace, if it exists.

    Yields:
        The file to write.

    Raises:
        OSError: If the file cannot be replaced.
    """
    if path.is_symlink():
        path = path.resolve()  # the link stays, and so does whatever else it is known by
    if not path.parent.is_dir():  # not the name of the other file, which nobody knows
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path.parent))
    _remove_abandoned(path)
    partial = path.with_name(f"{path.name}.{token_hex(4)}.part")
    try:
        yield partial
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)


def _remove_abandoned(path: Path) -> None:
    for partial in path.parent.glob(f"{glob.escape(path.name)}.*.part"):
        with suppress(OSError):  # another process may have been faster
            if time.time() - partial.stat().st_mtime > _ABANDONED:
                partial.unlink()
