"""Silence the libraries that talk while a progress bar is shown."""

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def quiet() -> Iterator[None]:
    """Drop log records up to INFO, and nearly all warnings, until the context ends.

    Ax sets the level of each of its loggers on import, so that lowering one level is undone by the
    next import; a threshold over all loggers is not.
    """
    threshold = logging.root.manager.disable
    logging.disable(max(threshold, logging.INFO))
    try:
        with warnings.catch_warnings(action="ignore"):
            warnings.filterwarnings("default", ".* are two choices")  # a user may mean a range
            yield
    finally:
        logging.disable(threshold)
