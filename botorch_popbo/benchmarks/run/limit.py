"""A time limit for a call into a method."""

import faulthandler
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_REPEAT_SECONDS = 5.0
GRACE_SECONDS = 60.0


class LimitExceeded(BaseException):
    """A call took too long; no ``Exception``, so that no library handles it in passing."""


@contextmanager
def time_limit(seconds: float, may_end_process: bool = False) -> Iterator[None]:
    """Raise LimitExceeded in the context once it has taken too long.

    A signal interrupts Python code in the main thread of a process, where blocking calls of the
    standard library count as Python code. Native code is not interrupted: the error comes once it
    returns. Native code that never returns can only be ended together with its process: if that is
    allowed, a minute after the limit, when the stack goes to the standard error.
    """
    if may_end_process:
        faulthandler.dump_traceback_later(
            seconds + GRACE_SECONDS, exit=True, file=sys.__stderr__ or sys.stderr
        )
    try:
        with _signal(seconds):
            yield
    finally:
        faulthandler.cancel_dump_traceback_later()


@contextmanager
def _signal(seconds: float) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        raise LimitExceeded(f"no answer within the {seconds:g} seconds of --limit")

    previous = signal.signal(signal.SIGALRM, stop)
    # Repeated, in case that the first one is raised where Python drops exceptions.
    signal.setitimer(signal.ITIMER_REAL, seconds, _REPEAT_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
