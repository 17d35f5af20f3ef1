"""A progress bar over trials, read off the records on disk."""

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any

from tqdm.auto import tqdm  # type: ignore[import-untyped]

_POLL_SECONDS = 0.5


def make_bar(*iterable: Iterable[Any], **options: Any) -> Any:
    """A bar of tqdm that works on terminals and in notebooks and stays out of logs."""
    # None: only in a log. The variable is tqdm's own, which an argument would overrule.
    disable = True if os.environ.get("TQDM_DISABLE") else None
    return tqdm(*iterable, dynamic_ncols=True, disable=disable, **options)


class _Counter:
    """Counts the lines of files, as many as are wanted, reading only those that have grown."""

    def __init__(self, wanted: Mapping[Path, int]) -> None:
        self.wanted = wanted
        self.sizes = dict.fromkeys(wanted, 0)
        self.lines = dict.fromkeys(wanted, 0)

    def count(self) -> int:
        for path, known in self.sizes.items():
            size = path.stat().st_size if path.exists() else 0
            if size != known:
                self.sizes[path] = size
                lines = path.read_bytes().count(b"\n")
                self.lines[path] = min(lines, self.wanted[path])
        return sum(self.lines.values())


@contextmanager
def progress_bar(wanted: Mapping[Path, int]) -> Iterator[None]:
    """Show how many trials are on disk, and the time left, on a terminal or in a notebook.

    Processes report nothing to the bar: what is on disk is what is done.

    Args:
        wanted: The number of trials when all is done, by file of records.
    """
    counter = _Counter(wanted)
    done = Event()
    # A suggestion takes longer than an initial point, so the rate has to follow the recent past.
    bar = make_bar(total=sum(wanted.values()), initial=counter.count(), unit="trial", smoothing=0.1)

    def follow() -> None:
        while not done.wait(_POLL_SECONDS):
            bar.update(counter.count() - bar.n)

    thread = Thread(target=follow, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
        bar.update(counter.count() - bar.n)
        bar.close()
