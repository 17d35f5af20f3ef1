"""Pending points among ranked records."""

import torch
from torch import Tensor

from botorch_popbo.data.rank_counts import insert_counts
from botorch_popbo.models._observations.observations import Observations
from botorch_popbo.models._observations.pairs import expected_answers


def insert_pending(records: Observations, predicted: Tensor, utility: Tensor) -> Observations:
    """Add points at predicted ranks, as if they had been evaluated.

    Args:
        records: Those of the known points.
        predicted: Predicted counts of the ``p`` points among the known ones.
        utility: Expected utilities of the known records, then of the new ones, of shape
            ``m + p``; among answers a new point comes between its neighbours.

    Returns:
        The records of known points, then of the new ones, whose items follow the known ones
        and whose task is the last.
    """
    number, total = len(predicted), records.num_points
    new_items = torch.arange(total, total + number, device=records.item.device)
    # What is pending is evaluated next, so it is of the last task.
    own = records.task == records.task.max()
    is_judged = bool(records.is_judged[own][0])
    if not bool(own.all()):  # the ranks are those among the points of all tasks
        known, new = utility.split([len(records), number])
        predicted = (known[own] > new.unsqueeze(-1)).sum(-1)
    counts, exposure = insert_counts(
        records.counts[own], records.exposure[own], int(own.sum()), predicted.double()
    )
    known_counts, new_counts = counts.split([len(counts) - number, number])
    known_exposure, new_exposure = exposure.split([len(counts) - number, number])
    # What is expected among the worst, of which nothing more is known, is one of them.
    worst = known_counts.argmax()
    is_inside = predicted <= records.counts[own].max()
    new_counts = new_counts.where(is_inside, known_counts[worst])
    new_exposure = new_exposure.where(is_inside, known_exposure[worst])
    answers = records.answers
    if is_judged:
        answers = answers.join(expected_answers(utility, own, number))
    return Observations(
        item=torch.cat([records.item, new_items]),
        task=torch.cat([records.task, records.task.max().expand(number)]),
        counts=torch.cat([records.counts.masked_scatter(own, known_counts), new_counts]),
        exposure=torch.cat([records.exposure.masked_scatter(own, known_exposure), new_exposure]),
        is_judged=torch.cat([records.is_judged, records.is_judged.new_full((number,), is_judged)]),
        known_variance=torch.cat([records.known_variance, utility.new_zeros(number)]),
        outcome=torch.cat([records.outcome, _expected(records, own, predicted)]),
        num_points=total + number,
        tie=records.tie,
        answers=answers,
        source=torch.cat([records.source, torch.zeros_like(new_items)]),
    )


def _expected(records: Observations, own: Tensor, predicted: Tensor) -> Tensor:
    """Outcomes half-way between those of the neighbours at predicted ranks; NaN at the ends."""
    known, outcome = records.counts[own].sort()
    outcome = records.outcome[own][outcome]
    worse = torch.searchsorted(known, predicted.to(known))
    ends = torch.nn.functional.pad(outcome, (1, 1), value=torch.nan)
    return 0.5 * (ends[worse] + ends[worse + 1])
