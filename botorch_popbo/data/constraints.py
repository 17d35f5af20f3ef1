"""Orders under outcome constraints: feasible points first."""

import torch
from botorch.exceptions import BotorchTensorDimensionError, InputDataError
from torch import Tensor

from botorch_popbo.data._checks import check_outcomes, check_same_kind, check_tensor
from botorch_popbo.data._replicates import mean_of_copies
from botorch_popbo.data._rows import distinct_points, distinct_rows
from botorch_popbo.data.order import Order


def from_constrained_outcomes(X: Tensor, Y: Tensor, violations: Tensor) -> Order:
    """Order feasible points by outcome, then infeasible ones by violation, then failures.

    The total violation of a point is the sum over constraints of the violation divided by the
    largest one of that constraint in the data, so the units of the constraints do not matter. The
    outcome of an infeasible point is not used. Replicates are merged by their mean outcome and
    their mean violation, satisfied copies counting as negative. O(N log N).

    Assumption: the values are exact, any feasible point is better than any infeasible one, and the
    largest violation seen of one constraint is as bad as the largest of another.

    Args:
        X: Evaluated points, an ``N x d`` tensor.
        Y: Outcomes, an ``N x 1`` or ``N`` tensor in any unit, larger being better. Minus infinity
            marks a failed evaluation: it ranks below every success, feasible or not.
        violations: By how much each of the ``c`` constraints is violated, an ``N x c`` tensor in
            any units, positive where violated; those of failures are ignored.

    Returns:
        One list of all distinct points, whose scores are places.

    Raises:
        BotorchTensorDimensionError: If the shapes do not agree.
        InputDataError: As in :func:`from_outcomes`; or if a violation is NaN or infinite.
    """
    check_outcomes(X, Y)
    _check_violations(X, Y, violations)
    points, distinct = distinct_points(X)
    outcomes = mean_of_copies(Y.detach().reshape(-1), distinct.inverse)
    failed = outcomes.isneginf()
    excess = [mean_of_copies(v, distinct.inverse) for v in violations.detach().unbind(-1)]
    feasible, total = ~failed, torch.zeros_like(outcomes)
    for violation in excess:
        positive = torch.where(failed, 0.0, violation).clamp_min(0.0)
        feasible &= positive == 0
        total += positive / torch.where(positive.any(), positive.amax(), 1.0)
    within = torch.where(feasible, outcomes, -total)
    places = distinct_rows(feasible, within).inverse.to(outcomes)
    return Order.from_scores(points, places.masked_fill(failed, -torch.inf))


def _check_violations(X: Tensor, Y: Tensor, violations: Tensor) -> None:
    check_tensor(violations, "violations")
    if violations.ndim != 2 or violations.shape[0] != X.shape[0]:
        raise BotorchTensorDimensionError(
            f"Expected violations of shape N x c, one row for each of the {X.shape[0]} points, but "
            f"got {tuple(violations.shape)}."
        )
    check_same_kind(X, violations, "violations")
    if not bool(violations[Y.reshape(-1).isfinite()].isfinite().all()):
        raise InputDataError(
            "violations holds NaN or infinite values. Drop those rows, or set their outcome to "
            "-inf to rank a failed evaluation below every success."
        )
