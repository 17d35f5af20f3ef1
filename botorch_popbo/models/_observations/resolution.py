"""How far apart two points have to be for their outcomes to differ."""

import torch
from torch import Tensor


def resolution(points: Tensor, level: Tensor) -> float:
    """The distance up to which outcomes are equal, as far as they tell it.

    A function with steps, such as the score of a decision tree, is flat for some way about each
    point. The largest distance of two equal outcomes that is less than that of any two different
    ones is one bound of it, and the least of these is the other. Half-way between their logarithms
    the next point halves what is not known.

    Args:
        points: Encoded points, an ``m x d'`` tensor.
        level: Which outcomes are equal, of shape ``m``.

    Returns:
        A distance, zero if it is not known.
    """
    distance = torch.cdist(points, points, compute_mode="donot_use_mm_for_euclid_dist")
    is_equal = level.unsqueeze(-1) == level
    different = distance[~is_equal]
    if not len(different):
        return 0.0
    least = different.min()
    largest = distance.where(is_equal & (distance < least), 0.0).max()
    return float((largest * least).sqrt())
