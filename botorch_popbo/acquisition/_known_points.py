"""How far points are from those that are known already."""

from functools import partial

import torch
from torch import Tensor

_FAR = 1e3  # known radii, beyond which nothing is left, not even a slope that is no number


def distance_to_known(encoded: Tensor, known: Tensor, radius: float) -> Tensor:
    """Distances to the nearest known point.

    Args:
        encoded: Encoded points, a ``batch_shape x q x d'`` tensor.
        known: Encoded known points, an ``N x d'`` tensor.
        radius: Unit of the distance, the radius within which a point is known.

    Returns:
        A ``batch_shape x q`` tensor, exactly zero at a known point.
    """
    points = encoded.reshape(-1, encoded.shape[-1])
    # A matrix of distances in pieces: of less than 32 MiB, glibc's heap may end in holes.
    pieces = points.detach().split(max(1, 2**24 // len(known)))
    # The exact mode, in which a known point is nearest to itself.
    exact = partial(torch.cdist, x2=known, compute_mode="donot_use_mm_for_euclid_dist")
    found = [exact(piece).min(-1) for piece in pieces]
    distance, nearest = (torch.cat(values) for values in zip(*found, strict=True))
    if bool((distance < _FAR * radius).any()):  # else there is no slope, and no graph to walk
        distance = torch.linalg.vector_norm(points - known[nearest], dim=-1)
    return (distance / radius).reshape(encoded.shape[:-1])


def proximity(distance: Tensor) -> Tensor:
    """One at a known point, falling to zero within a few known radii.

    Args:
        distance: Distances in known radii.

    Returns:
        A tensor of the same shape, in [0, 1].
    """
    return torch.exp(-0.5 * distance.clamp_max(_FAR).square())


def log_remoteness(distance: Tensor) -> Tensor:
    """Logarithm of one minus :func:`proximity`, finite at a known point.

    Args:
        distance: Distances in known radii.

    Returns:
        A tensor of the same shape, at most 0.
    """
    far = -torch.expm1(-0.5 * distance.clamp_max(_FAR).square())
    log_far: Tensor = far.double().clamp_min(torch.finfo(torch.double).tiny).log()
    # Less than the logarithm of any improvement, also of a point that is bad for certain.
    return log_far.where(far > 0.0, -1e30).to(far)
