"""A fit of a target and of the sources that say something of it, and in what directions."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import torch
from torch import Tensor

from botorch_popbo.models.evidence import Conditioned, Evidence, Sample
from botorch_popbo.models.kernels import RoughMaternKernel, dense
from botorch_popbo.models.outliers import fit_robustly, without_outliers


class _Task(NamedTuple):
    """A task fitted by itself.

    Attributes:
        conditioned: The records fitted to, conditioned on their order, if there is any.
        value: Logarithm of the posterior density.
        fitted: Indices of the records it was fitted to.
        used: Indices of all records that are not outliers.
    """

    conditioned: Conditioned | None
    value: float
    fitted: Tensor
    used: Tensor


def fit_tasks(sample: Sample, exact: bool, robust: bool, turns: bool) -> tuple[Conditioned, Tensor]:
    """Fit hyperparameters to a target and its sources, and see through worthless ones.

    Outliers are looked for in every task by itself. A source is used if it is more probable
    together with the target, under one kernel and a correlation, than apart from it: with a kernel
    of its own, or in a random order.

    Args:
        sample: The records of the target, then those of its sources, and what to fit; its kernel
            may be rotated.
        exact: Whether the target is known to be without noise, so that it has no outliers.
        robust: Whether outliers are looked for at all.
        turns: Whether other directions than the present ones are tried.

    Returns:
        The records that are used, conditioned at the hyperparameters found, and which ones these
        are, of shape ``N``.
    """
    start, source_of = sample.hyperparameters.start, sample.records.source

    def condition(*tasks: _Task) -> tuple[Conditioned, float]:
        return Evidence(sample.subset(_fitted(tasks))).maximize(start)

    target, *sources = (
        _by_itself(sample, source_of == number, robust and (number > 0 or not exact))
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
    used = Evidence(sample.subset(is_used))
    if conditioned is None:
        return used.condition(start), is_used
    # Directions come last: an outlier or a wrong source has slopes of its own.
    if turns:
        conditioned = _rotate(sample.subset(_fitted(tasks)), conditioned, value)
    sites = conditioned.posterior.sites
    is_same = len(sites.shift) == len(used.statements)
    return used.condition(conditioned.coordinates, sites if is_same else None), is_used


def _fitted(tasks: Sequence[_Task]) -> Tensor:
    return torch.cat([task.fitted for task in tasks])


def _by_itself(sample: Sample, which: Tensor, may_err: bool) -> _Task:
    """A fit of some of the records alone, by a mask."""
    index, sample = which.nonzero().squeeze(-1), sample.subset(which)
    records = sample.records
    records = replace(records, source=torch.zeros_like(records.source))  # a target of its own
    if not len(records.statements):  # a first point
        return _Task(None, 0.0, index, index)
    sample = replace(sample, records=records)
    chosen = records.representatives(sample.settings.num_fitted)
    fit = fit_robustly(sample.subset(chosen), may_err)
    used = without_outliers(sample, chosen, fit)
    return _Task(fit.conditioned, fit.value, index[chosen][fit.is_used], index[used])


def _rotate(sample: Sample, conditioned: Conditioned, value: float) -> Conditioned:
    """Turn lengthscales to the directions in which the expected utility varies.

    These are the eigenvectors of the mean outer product of its gradients at the records (the active
    subspaces of Constantine, 2015), in turn with a fit of the lengthscales. They are kept as long
    as that raises the posterior density by enough.

    Args:
        sample: What was fitted; its kernel is left with the best directions.
        conditioned: The records, conditioned on their order.
        value: Logarithm of the posterior density.

    Returns:
        The same records in the best directions.
    """
    hyperparameters, kernel = sample.hyperparameters, sample.hyperparameters.modules.kernel
    if not isinstance(kernel, RoughMaternKernel) or bool(sample.records.is_judged.any()):
        return conditioned  # of answers there are too few
    # Other directions gain nothing where no lengthscale can follow.
    if kernel.rotation is None or not kernel.raw_lengthscale.requires_grad:
        return conditioned
    for _ in range(4):  # the second hardly ever gains enough
        hyperparameters.assign(conditioned.coordinates)
        rotation: Tensor = kernel.rotation
        axes = _principal_axes(sample, rotation, conditioned)
        # Up to sign and order these are the present directions, which are fitted already.
        if bool((axes.abs().amax(0) > 0.97).all()):
            break
        least = value + sample.settings.rotation_gain
        kernel.rotation = rotation @ axes
        _turn_lengthscales(kernel, axes)
        hyperparameters.start_here()
        turned, value = Evidence(sample).maximize(hyperparameters.start, least)
        if value < least:  # a turn that gains too little is taken back
            kernel.rotation = rotation
            break
        conditioned = turned
    return conditioned


def _principal_axes(sample: Sample, rotation: Tensor, conditioned: Conditioned) -> Tensor:
    """Eigenvectors of the mean outer product of the expected utility's gradients, ``d x d``."""
    modules = sample.hyperparameters.modules
    # The target's expected utility: "Prediction" in docs/derivations.md.
    weights = modules.correlation[0, conditioned.source] * conditioned.posterior.weights
    with torch.enable_grad():
        points = sample.X.clone().requires_grad_()
        mean = (dense(modules.kernel, points, sample.X) @ weights).sum()
    [slopes] = torch.autograd.grad(mean, points)
    # In the coordinates of the present directions, in which each has its lengthscale.
    slopes = slopes @ rotation
    return torch.linalg.eigh(slopes.T @ slopes).eigenvectors


def _turn_lengthscales(kernel: RoughMaternKernel, axes: Tensor) -> None:
    """Give a kernel the lengthscales that the present ones amount to in other directions.

    Args:
        kernel: The kernel.
        axes: Directions in the coordinates of the present ones, in columns, ``d x d``.
    """
    # The diagonal of the squared distance in the new coordinates. What beside it couples two of
    # them is left out: the fit that follows finds the lengthscales anew.
    inverse_square = axes.T.square() @ kernel.lengthscale.squeeze(0).pow(-2.0)
    constraint = kernel.raw_lengthscale_constraint
    kernel.raw_lengthscale.copy_(constraint.inverse_transform(inverse_square.rsqrt()))
