"""One seed from the user, another stream for every state of the data."""

import random
from collections.abc import Iterator
from contextlib import contextmanager

import torch


def derive_seed(seed: int, num_points: int) -> int:
    """Mix a user's seed with the number of points known, deterministically.

    A sequence of suggestions then uses fresh random numbers at every step (initial weights,
    uniform numbers of unpromising points, optimizer starts), and still depends on nothing but the
    user's seed and the data: a run that was interrupted goes on as if it had not been.

    Args:
        seed: The user's seed, any integer.
        num_points: Number of points evaluated or pending.

    Returns:
        A seed for ``torch.Generator.manual_seed``, in [0, 2**62).
    """
    return (1_000_003 * seed + num_points) % 2**62


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Seed all that BoTorch's optimizers draw from, and leave the global random state as it was.

    That of Python is among it: of a category of many values they look at a sample. So are those of
    CUDA's devices, which BoTorch's own ``manual_seed`` does not restore.

    Args:
        seed: A seed of :func:`derive_seed`.

    Yields:
        Nothing.
    """
    devices = range(torch.cuda.device_count()) if torch.cuda.is_initialized() else ()
    state = random.getstate()
    random.seed(seed)
    try:
        with torch.random.fork_rng(devices):
            torch.default_generator.manual_seed(seed)
            for device in devices:
                torch.cuda.default_generators[device].manual_seed(seed)
            yield
    finally:
        random.setstate(state)
