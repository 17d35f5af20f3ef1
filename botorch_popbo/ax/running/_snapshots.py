"""When to save a client that keeps changing, and what to tell once it is saved."""

import logging
import os
import time
from pathlib import Path

from ax.api.client import Client

from botorch_popbo.ax.running.snapshots import save_client

# A snapshot holds every trial twice, so writing one takes longer and longer.
_MAX_SHARE_OF_TIME = 0.1

_logger = logging.getLogger("botorch_popbo.ax")


class Snapshots:
    """Saves a client after changes, as often as a tenth of the time allows.

    Args:
        client: The client to save.
        path: The JSON file, or None to save nothing.
    """

    def __init__(self, client: Client, path: str | os.PathLike[str] | None) -> None:
        self._client = client
        # The same after an objective that changed the working directory.
        self._path = None if path is None else Path(path).absolute()
        self._due = 0.0
        self._changed = False
        self._news: list[tuple[int, str]] = []

    def note_change(self, message: str | None = None, level: int = logging.INFO) -> None:
        """The client is no longer as it was saved; log a message once it is saved again."""
        self._changed = True
        if message is not None:
            self._news.append((level, message))

    @property
    def delay(self) -> float | None:
        """Seconds until the next snapshot may be written, or None if there is no change to save."""
        return max(self._due - time.monotonic(), 0.0) if self._changed else None

    def save(self) -> None:
        """Write a snapshot now.

        Raises:
            OSError: If the file cannot be written.
        """
        if self._path is not None:
            start = time.monotonic()
            save_client(self._client, self._path)
            end = time.monotonic()
            self._due = end + (end - start) * (1 / _MAX_SHARE_OF_TIME - 1)
        self._changed = False
        for level, message in self._news:
            _logger.log(level, message)
        self._news.clear()
