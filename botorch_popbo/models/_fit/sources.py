"""A fit of a target and its sources, without the sources that tell nothing of it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import torch
from torch import Tensor

from botorch_popbo.models._fit.directions import rotate
from botorch_popbo.models._fit.evidence import Conditioned, Evidence, Sample
from botorch_popbo.models._fit.outliers import fit_robustly, without_outliers
from botorch_popbo.models._observations.subset import subset_of


class _Task(NamedTuple):
    """A task fitted by itself.

    Attributes:
        conditioned: The records fitted to, conditioned on their order, if there is any.
        value: Logarithm of the posterior density.
        fitted: Indices of the records it was fitted to.
        used: Indices of all records that are no outliers.
    """

    conditioned: Conditioned | None
    value: float
    fitted: Tensor
    used: Tensor


def fit_tasks(sample: Sample, is_exact: bool) -> tuple[Tensor, Tensor]:
    """Fit hyperparameters to a target and its sources, and see through worthless ones.

    Outliers are looked for in every task by itself. A source is used if it is more probable
    together with the target, under one kernel and a correlation, than apart from it: with a kernel
    of its own, or in a random order.

    Args:
        sample: The records of the target, then those of its sources, and what to fit; its kernel
            may be rotated.
        is_exact: Whether the target is known to be without noise, so that it has no outliers.

    Returns:
        Coordinates of the hyperparameters, of shape ``p``, and which records are used, of shape
        ``N``.
    """
    start, source_of = sample.hyperparameters.start, sample.records.source

    def condition(*tasks: _Task) -> tuple[Conditioned, float]:
        return Evidence(sample.subset(_fitted(tasks))).maximize(start)

    target, *sources = (
        _by_itself(sample, source_of == number, may_err=number > 0 or not is_exact)
        for number in range(int(source_of.max()) + 1)
    )
    # One after another against the target, not all at once: sources that agree with each other
    # could outvote it.
    tasks = [target]
    for source in sources:
        apart = max(source.value, sample.records.subset(source.fitted).log_chance)
        together = condition(target, source)[1] + sample.settings.source_log_odds
        if together > target.value + apart:
            tasks.append(source)
    is_used = torch.zeros_like(source_of, dtype=torch.bool)
    is_used = is_used.index_fill(0, torch.cat([task.used for task in tasks]), True)
    conditioned, value = target[:2] if len(tasks) == 1 else condition(*tasks)
    if conditioned is None:
        return start, is_used
    # Directions come last: an outlier or a wrong source has slopes of its own.
    return rotate(sample.subset(_fitted(tasks)), conditioned, value), is_used


def _fitted(tasks: Sequence[_Task]) -> Tensor:
    return torch.cat([task.fitted for task in tasks])


def _by_itself(sample: Sample, own: Tensor, may_err: bool) -> _Task:
    """A fit of some of the records alone, by a mask."""
    index, sample = own.nonzero().squeeze(-1), sample.subset(own)
    records = sample.records
    records = replace(records, source=torch.zeros_like(records.source))  # a target of its own
    if not len(records.comparisons):  # a first point
        return _Task(None, 0.0, index, index)
    sample = replace(sample, records=records)
    chosen = subset_of(records, sample.settings.num_fitted)
    fit = fit_robustly(sample.subset(chosen), may_err)
    used = without_outliers(sample, chosen, fit)
    return _Task(fit.conditioned, fit.value, index[chosen][fit.is_used], index[used])
