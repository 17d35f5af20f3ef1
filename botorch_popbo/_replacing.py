"""Write a file whole or not at all."""

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give the name of a file beside another, which it replaces when the context ends.

    If the context raises, the other file is as it was. Of several at the same time each has a file
    of its own, and the last one stays.

    Args:
        path: The file to replace, if it exists.

    Yields:
        The file to write.

    Raises:
        OSError: If the file cannot be replaced. Only a regular file can be: not
            a folder, pipe, device or socket, nor a link to one or in a circle.
    """
    # A link stays, and so does whatever else it is known by. Of a loop nothing is left but a link.
    target = Path(os.path.realpath(path)) if path.is_symlink() else path
    is_other = (path.exists() or os.path.lexists(target)) and not path.is_file()
    if is_other or not target.parent.is_dir():  # not the name of the other, which nobody knows
        folder = "this folder" if path.is_dir() else "an existing folder"
        message = f"Name a regular or a new file in {folder}, not"
        raise FileNotFoundError(errno.ENOENT, message, str(path))
    partial = target.with_name(f"{target.name}.{token_hex(4)}.part")
    try:
        yield partial
        if target.exists():  # whoever may read the other may read this one
            shutil.copymode(target, partial)
        os.replace(partial, target)
    except OSError as error:  # a full disk names no file, other faults the temporary one
        error.filename = str(path)
        del error.filename2  # as None it would be named
        raise
    finally:
        partial.unlink(missing_ok=True)
