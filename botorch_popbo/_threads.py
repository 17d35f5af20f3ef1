"""How many threads PyTorch computes with."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import RLock

import torch

# The number is of the whole process, and so is the random state that a search puts back.
_LOCK = RLock()


@contextmanager
def one_thread() -> Iterator[None]:
    """Let PyTorch compute with one thread until the context, or the function, ends.

    Matrices of a few hundred rows gain nothing from more. On busy cores their threads wait for each
    other at every step, and sums in another order change the last digits of a suggestion. A process
    that is forked from one which has used more hangs as soon as it does. Of several threads of
    Python one at a time is inside; it may enter again.

    Yields:
        Nothing.
    """
    with _LOCK:
        threads = torch.get_num_threads()
        if threads == 1:  # one that was born while another was inside has kept this number
            with ThreadPoolExecutor(1) as fresh:
                threads = fresh.submit(torch.get_num_threads).result()
        torch.set_num_threads(1)
        try:
            yield
        finally:
            torch.set_num_threads(threads)
