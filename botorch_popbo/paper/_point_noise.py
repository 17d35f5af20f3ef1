"""Uniform numbers that belong to points.

The rectified acquisition functions give every point a uniform number drawn once. A hash of the
point's bits keeps that promise without storing anything: the same point has the same number in
every batch, at every call and on every device, and neighbours are unrelated.
"""

import torch
from torch import Tensor

# Constants of the finalizer of SplitMix64 (Steele, Lea and Flood, 2014), as signed integers.
_INCREMENT = -0x61C8864680B583EB
_ROUNDS = ((30, -0x40A7B892E31B1A47), (27, -0x6B2FB644ECCEEE15), (31, 1))


def uniform_from_points(X: Tensor, seed: int) -> Tensor:
    """One number in [0, 1) for each point.

    Args:
        X: Points, a ``batch_shape x d`` tensor.
        seed: Another seed gives every point another number.

    Returns:
        A ``batch_shape`` tensor in the dtype of ``X``, without gradient.
    """
    bits = (X.detach().double() + 0.0).contiguous().view(torch.int64)  # + 0.0: -0.0 equals 0.0
    columns = torch.arange(1, X.shape[-1] + 1, device=X.device)
    # Weyl's sequence tells the columns apart, so that permuted coordinates are another point.
    state = _mix((_mix(bits) + columns * _INCREMENT) * (2 * columns - 1)).sum(-1)
    state = _mix(state + (seed + 1) * columns.new_tensor(_INCREMENT))
    # No more bits than the dtype holds, or the largest numbers would round up to one.
    num_bits = 53 if X.dtype == torch.float64 else 24
    return (_shift_right(state, 64 - num_bits).double() * 2.0**-num_bits).to(X.dtype)


def _mix(state: Tensor) -> Tensor:
    for shift, factor in _ROUNDS:
        state = (state ^ _shift_right(state, shift)) * factor
    return state


def _shift_right(state: Tensor, shift: int) -> Tensor:
    """Logical shift: torch shifts the sign bit in, which would correlate the high bits."""
    return (state >> shift) & ((1 << (64 - shift)) - 1)
