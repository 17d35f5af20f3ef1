"""The law of the utility given an order, at certain hyperparameters."""

from typing import NamedTuple

import torch
from torch import Tensor

from botorch_popbo.models._evidence import Evidence
from botorch_popbo.models._hyperparameters import Hyperparameters
from botorch_popbo.models._predictor import Predictor
from botorch_popbo.models._records import Records
from botorch_popbo.posteriors._thresholds import Thresholds


class Law(NamedTuple):
    """What is predicted with.

    Attributes:
        theta: The hyperparameters, of shape ``p + 1``.
        predictor: Utilities of new points.
        thresholds: Utilities of the records, between which a new point's rank is told.
    """

    theta: Tensor
    predictor: Predictor
    thresholds: Thresholds


def condition_on_order(
    X: Tensor, records: Records, hyperparameters: Hyperparameters, theta: Tensor
) -> Law:
    """Condition a Gaussian process on the order of records.

    Args:
        X: Encoded records, ``N x d``, in double precision.
        records: Their order.
        hyperparameters: The hyperparameters.
        theta: Their values, of shape ``p + 1``.

    Returns:
        The law.
    """
    conditioned = Evidence(X, records, hyperparameters).condition(theta)
    predictor = Predictor.from_fit(X, conditioned, hyperparameters.kernel(theta))
    target = records.is_target.nonzero().squeeze(-1)
    utilities = conditioned.utilities.utilities[target]
    return Law(theta, predictor, _thresholds(records.subset(target), utilities))


def _thresholds(records: Records, utilities: Tensor) -> Thresholds:
    """Between which utilities a rank changes.

    Equal outcomes are one threshold: a point is worse than none of them, or than all.
    """
    if bool(records.is_judged.any()) or bool((records.task > 0).any()):
        values = utilities.sort(descending=True).values
        place = torch.arange(len(values)).to(values)
        return Thresholds.from_ranks(
            values, place * records.num_points / len(values), records.num_points
        )
    values = worst_of_levels(utilities, records.level)
    better = torch.zeros_like(values).index_copy_(0, records.level, records.better)
    return Thresholds.from_ranks(values, better, records.num_points)


def worst_of_levels(utilities: Tensor, level: Tensor) -> Tensor:
    """Least utility of the records of each level, of shape ``L``."""
    number = int(level.max()) + 1
    return utilities.new_full((number,), torch.inf).scatter_reduce(0, level, utilities, "amin")
