"""Compute with one thread, so that runs side by side are timed fairly."""

from collections.abc import Iterator
from contextlib import contextmanager

from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from botorch_popbo._threads import one_torch_thread


@contextmanager
def one_thread() -> Iterator[None]:
    """Limit torch and the linear algebra libraries to one thread until the context ends."""
    with one_torch_thread(), threadpool_limits(limits=1):
        yield
