"""How many threads PyTorch computes with."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def one_thread() -> Iterator[None]:
    """Let PyTorch compute with one thread until the context, or the function, ends.

    Matrices of a few hundred rows gain nothing from more. On busy cores their threads wait for each
    other at every step, and sums in another order change the last digits of a suggestion.

    Yields:
        Nothing.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
