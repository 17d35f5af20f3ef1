"""The same seed gives the same numbers: streams of random numbers, and one thread."""

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import RLock

import numpy as np
import torch

# The number is of the whole process, and so is the random state that a search puts back.
_LOCK = RLock()
_is_inside = False  # of whichever thread holds the lock


def derive_seed(seed: int, num_points: int) -> int:
    """Mix a user's seed with the number of points known, deterministically.

    A sequence of suggestions then uses fresh random numbers at every step (initial weights,
    uniform numbers of unpromising points, optimizer starts), and still depends on nothing but the
    user's seed and the data: a resumed run continues as if it had not been interrupted.

    Args:
        seed: The user's seed, any integer.
        num_points: Number of points evaluated or pending.

    Returns:
        A seed for ``torch.Generator.manual_seed``, in [0, 2**62).
    """
    return (1_000_003 * seed + num_points) % 2**62


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Seed all that libraries draw from, and leave the global random state as it was.

    BoTorch's optimizers draw from that of Python, too: of a category of many values they look at a
    sample. The states of CUDA's devices are restored, which BoTorch's own ``manual_seed`` forgets.
    Ax's ``with_rng_seed`` would take seconds to load. Of several threads one at a time is inside.

    Args:
        seed: A seed of 32 bits, or of :func:`derive_seed`, of which NumPy's is the remainder.

    Yields:
        Nothing.
    """
    with _LOCK:
        devices = range(torch.cuda.device_count()) if torch.cuda.is_initialized() else ()
        states = random.getstate(), np.random.get_state()  # noqa: NPY002
        random.seed(seed)
        np.random.seed(seed % 2**32)  # noqa: NPY002  # the state that is there
        try:
            with torch.random.fork_rng(devices):
                torch.default_generator.manual_seed(seed)
                for device in devices:
                    torch.cuda.default_generators[device].manual_seed(seed)
                yield
        finally:
            random.setstate(states[0])
            np.random.set_state(states[1])  # noqa: NPY002


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
    global _is_inside  # so is the number
    with _LOCK:
        if _is_inside:
            yield
            return
        threads = torch.get_num_threads()
        if threads == 1:  # one that was born while another was inside has kept this number
            with ThreadPoolExecutor(1) as fresh:
                threads = fresh.submit(torch.get_num_threads).result()
        torch.set_num_threads(1)
        _is_inside = True
        try:
            yield
        finally:
            _is_inside = False
            torch.set_num_threads(threads)
