"""Search spaces in which some parameters have a meaning only beside some values of others."""

from typing import Any

from ax.core.search_space import SearchSpaceDigest
from ax.generators.utils import filter_constraints_and_fixed_features
from torch import Tensor

from botorch_popbo.models.input_transforms import InactiveColumns


def inactive_columns(digest: SearchSpaceDigest) -> InactiveColumns | None:
    """What makes points equal that differ in inactive parameters only.

    Args:
        digest: The search space.

    Returns:
        A transform that gives inactive parameters a value in the middle; ``None`` if no parameter
        depends on another.
    """
    if not digest.hierarchical_dependencies:
        return None
    middle = {column: (low + high) / 2.0 for column, (low, high) in enumerate(digest.bounds)}
    listed = {
        column: sorted(values)[len(values) // 2]
        for column, values in digest.discrete_choices.items()
    }
    return InactiveColumns(digest.hierarchical_dependencies, middle | listed)


def points_inside(
    X: Tensor, digest: SearchSpaceDigest, inactive: InactiveColumns | None, **others: Any
) -> Tensor:
    """The points of a search space, wherever their inactive parameters are.

    Args:
        X: Points, an ``n x d`` tensor.
        digest: The search space.
        inactive: What gave their inactive parameters a value, in the middle of a space that trials
            outside of this one may have widened.
        **others: Further arguments of Ax's ``filter_constraints_and_fixed_features``.

    Returns:
        Those of the points that lie inside.
    """
    own = inactive_columns(digest)
    placed = X if own is None else own(X)
    inside: Tensor = filter_constraints_and_fixed_features(placed, digest.bounds, **others)
    return inside if inactive is None else inactive(inside)
