"""Random candidates of a fully discrete space."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor

_ENUMERATE_UP_TO = 100_000
_MAX_ROUNDS = 20


def unseen_candidates(
    choices: Sequence[Tensor],
    X_avoid: Tensor | None,
    num_candidates: int,
    generator: torch.Generator,
) -> Tensor:
    """Draw distinct points of a grid that are not to be avoided.

    Args:
        choices: For each of ``d`` columns its values, a one-dimensional tensor.
        X_avoid: Points to leave out, an ``m x d`` tensor.
        num_candidates: Number of points wanted.
        generator: Source of randomness, on the CPU.

    Returns:
        An ``n x d`` tensor with ``n <= num_candidates``; fewer points only where the grid has no
        more, and none where every point of it is to be avoided.
    """
    if math.prod(len(values) for values in choices) <= _ENUMERATE_UP_TO:
        grid = torch.cartesian_prod(*choices).reshape(-1, len(choices))
        unseen = _without(grid, X_avoid)
        order = torch.randperm(unseen.shape[0], generator=generator)[:num_candidates]
        return unseen[order.to(unseen.device)]
    drawn = choices[0].new_empty((0, len(choices)))
    for _ in range(_MAX_ROUNDS):
        columns = [
            values[torch.randint(len(values), (num_candidates,), generator=generator)]
            for values in choices
        ]
        drawn = _without(torch.unique(torch.cat([drawn, torch.stack(columns, -1)]), dim=0), X_avoid)
        if drawn.shape[0] >= num_candidates:
            break
    order = torch.randperm(drawn.shape[0], generator=generator)[:num_candidates]
    return drawn[order.to(drawn.device)]


def _without(X: Tensor, X_avoid: Tensor | None) -> Tensor:
    """The rows of ``X`` that are not rows of ``X_avoid``."""
    if X_avoid is None or X_avoid.shape[0] == 0:
        return X
    together = torch.cat([X_avoid.to(X), X])
    _, inverse = torch.unique(together, dim=0, return_inverse=True)
    avoid, rows = inverse[: X_avoid.shape[0]], inverse[X_avoid.shape[0] :]
    return X[~torch.isin(rows, avoid)]
