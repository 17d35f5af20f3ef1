"""A progress bar over trials, read off the records on disk."""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from threading import Event, Thread
from time import monotonic

from tqdm.auto import tqdm  # type: ignore[import-untyped]

_POLL_SECONDS = 0.5
_TOLD_SECONDS = 30.0  # between two lines of a log


@contextmanager
def progress_bar(wanted: Mapping[Path, int]) -> Iterator[None]:
    """Show the trials on disk, of those wanted in each file of records, and the time left.

    In a log it is a line now and then.
    Processes report nothing to the bar: what is on disk is what is done.
    """

    @cache  # so that only files that have grown are read
    def lines(path: Path, size: int) -> int:
        return min(path.read_bytes().count(b"\n"), wanted[path])

    def count() -> int:
        return sum(lines(path, path.stat().st_size) for path in wanted if path.exists())

    done = Event()
    # A suggestion takes longer than an initial point, so the rate has to follow the recent past.
    total, begun = sum(wanted.values()), count()
    # None: only in a log. The variable is tqdm's own, which an argument would overrule.
    is_silent = bool(os.environ.get("TQDM_DISABLE"))
    options = {"smoothing": 0.1, "dynamic_ncols": True, "disable": is_silent or None}
    bar = tqdm(total=total, initial=begun, unit="trial", **options)
    in_log = bar.disable and not is_silent

    def follow() -> None:
        told = monotonic()
        while not done.wait(_POLL_SECONDS):
            bar.update(count() - bar.n)
            if in_log and monotonic() - told > _TOLD_SECONDS:
                told = monotonic()
                print(f"{count()} of {total} trials", file=sys.stderr, flush=True)
        bar.update(count() - bar.n)

    thread = Thread(target=follow, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
        bar.close()
