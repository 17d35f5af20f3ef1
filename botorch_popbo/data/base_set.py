"""Rank counts over a base set: the paper's independent ranking."""

import torch
from botorch.exceptions import BotorchTensorDimensionError, InputDataError
from torch import Tensor

from botorch_popbo.data._checks import check_outcomes, check_two_points
from botorch_popbo.data._replicates import mean_of_copies
from botorch_popbo.data._rows import distinct_rows, points_at
from botorch_popbo.data.rank_counts import RankCounts


def from_base_set(
    X: Tensor,
    Y: Tensor,
    generator: torch.Generator | None = None,
    base: Tensor | None = None,
) -> RankCounts:
    """Rank half of the points, each over the other half only.

    Ranks over the whole set depend on each other: no two points can both be third. Given the base
    set, the ranks of the other points do not. The price is half of the data, and that points
    between the same two base points tie. Counts run from 0 to the size of the base set, both
    included. Replicates are merged by their mean before the split. O(N log N).

    Assumption: the outcomes are exact, and the base set is chosen without a look at them.

    Args:
        X: Evaluated points, an ``N x d`` tensor.
        Y: Outcomes, an ``N x 1`` or ``N`` tensor in any unit, larger being better. Minus infinity
            marks a failed evaluation: it ranks below every success.
        generator: Draws half of the distinct points, rounded down, as the base set.
        base: Alternatively the base set itself, a boolean mask of shape ``N``, equal for all
            copies of a point.

    Returns:
        One record per distinct point outside the base set, in lexicographic order, of exposure the
        number of distinct points in it.

    Raises:
        BotorchTensorDimensionError: If the shapes do not agree.
        InputDataError: As in :func:`from_outcomes`; if not exactly one of ``generator`` and
            ``base`` is given; or if the mask is not boolean, is on another device, holds no point
            or all of them, or splits the copies of a point.
    """
    check_outcomes(X, Y)
    if (generator is None) == (base is None):
        raise InputDataError(
            "Pass either a generator, to draw the base set, or its mask as base, and not both."
        )
    distinct = distinct_rows(*X.unbind(-1))
    num_points = distinct.rows.shape[0]
    check_two_points(num_points)
    if base is None:
        in_base = _drawn(num_points, generator).to(X.device)
    else:
        _check_mask(X, base)
        in_base = base[distinct.rows]
        _check_split(base, in_base, distinct.inverse)
    outcomes = mean_of_copies(Y.detach().reshape(-1), distinct.inverse)
    rivals = outcomes[in_base].sort().values
    not_better = torch.searchsorted(rivals, outcomes[~in_base], right=True)
    return RankCounts(
        X=points_at(X, distinct.rows[~in_base]),
        counts=(rivals.shape[0] - not_better).to(X),
        exposure=X.new_full(not_better.shape, rivals.shape[0]),
    )


def _drawn(num_points: int, generator: torch.Generator | None) -> Tensor:
    device = None if generator is None else generator.device
    drawn = torch.randperm(num_points, generator=generator, device=device)[: num_points // 2]
    return torch.zeros(num_points, dtype=torch.bool, device=device).index_fill_(0, drawn, True)


def _check_mask(X: Tensor, base: Tensor) -> None:
    if base.shape != X.shape[:1]:
        raise BotorchTensorDimensionError(
            f"Expected base of shape N, a mask over the {X.shape[0]} rows of train_X, but got "
            f"{tuple(base.shape)}."
        )
    if base.dtype != torch.bool or base.device != X.device:
        raise InputDataError(
            f"base must be a boolean mask on {X.device}, but is {base.dtype} on {base.device}. "
            "To name the rows of the base set, set those entries of a mask of False to True."
        )


def _check_split(base: Tensor, in_base: Tensor, inverse: Tensor) -> None:
    if not bool((in_base[inverse] == base).all()):
        raise InputDataError(
            "base holds some copies of a point and not others. Copies are merged before ranking, "
            "so put all of them into the base set or none."
        )
    if bool(in_base.all()) or not bool(in_base.any()):
        raise InputDataError(
            "base must hold at least one point and leave out at least one, which is then ranked."
        )
