r"""Orders of several outcomes: objectives, and constraints.

.. [Fonseca1993]
    C. M. Fonseca and P. J. Fleming. Genetic algorithms for multiobjective optimization:
    formulation, discussion and generalization. ICGA, 1993.

.. [Knowles2006]
    J. Knowles. ParEGO: a hybrid algorithm with on-line landscape approximation for expensive
    multiobjective optimization problems. IEEE Transactions on Evolutionary Computation, 2006.
"""

import torch
from botorch.exceptions import BotorchTensorDimensionError, InputDataError
from torch import Tensor

from botorch_popbo.data._checks import check_outcomes, check_same_kind, check_tensor
from botorch_popbo.data._rows import distinct_points, distinct_rows
from botorch_popbo.data.order import Order
from botorch_popbo.data.outcomes import mean_of_copies
from botorch_popbo.data.rank_counts import MAX_PAIRS


def from_objectives(X: Tensor, Y: Tensor) -> Order:
    """Order points by how many others dominate them.

    These are the ranks of Fonseca and Fleming (1993). A point dominates another if it is at least
    as good in all objectives and better in one. The points that none dominates, the Pareto set, tie
    at the top. Replicates are merged by their mean in each objective. With one objective this is
    :func:`from_outcomes`. O(N^2) time, O(N) memory.

    Assumption: the outcomes are exact, and only domination makes a point better: of two points
    that trade one objective for another neither is better, however large the gain.

    Args:
        X: Evaluated points, an ``N x d`` tensor.
        Y: Outcomes, an ``N x m`` tensor, each objective in any unit, larger being better. Minus
            infinity in any objective marks a failed evaluation: every success dominates it.

    Returns:
        One list of all distinct points.

    Raises:
        BotorchTensorDimensionError: If the shapes do not agree.
        InputDataError: As in :func:`from_outcomes`.
    """
    check_outcomes(X, Y, several=True)
    points, distinct = distinct_points(X)
    columns = [mean_of_copies(y, distinct.inverse) for y in Y.detach().unbind(-1)]
    means = torch.stack(columns, dim=-1)
    failed = means.isneginf().any(-1)
    means[failed] = -torch.inf
    score = (-_num_dominating(means).to(X)).masked_fill(failed, -torch.inf)
    return Order.from_scores(points, score)


def trade_off(Y: Tensor, weights: Tensor) -> Tensor:
    r"""Score points by how far behind they are in the objective that matters most.

    With :math:`b_j` the share of points that are better in objective :math:`j`, the score is the
    negated augmented Chebyshev norm
    :math:`\max_j w_j b_j + 0.05 \sum_j w_j b_j` ([Knowles2006]_ on shares instead of outcomes). A
    point that dominates another has a higher score if the weights are positive, so this completes
    the order of :func:`from_objectives` to one that compares all points. Which trade-off is
    preferred depends on the weights; different weights lead to different parts of the Pareto
    front. Increasing transforms of an objective change nothing. O(N log N).

    Args:
        Y: Outcomes, an ``N x m`` tensor, each objective in any unit, larger being better. Minus
            infinity in any objective marks a failed evaluation.
        weights: Importance of the objectives, positive, of shape ``m``.

    Returns:
        Scores, of shape ``N``, larger being better; minus infinity for failed evaluations.
    """
    no_better = [torch.searchsorted(y.sort()[0], y.contiguous(), right=True) for y in Y.unbind(-1)]
    weighted = weights * (len(Y) - torch.stack(no_better, dim=-1)) / len(Y)
    # Of two points with the same worst objective the better one is ahead (Knowles, section 3).
    score = -weighted.amax(-1) - 0.05 * weighted.sum(-1)
    return score.masked_fill(Y.isneginf().any(-1), -torch.inf)


def _num_dominating(means: Tensor) -> Tensor:
    """How many rows of the ``m x c`` tensor dominate each row, of shape ``m``."""
    counts = torch.empty_like(means[:, 0], dtype=torch.long)
    columns = means.unbind(-1)
    step = max(1, MAX_PAIRS // len(means))
    for rows in (slice(start, start + step) for start in range(0, len(means), step)):
        no_worse = torch.stack([y >= y[rows, None] for y in columns]).all(0)
        better = torch.stack([y > y[rows, None] for y in columns]).any(0)
        counts[rows] = (no_worse & better).sum(-1)
    return counts


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
    places = distinct_rows(feasible, torch.where(feasible, outcomes, -total)).inverse.to(outcomes)
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
