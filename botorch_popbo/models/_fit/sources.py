"""A fit of a target and its sources, without the sources that tell nothing of it."""

from dataclasses import replace
from typing import NamedTuple

import torch
from torch import Tensor

from botorch_popbo.models._fit.directions import rotate
from botorch_popbo.models._fit.evidence import Conditioned, Evidence
from botorch_popbo.models._fit.hyperparameters import Hyperparameters
from botorch_popbo.models._fit.outliers import fit_robustly, without_outliers
from botorch_popbo.models._observations.observations import Observations
from botorch_popbo.models._observations.subset import subset_of
from botorch_popbo.settings import ModelSettings


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


def fit_tasks(
    X: Tensor,
    records: Observations,
    hyperparameters: Hyperparameters,
    settings: ModelSettings,
    is_exact: bool = False,
) -> tuple[Tensor, Tensor]:
    """Fit hyperparameters to a target and its sources, and see through worthless ones.

    Outliers are looked for in every task by itself. A source is used if it is more probable
    together with the target, under one kernel and a correlation, than apart from it: with a kernel
    of its own, or in a random order.

    Args:
        X: Encoded records, ``N x d``, in double precision.
        records: Those of the target, then those of its sources.
        hyperparameters: What to fit, starting from its current values; its kernel may be rotated.
        settings: How.
        is_exact: Whether the target is known to be without noise, so that it has no outliers.

    Returns:
        Coordinates of the hyperparameters, of shape ``p``, and which records are used, of shape
        ``N``.
    """
    start = hyperparameters.start

    def condition(*tasks: _Task) -> tuple[Conditioned, float]:
        index = torch.cat([task.fitted for task in tasks])
        evidence = Evidence(X[index], records.subset(index), hyperparameters)
        return evidence.maximize(start, settings)

    target, *sources = (
        _by_itself(
            X,
            records,
            (records.source == number).nonzero().squeeze(-1),
            hyperparameters,
            settings,
            may_err=number > 0 or not is_exact,
        )
        for number in range(int(records.source.max()) + 1)
    )
    # One after another against the target, not all at once: sources that agree with each other
    # could outvote it.
    tasks = [target]
    for source in sources:
        apart = max(source.value, records.subset(source.fitted).log_chance)
        if condition(target, source)[1] + settings.source_log_odds > target.value + apart:
            tasks.append(source)
    is_used = torch.zeros(len(X), dtype=torch.bool, device=X.device)
    is_used = is_used.index_fill(0, torch.cat([task.used for task in tasks]), True)
    conditioned, value = target[:2] if len(tasks) == 1 else condition(*tasks)
    if conditioned is None:
        return start, is_used
    fitted = torch.cat([task.fitted for task in tasks])
    # Directions come last: an outlier or a wrong source has slopes of its own.
    found = rotate(X[fitted], records.subset(fitted), hyperparameters, conditioned, value, settings)
    return found, is_used


def _by_itself(
    X: Tensor,
    records: Observations,
    index: Tensor,
    hyperparameters: Hyperparameters,
    settings: ModelSettings,
    may_err: bool,
) -> _Task:
    X, records = X[index], records.subset(index)
    records = replace(records, source=torch.zeros_like(records.source))  # a target of its own
    if not len(records.comparisons):  # a first point
        return _Task(None, 0.0, index, index)
    chosen = subset_of(records, settings.num_fitted)
    fit = fit_robustly(X[chosen], records.subset(chosen), hyperparameters, settings, may_err)
    used = without_outliers(X, records, chosen, fit, hyperparameters, settings)
    return _Task(fit.conditioned, fit.value, index[chosen][fit.is_used], index[used])
