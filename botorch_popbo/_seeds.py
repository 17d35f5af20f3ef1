"""One seed from the user, another stream for every state of the data."""


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
