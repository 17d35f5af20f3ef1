"""A progress bar over trials, read off the records on disk."""

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
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


@contextmanager
def progress_bar(wanted: Mapping[Path, int]) -> Iterator[None]:
    """Show the trials on disk, of those wanted in each file of records, and the time left.

    Processes report nothing to the bar: what is on disk is what is done.
    """

    @cache  # so that only files that have grown are read
    def lines(path: Path, size: int) -> int:
        return min(path.read_bytes().count(b"\n"), wanted[path])

    def count() -> int:
        return sum(lines(path, path.stat().st_size) for path in wanted if path.exists())

    done = Event()
    # A suggestion takes longer than an initial point, so the rate has to follow the recent past.
    bar = make_bar(total=sum(wanted.values()), initial=count(), unit="trial", smoothing=0.1)

    def follow() -> None:
        while not done.wait(_POLL_SECONDS):
            bar.update(count() - bar.n)
        bar.update(count() - bar.n)

    thread = Thread(target=follow, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
        bar.close()
