"""Ranked records of an order, and how far apart two points have to be for outcomes to differ."""

import torch
from torch import Tensor

from botorch_popbo.data.order import Order
from botorch_popbo.data.rank_counts import count_better
from botorch_popbo.models._observations.observations import Observations
from botorch_popbo.models._observations.pairs import answers_of


def observations_of(order: Order, tie: float = 0.0) -> Observations:
    """Rank the points of every task.

    A known variance of a score counts by how far one deviation reaches.

    Args:
        order: The order.
        tie: Deviation of the difference of two whose outcomes tie; zero if it is free.

    Returns:
        The records, in double precision.
    """
    # A task of several lists may contradict itself, so it is a judge's.
    judged = order.task_of_list.bincount() > 1
    # Of outcomes the order is what is learned from. Of answers a tie is half a loss.
    better, met = count_better(order, noisy=judged)
    item, task = order.item[order.ranked.rows], order.task_index[order.ranked.rows]
    if not order.num_lists:  # points that have met none, each a task of its own
        item = task = torch.arange(order.num_points, device=order.X.device)
        better = met = torch.zeros_like(item, dtype=torch.double)
        judged = torch.zeros_like(item, dtype=torch.bool)
    records = Observations(
        item=item,
        task=task,
        counts=better.double(),
        exposure=met.double(),
        is_judged=judged[task],
        known_variance=torch.zeros_like(better, dtype=torch.double),
        outcome=torch.full_like(better, torch.nan, dtype=torch.double),
        num_points=order.num_points,
        tie=tie,
        answers=answers_of(order, judged),
        source=torch.zeros_like(item),
    )
    # The first guess of utilities is the scale on which a standard error has a length.
    for index in (~judged).nonzero().squeeze(-1):
        entry = (order.task_index == index).nonzero().squeeze(-1)
        own = order.ranked.inverse[entry]
        records.known_variance[own] = _known_variance(
            order.score[entry], order.variance[entry], records.start[own]
        )
    # Of several lists each has a unit of its own.
    if order.num_lists == 1 and bool(order.is_measured.all()):
        records.outcome[order.ranked.inverse] = order.score.double()
        records.outcome[:] = in_unit_of(records.start, records.outcome)
    return records


def in_unit_of(guess: Tensor, outcome: Tensor) -> Tensor:
    """Outcomes in units in which their median gap is as wide as that of guessed utilities.

    Args:
        guess: Utilities, of shape ``m``.
        outcome: Outcomes, minus infinity for failures, of shape ``m``.

    Returns:
        A tensor of shape ``m``, NaN for failures.
    """
    outcome = outcome.where(outcome.isfinite(), torch.nan)
    levels, inverse = outcome[outcome.isfinite()].unique(return_inverse=True)
    if len(levels) < 2:
        return torch.full_like(outcome, torch.nan)
    # Larger outcomes would overflow, and beside larger ones others would vanish.
    largest = levels.abs().max().clamp_max(1e150)
    at = torch.zeros_like(levels).index_copy(0, inverse, guess[outcome.isfinite()])
    ratio = (levels / largest).diff().log() - at.diff().log()
    return outcome / largest * torch.exp(-ratio.nanmedian())


def _known_variance(score: Tensor, variance: Tensor, utility: Tensor) -> Tensor:
    """Variances of the scores of one list, carried over to a guess of the utilities.

    The guess is interpolated between the scores. Of the distances up and down to the utilities one
    standard deviation away the larger counts, because beyond the ends of the list nothing is known.

    Args:
        score: Scores, of shape ``m``.
        variance: Their variances, of shape ``m``.
        utility: The guess, rising with the score, of shape ``m``.

    Returns:
        A tensor of shape ``m``; zero for exact scores and for failures.
    """
    finite = score.isfinite()
    known = (variance > 0) & finite
    spread = torch.zeros_like(utility)
    if not bool(known.any()):
        return spread
    # A quarter, so that no difference overflows.
    score, deviation = score.double() / 4.0, variance[known].double().sqrt() / 4.0
    knots, first = score[finite].unique(return_inverse=True)
    values = torch.empty_like(knots).index_copy_(0, first, utility[finite])
    score = score[known]
    reach = [
        (interpolate(end.clamp(knots[0], knots[-1]), knots, values) - utility[known]).abs()
        for end in (score - deviation, score + deviation)
    ]
    spread[known] = torch.maximum(*reach).square()
    return spread


def interpolate(x: Tensor, knots: Tensor, values: Tensor) -> Tensor:
    """Piecewise linear, and beyond the ends as the last step goes on.

    Args:
        x: Where, of shape ``K``.
        knots: Rising, of shape ``J``.
        values: Values there, ``... x J``.

    Returns:
        A ``... x K`` tensor.
    """
    if len(knots) == 1:
        return values.expand(*values.shape[:-1], len(x))
    right = torch.searchsorted(knots, x).clamp(1, len(knots) - 1)
    low, high = knots[right - 1], knots[right]
    share = ((x - low) / (high - low)).to(values)
    return values[..., right - 1].lerp(values[..., right], share)


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
